public import Support

/// One thing that was looked at.
public struct Finding: Sendable, Equatable {
    public enum Level: String, Sendable {
        case ok
        /// The loop can start, and something is not as it should be.
        case warning
        /// The loop cannot start.
        case problem
    }

    public var topic: String
    public var level: Level
    public var message: String
    /// The command that mends it.
    public var remedy: String?
    /// The exit code for a problem.
    public var code: Fault.Code = .failure

    public static func ok(_ topic: String, _ message: String) -> Finding { Finding(topic: topic, level: .ok, message: message) }

    public static func warning(_ topic: String, _ message: String, remedy: String? = nil) -> Finding {
        Finding(topic: topic, level: .warning, message: message, remedy: remedy)
    }

    public static func problem(_ topic: String, _ fault: Fault) -> Finding {
        Finding(topic: topic, level: .problem, message: fault.message, remedy: fault.remedy, code: fault.code)
    }
}
