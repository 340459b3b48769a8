/// Lets steps count where the wearer walks: what repeats while somebody sits at the wheel or washes is no gait.
///
/// A gait is found seconds after it began, so steps wait for some windows, and count as soon as several of the latest ones are of a gait.
package struct StepGate: Sendable {
    private var waiting: Int64 = 0, waits = 0
    // Of the latest windows, the newest at the right: whether they were of a gait.
    private var latest: UInt32 = 0

    // Windows that are remembered, those of a gait among them from which on steps count, and those for which steps wait: with these
    // `gaitway evaluate --steps` finds few false ones and loses few true ones.
    private static let memory = 10, enough = 3, patience = 10

    package init() {}

    /// - Parameters:
    ///   - steps: found since the window before.
    ///   - activity: of the window.
    /// - Returns: those that count now.
    package mutating func take(_ steps: Int64, _ activity: Activity) -> Int64 {
        // A network that knows no gait cannot say when somebody walks.
        guard activity.labels.contains(where: Self.gaits.contains) else {
            (waiting, waits, latest) = (0, 0, 0)
            return steps
        }
        latest = (latest << 1 | (Self.isOfGait(activity) ? 1 : 0)) & (1 << UInt32(Self.memory) - 1)
        waiting += steps
        if latest.nonzeroBitCount >= Self.enough {
            defer { (waiting, waits) = (0, 0) }
            return waiting
        }
        waits = waiting > 0 ? waits + 1 : 0
        if waits > Self.patience { (waiting, waits) = (0, 0) }
        return 0
    }

    private static let walking = "WALKING"
    private static let gaits: Set = [walking, "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "RUNNING"]
    // Q0.15
    private static let probable = 0.45 * 32768

    // Before it is known which way is up, the network that finds walking says so. Steps were found too, so that less than 0.6 is enough.
    private static func isOfGait(_ activity: Activity) -> Bool {
        guard activity.orientation == .unknown, let index = activity.labels.firstIndex(of: walking),
            activity.probabilities.indices.contains(index)
        else { return gaits.contains(activity.label) }
        return Double(activity.probabilities[index]) >= probable
    }
}
