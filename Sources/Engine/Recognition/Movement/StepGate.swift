/// Lets steps count where the wearer may walk: what repeats while somebody sits at the wheel or washes is no gait.
///
/// A gait is found seconds after it began, so a step counts where one of the latest windows, or the next one, allows it.
package struct StepGate: Sendable {
    private var waiting: Int64 = 0
    // Windows since the last that allowed steps, and since the oldest waiting step.
    private var since = StepGate.memory, waits = 0
    // Of the latest windows.
    private static let memory = 6

    package init() {}

    /// - Parameters:
    ///   - steps: found since the window before.
    ///   - activity: of the window.
    /// - Returns: those that count now.
    package mutating func take(_ steps: Int64, _ activity: Activity) -> Int64 {
        since = Self.allows(activity) ? 0 : min(Self.memory, since + 1)
        waiting += steps
        guard since == Self.memory else {
            defer { (waiting, waits) = (0, 0) }
            return waiting
        }
        // One more window may still say that it was a gait.
        waits = waiting > 0 ? waits + 1 : 0
        if waits > 2 { (waiting, waits) = (0, 0) }
        return 0
    }

    private static func allows(_ activity: Activity) -> Bool {
        switch activity.label {
        case "SITTING", "STANDING", "LAYING", "CYCLING", "SITTING|LAYING", "SITTING|STANDING":
            activity.isNovel || activity.confidence < limit
        default: true
        }
    }

    // Q0.15: below it the network is not sure.
    private static let limit: Int16 = 22938
}
