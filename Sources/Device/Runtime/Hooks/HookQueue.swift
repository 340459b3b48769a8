internal import Support
internal import Synchronization

/// Events that wait for their hook: of changes the last one alone, of falls every one.
final class HookQueue: Sendable {
    struct Event: Sendable {
        let isFall: Bool
        let environment: [String: String]
    }

    private struct State {
        var falls: [Event] = []
        var change: (activity: String, confidence: String, at: String)?
        /// What the last hook was told, or the first activity.
        var previous: String?
        /// The latest fall that was told, as `state at`; nil before the first line of the stream.
        var fall: String?
    }

    private static let mostFalls = 32

    private let state = Mutex(State())
    let wanted = WakeEvent()

    /// A line of the stream.
    func take(_ event: JSONValue) {
        // What became of a fall between two programs is in the first line of the later one.
        if event["event"] == "hello" { return takeFall(of: event["fall"] ?? .null, isFirstLine: true) }
        if event["event"] == "fall" { return takeFall(of: event, isFirstLine: false) }
        guard let at = event["at"]?.number.map({ Decimals.text($0, places: 3) }) else { return }
        guard event["event"] == "decision", let activity = event["smoothed"]?.text, let confidence = event["confidence"]?.number else {
            return
        }
        state.withLock { state in
            if state.previous == nil { state.previous = "unknown" }
            state.change = (activity, Decimals.text(confidence, places: 5), at)
        }
        wanted.raise()
    }

    /// - Parameter isFirstLine: of a stream: of falls before this program followed any nothing but an alarm is told.
    private func takeFall(of fall: JSONValue, isFirstLine: Bool) {
        let name = fall["state"]?.text, at = fall["at"]?.number.map { Decimals.text($0, places: 3) }
        let told = name.flatMap { name in at.map { "\(name) \($0)" } } ?? ""
        state.withLock { state in
            // An alarm that stands is told at the beginning, too: nobody knows whether it was.
            let isNews = !told.isEmpty && told != state.fall && !(isFirstLine && state.fall == nil && name != "alarm")
            if !told.isEmpty || state.fall == nil { state.fall = told }
            guard isNews, let name, let at, state.falls.count < Self.mostFalls else { return }
            state.falls.append(Event(isFall: true, environment: ["GAITWAY_EVENT": "fall", "GAITWAY_FALL": name, "GAITWAY_AT": at]))
        }
        wanted.raise()
    }

    /// What is to be told next; falls first.
    func next() -> Event? {
        state.withLock { state in
            if !state.falls.isEmpty { return state.falls.removeFirst() }
            guard let change = state.change else { return nil }
            state.change = nil
            let previous = state.previous ?? "unknown"
            state.previous = change.activity
            guard previous != change.activity else { return nil }
            return Event(
                isFall: false,
                environment: [
                    "GAITWAY_EVENT": "change", "GAITWAY_ACTIVITY": change.activity, "GAITWAY_PREVIOUS": previous,
                    "GAITWAY_CONFIDENCE": change.confidence, "GAITWAY_AT": change.at,
                ])
        }
    }
}
