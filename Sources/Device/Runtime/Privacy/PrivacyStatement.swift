package import CrowdLearning
internal import Crowd
internal import Fleet
package import Ledger
package import Settings
package import Support
internal import Upload

/// What left this board, what waits to leave it, and what stays here.
package struct PrivacyStatement: Sendable {
    package let left: PrivacyLedger.Content
    /// What the crowd's gradients gave away; nil where none was sent.
    package let crowd: PrivacyBudget?
    /// The most epsilon that may be given away; nil for any.
    package let crowdLimit: Double?
    /// Files of windows that wait, and their bytes.
    package let files: Int, bytes: Int64
    /// Events that wait for the hub.
    package let events: Int
    /// The hub where the board is registered.
    package let hub: String?
    /// Where days and recordings lie, of those that are there.
    package let kept: [(what: String, place: String)]

    /// - Throws: those of reading what is kept.
    package init(_ settings: Settings) throws(Fault) {
        // What was sent in the last minutes; somebody else's program says nothing.
        if ControlClient.isAnswered { _ = try? ControlClient.ask([("command", "save-ledger")]) }
        left = try PrivacyLedger.read(in: Places.state)
        let budget = try PrivacyBudget.read(PrivacyBudget.path)
        crowd = budget.checkIns == 0 ? nil : budget
        crowdLimit = PrivacyFloor(settings.crowd).limit
        let waiting = SpoolStatus.waiting(in: settings.upload.directory)
        (files, bytes) = (waiting?.files ?? 0, waiting?.bytes ?? 0)
        events = EventQueue(in: Places.state).count
        hub = try Registration.read()?.hub
        kept = [("days", settings.history.place), ("recordings", Files.resolved(settings.recordings))].filter {
            Files.isDirectory($0.place)
        }
    }
}
