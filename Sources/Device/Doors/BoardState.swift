package import HubProtocol

/// A new model, as a home shows it.
package struct ModelUpdateState: Sendable, Equatable {
    /// What has proved itself.
    package var installed: String
    /// What is offered or tried; `installed` where nothing is.
    package var latest: String
    /// Percent of the trial; nil where nothing is tried.
    package var progress: Int?
    /// Why the latest refused one was refused; "" where none was.
    package var note: String

    package init(installed: String, latest: String, progress: Int?, note: String) {
        (self.installed, self.latest, self.progress, self.note) = (installed, latest, progress, note)
    }
}

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
    /// nil where this run takes no new models.
    package var update: ModelUpdateState?
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
