package import Support

/// Whether the service that was just started decides, and goes on doing so.
package struct ProgramWatch: Sendable {
    /// What `gaitway status --json` says.
    package typealias Status = @Sendable () throws(Fault) -> JSONValue

    let status: Status
    /// How long it is watched, s.
    let seconds: Double
    /// s since boot.
    let now: @Sendable () -> Double
    // Half a second.
    private let pause: @Sendable () async -> Void

    package init(seconds: Double = 60, status: @escaping Status) {
        self.init(seconds: seconds, now: { SystemTime.uptime }, pause: { try? await Task.sleep(for: .milliseconds(500)) }, status: status)
    }

    init(seconds: Double, now: @escaping @Sendable () -> Double, pause: @escaping @Sendable () async -> Void, status: @escaping Status) {
        (self.seconds, self.now, self.pause, self.status) = (seconds, now, pause, status)
    }

    /// What was seen of the service at one moment.
    private struct Sight {
        /// s since the watch began; how long it has run.
        var at: Double, uptime: Double
        var windows: Double
    }

    /// Whether it decides now: only then can be seen whether another one does.
    func decides() -> Bool {
        guard let last = try? status()["last_decision"]?.number else { return false }
        return abs(SystemTime.wallTime - last) < 60
    }

    private func look(at moment: Double) -> Sight? {
        guard let answer = try? status(), let uptime = answer["uptime_seconds"]?.number, let windows = answer["windows"]?.number else {
            return nil
        }
        return Sight(at: moment, uptime: uptime, windows: windows)
    }

    /// Watches it to the end.
    ///
    /// - Parameter start: when the installation began, by ``now``: what has run for longer is the program before it. nil where
    ///   that is not known.
    /// - Returns: what is wrong; nil where one process ran through the second half of the time at least, and decided in it.
    ///   `.temporary` says nothing of the program.
    func verdict(since start: Double?) async -> Fault? {
        // The machine may just have started.
        let asked = now()
        while start == nil, look(at: 0) == nil, now() - asked < Self.startTime { await pause() }
        let began = now()
        var middle: Sight?, last: Sight?
        while now() - began < seconds {
            let moment = now() - began
            if let sight = look(at: moment) {
                if moment <= seconds / 2 { middle = sight }
                last = sight
            }
            await pause()
        }
        // An answer may have taken its time.
        last = look(at: now() - began) ?? last
        guard let middle, let last else { return Fault(.failure, "it did not answer within \(Int(seconds / 2)) s") }
        guard last.at >= seconds - max(2, seconds / 10) else {
            return Fault(.failure, "it did not answer any more after \(Int(last.at)) s")
        }
        guard last.uptime - middle.uptime >= last.at - middle.at - 2 else { return Fault(.failure, "it ended, and was started again") }
        if let start, last.uptime > now() - start + 2 {
            return Fault(.temporary, "the program before it still runs: the service was not started again")
        }
        return last.windows > middle.windows ? nil : Fault(.failure, "it decided nothing for \(Int(last.at - middle.at)) s")
    }

    // s that a machine which was started anew may take until the service answers.
    private static let startTime = 300.0
}
