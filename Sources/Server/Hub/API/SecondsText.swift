internal import Support
internal import Synchronization

/// The time as text to the second, made once a second: every answer to a heartbeat has it.
final class SecondsText: Sendable {
    private let last = Mutex((seconds: 0, text: ""))

    func text(_ seconds: Double) -> String {
        last.withLock { last in
            if last.seconds != Int(seconds) { last = (Int(seconds), ISOTime.text(seconds)) }
            return last.text
        }
    }
}
