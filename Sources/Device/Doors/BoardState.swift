package import HubProtocol

/// What other programs at home see of the board.
package struct BoardState: Sendable, Equatable {
    /// The smoothed activity; nil while no sample comes.
    package var activity: String?
    /// Percent.
    package var confidence: Int?
    /// Since midnight.
    package var steps: Int64?
    /// Steps a minute.
    package var cadence: Int?
    /// Of the latest fall.
    package var fall: FallState?
    /// Whether samples come.
    package var samplesCome = false
    /// Hz.
    package var rate: Double?
    /// Degrees Celsius.
    package var temperature: Double?
    /// Percent.
    package var battery: Int?
    package var modelVersion = 0
    package var labels: [String] = []
    /// What the user says that the wearer does.
    package var label: String?

    package init() {}

    private static let still: Set<String> = ["SITTING", "STANDING", "LAYING", "SITTING|LAYING", "unknown"]

    /// Whether the wearer moves about; nil where that is not known.
    package var isMoving: Bool? { activity.map { !Self.still.contains($0) } }
    /// Whether a fall is not over.
    package var isFallen: Bool { fall?.isDown == true }
}
