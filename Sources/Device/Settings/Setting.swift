package import Recognition
package import Sensing
package import Support

/// A type that a setting can have: how its text is read, in a file, the environment and on the command line alike.
package protocol SettingValue: Sendable, Equatable {
    /// What a value must be, for messages: "a whole number".
    static var expectation: String { get }
    /// The TOML type that a file writes it as.
    static var form: SettingForm { get }
    /// nil when the text is none.
    init?(setting text: String)
    var settingText: String { get }
}

package enum SettingForm: Sendable { case text, boolean, integer, number }

extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    package static var expectation: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }
    package static var form: SettingForm { .text }
    package init?(setting text: String) { self.init(rawValue: text) }
    package var settingText: String { rawValue }
}

extension SettingValues.LogLevel: SettingValue {}
extension SettingValues.Content: SettingValue {}
extension ConfiguredWearing.Axis: SettingValue {}
extension FallSensitivity: SettingValue {}

extension String: SettingValue {
    package static var expectation: String { "a text in quotes" }
    package static var form: SettingForm { .text }
    package init?(setting text: String) {
        guard !text.isEmpty else { return nil }
        self = text
    }
    package var settingText: String { self }
}

extension Bool: SettingValue {
    package static var expectation: String { "true or false" }
    package static var form: SettingForm { .boolean }
    package init?(setting text: String) {
        guard let found = ["true": true, "false": false][text] else { return nil }
        self = found
    }
    package var settingText: String { self ? "true" : "false" }
}

extension Int: SettingValue {
    package static var expectation: String { "a whole number" }
    package static var form: SettingForm { .integer }
    package init?(setting text: String) { self.init(text) }
    package var settingText: String { "\(self)" }
}

extension Double: SettingValue {
    package static var expectation: String { "a number" }
    package static var form: SettingForm { .number }
    package init?(setting text: String) { self.init(text) }
    package var settingText: String { self == rounded() && magnitude < 1e6 ? "\(Int(self))" : "\(self)" }
}

extension QuietHours: SettingValue {
    package static var expectation: String { "quiet hours, two local times as \"22:00-06:30\"" }
    package static var form: SettingForm { .text }
    package init?(setting text: String) {
        guard let found = try? QuietHours(text) else { return nil }
        self = found
    }
    package var settingText: String { text }
}

/// A row of the table of settings, whatever its type.
package protocol AnySetting: Sendable {
    /// "upload.max_files"
    var name: String { get }
    /// Of numbers: "seconds"; empty for none.
    var unit: String { get }
    var help: String { get }
    var form: SettingForm { get }
    var expectation: String { get }
    /// Where its value is.
    var place: PartialKeyPath<SettingValues> { get }
    /// As text; nil where the program decides.
    var fallback: String? { get }
    /// Takes a text as the value. Returns false, and changes nothing, when it cannot be.
    func set(_ text: String, in values: inout SettingValues) -> Bool
}

extension AnySetting {
    /// GAITWAY_LOG_LEVEL for log_level.
    package var variable: String { "GAITWAY_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }

    /// A value as a TOML file has it.
    package func toml(_ text: String) -> String {
        guard form == .text else { return text }
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{0}"..."\u{1f}", "\u{7f}": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// --log-level for log_level.
    package var flag: String { "--" + name.map { $0 == "_" ? "-" : String($0) }.joined() }
}

/// A thing that can be set: its name, type, range, unit and help. Its default is that of ``SettingValues``.
package struct Setting<Value: SettingValue>: AnySetting {
    private enum Path: Sendable {
        case always(WritableKeyPath<SettingValues, Value> & Sendable)
        case optional(WritableKeyPath<SettingValues, Value?> & Sendable)
    }

    package let name: String
    package let unit: String
    package let help: String
    private let path: Path
    private let range: String?
    private let isWithin: @Sendable (Value) -> Bool

    package init(_ name: String, _ path: WritableKeyPath<SettingValues, Value> & Sendable, unit: String = "", _ help: String) {
        (self.name, self.path, self.unit, self.help, range, isWithin) = (name, .always(path), unit, help, nil, { _ in true })
    }

    /// Without a default.
    package init(_ name: String, _ path: WritableKeyPath<SettingValues, Value?> & Sendable, unit: String = "", _ help: String) {
        (self.name, self.path, self.unit, self.help, range, isWithin) = (name, .optional(path), unit, help, nil, { _ in true })
    }

    package init(
        _ name: String, _ path: WritableKeyPath<SettingValues, Value> & Sendable, _ range: ClosedRange<Value>, unit: String = "",
        _ help: String
    ) where Value: Comparable {
        (self.name, self.path, self.unit, self.help) = (name, .always(path), unit, help)
        (self.range, isWithin) = ("\(range.lowerBound) to \(range.upperBound)", { range.contains($0) })
    }

    package init(
        _ name: String, _ path: WritableKeyPath<SettingValues, Value?> & Sendable, _ range: ClosedRange<Value>, unit: String = "",
        _ help: String
    ) where Value: Comparable {
        (self.name, self.path, self.unit, self.help) = (name, .optional(path), unit, help)
        (self.range, isWithin) = ("\(range.lowerBound) to \(range.upperBound)", { range.contains($0) })
    }

    package var form: SettingForm { Value.form }
    package var expectation: String { Value.expectation + (range.map { " from \($0)" } ?? "") }

    package var place: PartialKeyPath<SettingValues> {
        switch path {
        case .always(let path): path
        case .optional(let path): path
        }
    }

    package var fallback: String? {
        switch path {
        case .always(let path): SettingValues()[keyPath: path].settingText
        case .optional: nil
        }
    }

    package func set(_ text: String, in values: inout SettingValues) -> Bool {
        guard let value = Value(setting: text), isWithin(value) else { return false }
        switch path {
        case .always(let path): values[keyPath: path] = value
        case .optional(let path): values[keyPath: path] = value
        }
        return true
    }
}
