internal import FoundationEssentials

/// Moments as servers write them: ISO 8601.
package enum ISOTime {
    /// UTC, to a second, since Apple's decoders take no fraction: "2026-11-22T09:03:05Z".
    ///
    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - milliseconds: whether they are written: "2026-11-22T09:03:05.250Z".
    package static func text(_ seconds: Double, milliseconds: Bool = false) -> String {
        Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds))
    }

    /// Seconds since 1970. With or without a fraction, of any number of digits; "Z" or an offset; nil for anything else.
    package static func seconds(_ text: String) -> Double? {
        // The library reads three digits of a fraction.
        guard let point = text.firstIndex(of: ".") else { return (try? Date.ISO8601FormatStyle().parse(text))?.timeIntervalSince1970 }
        let digits = text[text.index(after: point)...].prefix(while: \.isNumber), rest = text[digits.endIndex...]
        guard let whole = try? Date.ISO8601FormatStyle().parse(String(text[..<point] + rest)), let fraction = Double("0." + digits) else {
            return nil
        }
        return whole.timeIntervalSince1970 + fraction
    }
}
