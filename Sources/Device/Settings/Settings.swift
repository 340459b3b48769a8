internal import Glibc
package import Support

/// The settings in force, each parsed once and with its origin: defaults, then files, then the environment, then flags; what comes later
/// wins.
@dynamicMemberLookup
package struct Settings: Sendable, Equatable {
    package enum Origin: Sendable, Equatable, CustomStringConvertible {
        case fallback
        case file(String, line: Int)
        case environment(String)
        case flag

        package var description: String {
            switch self {
            case .fallback: "default"
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let variable): "environment, \(variable)"
            case .flag: "command line"
            }
        }
    }

    /// A setting's text as it was given.
    package struct Entry: Sendable, Equatable {
        package var text: String
        package var origin: Origin

        package init(text: String, origin: Origin) { (self.text, self.origin) = (text, origin) }
    }

    package static let defaultPath = "/etc/gaitway/gaitway.toml"

    package private(set) var values = SettingValues()
    private var entries: [String: Entry] = [:]

    /// `settings.upload.minutes`
    package subscript<Value>(dynamicMember path: KeyPath<SettingValues, Value>) -> Value { values[keyPath: path] }

    /// - Parameters:
    ///   - path: the main file, with `conf.d/*.toml` beside it; /etc/gaitway/gaitway.toml, which need not exist, when nil.
    ///   - environment: the variables to look at.
    /// - Throws: `.configuration` naming file and line, or the variable.
    package init(path: String? = nil, environment: [String: String] = Self.environment) throws(Fault) {
        let chosen = path ?? environment["GAITWAY_CONFIG"]
        if let chosen, !Files.exists(chosen) { throw Fault(.configuration, "the configuration file \(chosen) does not exist") }
        for file in try Self.files(chosen ?? Self.defaultPath) {
            for (setting, text, line) in try SettingsFile.read(file) {
                guard set(setting, text, .file(file, line: line)) else {
                    throw Fault(.configuration, "\(file):\(line): \(setting.name) takes \(setting.expectation)")
                }
            }
        }
        for setting in Self.table {
            guard let text = environment[setting.variable] else { continue }
            guard set(setting, text, .environment(setting.variable)) else {
                throw Self.refusal(.configuration, setting.variable, text, setting)
            }
        }
    }

    /// Writes settings that a program found into a file of its own in `conf.d` beside the main file, which stays as it is.
    ///
    /// - Parameters:
    ///   - path: the main file, as for ``init(path:environment:)``.
    ///   - origin: what to say in the file of where they come from.
    /// - Returns: the file.
    /// - Throws: those of ``Files/write(_:to:)``.
    package static func write(
        _ values: [(place: PartialKeyPath<SettingValues>, text: String)], as name: String, origin: String, path: String?
    ) throws(Fault) -> String {
        let file = part(name, of: path)
        try Files.makeDirectory(parts(path ?? environment["GAITWAY_CONFIG"] ?? defaultPath), isPrivate: false)
        try Files.write(Array(("# \(origin)\n" + values.map { "\(setting(at: $0.place).name) = \($0.text)\n" }.joined()).utf8), to: file)
        return file
    }

    /// The file of that name in `conf.d` beside the main one.
    package static func part(_ name: String, of path: String?) -> String {
        "\(parts(path ?? environment["GAITWAY_CONFIG"] ?? defaultPath))/\(name).toml"
    }

    /// The settings of a file from elsewhere, checked, and the texts of `names` that stand in it beside them. Nothing of it is in force.
    ///
    /// - Throws: `.configuration` naming file and line.
    package static func read(
        _ path: String, besides names: [String]
    ) throws(Fault) -> (settings: [(setting: any AnySetting, text: String)], others: [String: String]) {
        try SettingsFile.read(path, besides: names)
    }

    /// The row of the table for a value; a value without one is found by the test of the table.
    package static func setting(at place: PartialKeyPath<SettingValues>) -> any AnySetting {
        table.first { $0.place == place } ?? table[0]
    }

    /// What was given, or the default; nil where neither is.
    package func entry(_ setting: any AnySetting) -> Entry? {
        entries[setting.name] ?? setting.fallback.map { Entry(text: $0, origin: .fallback) }
    }

    /// The same by the value's place.
    package func entry(_ place: PartialKeyPath<SettingValues>) -> Entry? { entry(Self.setting(at: place)) }

    /// Overrides a setting from the command line; nil leaves it.
    ///
    /// - Throws: `.usage`.
    package mutating func override(_ place: PartialKeyPath<SettingValues>, _ text: String?) throws(Fault) {
        let setting = Self.setting(at: place)
        guard let text, !set(setting, text, .flag) else { return }
        throw Self.refusal(.usage, setting.flag, text, setting)
    }

    private mutating func set(_ setting: any AnySetting, _ text: String, _ origin: Origin) -> Bool {
        guard setting.set(text, in: &values) else { return false }
        entries[setting.name] = Entry(text: text, origin: origin)
        return true
    }

    private static func refusal(_ code: Fault.Code, _ name: String, _ text: String, _ setting: any AnySetting) -> Fault {
        Fault(code, "\(name) is \"\(text)\"; it takes \(setting.expectation)")
    }

    // The main file, then those of conf.d by name.
    private static func files(_ main: String) throws(Fault) -> [String] {
        let directory = parts(main)
        let parts = Files.isDirectory(directory) ? try Files.list(directory).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") } : []
        return (Files.exists(main) ? [main] : []) + parts.map { "\(directory)/\($0)" }
    }

    // Where the smaller files beside the main one are.
    private static func parts(_ main: String) -> String { (main.lastIndex(of: "/").map { String(main[..<$0]) } ?? ".") + "/conf.d" }

    /// This process's variables that begin with GAITWAY_.
    package static var environment: [String: String] {
        var found: [String: String] = [:]
        for setting in table { found[setting.variable] = variable(setting.variable) }
        found["GAITWAY_CONFIG"] = variable("GAITWAY_CONFIG")
        return found
    }

    private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
