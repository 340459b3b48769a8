internal import FoundationEssentials
internal import Synchronization

/// Times as the API writes them.
enum Timestamp {
    /// - Parameter seconds: since 1970.
    static func text(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

/// The same to the second, made once a second.
final class SecondsText: Sendable {
    private let last = Mutex((seconds: 0, text: ""))

    func text(_ seconds: Double) -> String {
        last.withLock { last in
            if last.seconds != Int(seconds) { last = (Int(seconds), Timestamp.text(seconds.rounded(.down))) }
            return last.text
        }
    }
}

extension Timestamp {
    /// Seconds since 1970; nil for what is no ISO 8601.
    static func seconds(_ text: String) -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return (try? style.parse(text))?.timeIntervalSince1970
    }
}
