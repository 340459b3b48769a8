package import Support

/// What a reader of the local stream may ask for.
package enum StreamEvent: String, Sendable, CaseIterable {
    /// Every window.
    case decisions
    /// Those whose smoothed activity is another one than before.
    case changes
    /// Falls: a blow, whether its wearer stays down, the alarm, and how it ended.
    case falls
    /// Steps, whenever some were counted: how many since the last line and since midnight.
    case steps
    /// Blocks of the sensor's samples.
    case samples
    /// The model that decides from now on.
    case model
    /// Whether samples come, at which rate, and how many were lost: every minute, and when that changes.
    case health

    /// What a reader gets that names nothing.
    package static let usual: Set<StreamEvent> = [.decisions, .falls, .model, .health]

    /// - Throws: `.usage` for an event that does not exist.
    package init(named name: String) throws(Fault) {
        guard let event = StreamEvent(rawValue: name) else {
            throw Fault(
                .usage, "\"\(name)\" is no event of the stream",
                remedy: "Events: \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self = event
    }
}
