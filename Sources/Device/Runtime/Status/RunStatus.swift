package import Fleet
package import Recognition
package import Support
internal import Synchronization

/// How the run does, for whoever asks: heartbeats, `gaitway status`. The loop leaves its values here and goes on.
package final class RunStatus: Sendable {
    package struct Values: Sendable {
        package var source = "none yet"
        /// The sensor that another program has and this one waits for, "" for any; nil where it waits for none.
        package var waitsFor: String?
        /// Under which names the kernel counts its interrupts.
        package var interrupts: [String] = []
        package var model = 0
        /// Between two windows, samples at 50 Hz.
        package var hop = 0
        /// Of the last window; nil once none came for a while.
        package var activity: String?
        /// Q0.15.
        package var confidence: Int16 = 0
        /// How it is known which way is up; nil for a model that does not need that.
        package var orientation: KnownBy?
        /// How often walking has shown that since the start: more than before tells that it is not what was known before.
        package var timesLearnt = 0
        /// Where on the body the sensor is, where the model finds that.
        package var placement: String?
        /// mHz, as measured; nil with the activity.
        package var rate: Int?
        package var samples: Int64 = 0
        package var windows: Int64 = 0
        /// Since midnight; nil where no day is kept.
        package var steps: Int64?
        /// Steps a minute; nil while there is no gait.
        package var cadence: Int?
        package var labels: [String] = []
        /// Whether the sensor sleeps because nothing moves it.
        package var isStill = false
        /// When the last window was decided on: ns since boot, and since 1970.
        package var lastWindow: (sinceBoot: Int64, at: Int64)?
        /// For how long windows may wait for each other, ns.
        package var latency: Int64 = 0
        /// What went wrong last, and when: seconds since 1970.
        package var lastError: (message: String, at: Double)?
        /// ns since boot.
        package let began: Int64

        // A sensor that went away, or samples that are lost again and again: nobody knows what the wearer does.
        fileprivate func isStale(at now: Int64) -> Bool {
            guard let lastWindow, !isStill else { return false }
            return now - lastWindow.sinceBoot > latency + max(10_000_000_000, Int64(5 * hop) * 20_000_000)
        }
    }

    private let values: Mutex<Values>
    private let wearing = Mutex((learns: 0, undos: 0))
    private let clock: ServiceClock
    /// Makes the next heartbeat go at once.
    package let heartbeat = HeartbeatTrigger()

    package init(clock: ServiceClock = .system) {
        self.clock = clock
        values = Mutex(Values(began: clock.sinceBoot()))
    }

    package var now: Values {
        var found = values.withLock { $0 }
        if found.isStale(at: clock.sinceBoot()) { (found.activity, found.rate) = (nil, nil) }
        return found
    }

    /// Whether there was a decision within the last minute.
    package var decides: Bool {
        guard let last = values.withLock({ $0.lastWindow }) else { return false }
        return clock.sinceBoot() - last.sinceBoot < 60_000_000_000
    }

    /// Of how the sensor is worn: learn it anew, or go by what was known before.
    package enum WearingRequest: Sendable { case learn, undo }

    package func ask(_ request: WearingRequest) {
        if request == .learn { forgetOrientation() }
        wearing.withLock { wearing in if request == .learn { wearing.learns += 1 } else { wearing.undos += 1 } }
    }

    /// How often either was asked for since the last call.
    package func takeWearingRequests() -> (learns: Int, undos: Int) {
        let taken = wearing.withLock { wearing in
            defer { wearing = (0, 0) }
            return wearing
        }
        // A decision from before may have come in between.
        if taken.learns > 0 { forgetOrientation() }
        return taken
    }

    private func forgetOrientation() { note { if $0.orientation != nil { $0.orientation = .unknown } } }

    /// Seconds that the run lasts.
    package var uptime: Int64 { (clock.sinceBoot() - values.withLock { $0.began }) / 1_000_000_000 }

    package func note(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    /// One window was decided on.
    ///
    /// - Parameters:
    ///   - confidence: Q0.15.
    ///   - rate: as measured, mHz.
    package func noteWindow(_ activity: String, confidence: Int16, rate: Int?) {
        note { now in
            (now.activity, now.confidence, now.rate) = (activity, confidence, rate)
            now.windows += 1
            now.lastWindow = (clock.sinceBoot(), clock.wall())
        }
    }

    package func failed(_ what: String) { note { $0.lastError = (what, Double(clock.wall()) / 1e9) } }
}
