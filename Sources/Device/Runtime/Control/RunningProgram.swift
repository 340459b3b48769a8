internal import Recognition
package import Support

/// The program that answers at the control socket, at one moment.
package struct RunningProgram: Sendable {
    /// What it says of itself.
    package let status: JSONValue
    // Seconds since boot.
    private let began: Double

    /// - Throws: those of ``ControlClient/ask(_:)``.
    package static func now() throws(Fault) -> RunningProgram {
        let status = try ControlClient.ask([("command", "status")]), boot = Double(SystemTime.sinceBoot) / 1e9
        return RunningProgram(status: status, began: boot - (status["uptime_seconds"]?.number ?? 0))
    }

    /// Whether it goes by what walking has shown.
    package var isLearnt: Bool { status["orientation"]?.text == KnownBy.learnt.rawValue }

    /// How often walking has shown it how the sensor is worn.
    package var timesLearnt: Double { status["times_learnt"]?.number ?? 0 }

    /// Whether it was not started anew in between.
    package func isSame(as other: RunningProgram) -> Bool { (began - other.began).magnitude < 2 }
}
