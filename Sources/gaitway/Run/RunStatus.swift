import Fleet
import Support
import Synchronization

/// How the run does, for whoever asks: heartbeats, `gaitway status`. The loop leaves word here and goes on.
final class RunStatus: Sendable {
    struct Values: Sendable {
        var source = ""
        var model = 0
        var activity: String?
        /// Q0.15.
        var confidence: Int16 = 0
        /// mHz, as measured.
        var rate: Int?
        var samples = 0
        var windows = 0
        var lastError: String?
        let began = SystemTime.sinceBoot
    }

    private let values: Mutex<Values> = Mutex(Values())
    /// The next heartbeat goes at once when it has news.
    let soon = BeatSoon()

    var now: Values { values.withLock { $0 } }

    func note(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    func failed(_ what: String) { note { $0.lastError = what } }

    /// The next heartbeat tells it, and goes at once.
    func tell(_ failure: String?) {
        if let failure { failed(failure) }
        soon.now()
    }
}
