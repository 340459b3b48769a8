/// A thing that can be configured: in a file under `key`, in the environment under `variable`, on the command line as `flag`.
public struct Setting: Sendable {
    public enum Kind: Sendable {
        case text
        case boolean
        case choice([String])
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
    }

    public let key: String
    public let kind: Kind
    /// What holds without any configuration; nil when the program decides.
    public let fallback: String?
    public let help: String

    /// GAITWAY_LOG_LEVEL for log_level.
    public var variable: String { "GAITWAY_" + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }

    /// --log-level for log_level.
    public var flag: String { "--" + key.map { $0 == "_" ? "-" : String($0) }.joined() }

    /// Every setting that there is.
    public static let all: [Setting] = [source, model, trustedKey, recordings, agreement, threshold, logLevel] + upload + fleet + crowd

    public static let source = Setting(key: "source", kind: .text, fallback: nil, help: "where samples come from: iio, iio:NAME, simulated, ...")
    public static let model = Setting(key: "model", kind: .text, fallback: nil, help: "the network to run, a file")
    public static let trustedKey = Setting(key: "trusted_key", kind: .text, fallback: nil, help: "a public key (PEM); only models that it signed are run")
    public static let recordings = Setting(key: "recordings", kind: .text, fallback: "recordings", help: "the directory of labelled recordings")
    public static let agreement = Setting(key: "agreement", kind: .integer(1...100), fallback: "2", help: "windows in a row that must agree before the activity changes")
    public static let threshold = Setting(key: "threshold", kind: .number(0...1), fallback: "0.5", help: "confidence below which a window counts as unknown")
    public static let logLevel = Setting(key: "log_level", kind: .choice(["debug", "info", "notice", "warning", "error"]), fallback: "notice", help: "the least important messages to show")

    /// What a value must be, for messages.
    var expectation: String {
        switch kind {
        case .text: "a text in quotes"
        case .boolean: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// Whether `text` can be its value.
    func accepts(_ text: String) -> Bool {
        switch kind {
        case .text: !text.isEmpty
        case .boolean: text == "true" || text == "false"
        case .choice(let words): words.contains(text)
        case .integer(let range): Int(text).map(range.contains) ?? false
        case .number(let range): Double(text).map(range.contains) ?? false
        }
    }
}
