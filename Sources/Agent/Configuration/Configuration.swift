internal import Glibc
public import Support

/// The settings in force, each with its origin: defaults, then files, then the environment, then flags; what comes later wins.
public struct Configuration: Sendable, Equatable {
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        case fallback
        case file(String, line: Int)
        case environment(String)
        case flag

        public var description: String {
            switch self {
            case .fallback: "default"
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let variable): "environment, \(variable)"
            case .flag: "command line"
            }
        }
    }

    public struct Value: Sendable, Equatable {
        public var text: String
        public var origin: Origin
    }

    public static let defaultPath = "/etc/gaitway/gaitway.toml"

    private var values: [String: Value] = [:]

    /// - Parameters:
    ///   - path: the main file, with `conf.d/*.toml` beside it; /etc/gaitway/gaitway.toml, which need not exist, when nil.
    ///   - environment: the variables to look at.
    ///
    /// Errors: `.configuration` naming file and line, or the variable.
    public init(path: String? = nil, environment: [String: String] = Self.environment) throws(Fault) {
        for setting in Setting.all { values[setting.key] = setting.fallback.map { Value(text: $0, origin: .fallback) } }
        let chosen = path ?? environment["GAITWAY_CONFIG"]
        if let chosen, !Files.exists(chosen) { throw Fault(.configuration, "the configuration file \(chosen) does not exist") }
        for file in try Self.files(chosen ?? Self.defaultPath) {
            for (key, value) in try ConfigurationFile.read(file) { values[key] = value }
        }
        for setting in Setting.all {
            guard let text = environment[setting.variable] else { continue }
            try set(setting, text, origin: .environment(setting.variable))
        }
    }

    /// Writes settings that a program found into a file of its own in `conf.d` beside the main file, which stays as it is.
    ///
    /// - Parameters:
    ///   - path: the main file, as for ``init(path:environment:)``.
    ///   - origin: what to say in the file of where they come from.
    /// Errors: those of ``Files/write(_:to:)``.
    /// Returns: the file.
    public static func write(_ values: [(setting: Setting, text: String)], as name: String, origin: String, path: String?) throws(Fault) -> String {
        let directory = Self.parts(path ?? environment["GAITWAY_CONFIG"] ?? defaultPath), file = "\(directory)/\(name).toml"
        try Files.makeDirectory(directory)
        try Files.write(Array(("# \(origin)\n" + values.map { "\($0.setting.key) = \($0.text)\n" }.joined()).utf8), to: file)
        return file
    }

    public subscript(setting: Setting) -> Value? { values[setting.key] }

    /// Overrides a setting from the command line; nil leaves it.
    ///
    /// Errors: `.usage`.
    public mutating func override(_ setting: Setting, _ text: String?) throws(Fault) {
        if let text { try set(setting, text, origin: .flag) }
    }

    private mutating func set(_ setting: Setting, _ text: String, origin: Origin) throws(Fault) {
        guard setting.accepts(text) else {
            let (code, name): (Fault.Code, String) = origin == .flag ? (.usage, setting.flag) : (.configuration, setting.variable)
            throw Fault(code, "\(name) is \"\(text)\"; it takes \(setting.expectation)")
        }
        values[setting.key] = Value(text: text, origin: origin)
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
    public static var environment: [String: String] {
        var found: [String: String] = [:]
        for setting in Setting.all { found[setting.variable] = variable(setting.variable) }
        found["GAITWAY_CONFIG"] = variable("GAITWAY_CONFIG")
        return found
    }

    private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
