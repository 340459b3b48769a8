package import Support

/// One thing that was looked at.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable {
        case ok
        /// The loop can start, and something is not as it should be.
        case warning
        /// The loop cannot start.
        case problem
    }

    package var topic: String
    package var level: Level
    package var message: String
    /// The command that mends it.
    package var remedy: String?
    /// The exit code for a problem.
    package var code: Fault.Code = .failure

    package static func ok(_ topic: String, _ message: String) -> Finding { Finding(topic: topic, level: .ok, message: message) }

    package static func warning(_ topic: String, _ message: String, remedy: String? = nil) -> Finding {
        Finding(topic: topic, level: .warning, message: message, remedy: remedy)
    }

    package static func problem(_ topic: String, _ fault: Fault) -> Finding {
        Finding(topic: topic, level: .problem, message: fault.message, remedy: fault.remedy, code: fault.code)
    }
}
