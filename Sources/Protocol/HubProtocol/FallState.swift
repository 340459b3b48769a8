/// What is known of a fall.
public enum FallState: String, Sendable, CaseIterable {
    /// A blow as of a fall.
    case impact
    /// Still down after the time to confirm.
    case fallen
    /// Nobody cancelled it, and the wearer did not get up: help is called.
    case alarm
    /// The wearer got up.
    case recovered
    /// Somebody said that it is none.
    case cancelled

    /// Whether it is not over.
    public var isOpen: Bool { self == .impact || isDown }

    /// Whether its wearer is known to be down: confirmed, and not over.
    public var isDown: Bool { self == .fallen || self == .alarm }
}
