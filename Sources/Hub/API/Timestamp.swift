internal import FoundationEssentials

/// Times as the API writes them.
enum Timestamp {
    /// - Parameter seconds: since 1970.
    static func text(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

extension Timestamp {
    /// Seconds since 1970; nil for what is no ISO 8601.
    static func seconds(_ text: String) -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return (try? style.parse(text))?.timeIntervalSince1970
    }
}
