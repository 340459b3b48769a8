import Fleet
import Support
import Synchronization

/// How the run does, for whoever asks: heartbeats, `gaitway status`. The loop leaves word here and goes on.
final class RunStatus: Sendable {
    struct Values: Sendable {
        var source = "none yet"
        var model = 0
        /// Between two windows, samples at 50 Hz.
        var hop = 0
        /// Of the last window; nil once none came for a while.
        var activity: String?
        /// Q0.15.
        var confidence: Int16 = 0
        /// mHz, as measured; nil with the activity.
        var rate: Int?
        var samples = 0
        var windows = 0
        /// When the last window was decided on: ns since boot, and seconds since 1970.
        var lastWindow: (sinceBoot: Int64, at: Double)?
        /// What went wrong last, and when: seconds since 1970.
        var lastError: (message: String, at: Double)?
        let began = SystemTime.sinceBoot

        // A sensor that went away, or samples that are lost again and again: nobody knows what the wearer does.
        fileprivate var isStale: Bool {
            guard let lastWindow else { return false }
            return SystemTime.sinceBoot - lastWindow.sinceBoot > max(10_000_000_000, Int64(5 * hop) * 20_000_000)
        }
    }

    private let values: Mutex<Values> = Mutex(Values())
    /// The next heartbeat goes at once when it has news.
    let soon = BeatSoon()

    var now: Values {
        var found = values.withLock { $0 }
        if found.isStale { (found.activity, found.rate) = (nil, nil) }
        return found
    }

    func note(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    func failed(_ what: String) { note { $0.lastError = (what, SystemTime.wallTime) } }
}
