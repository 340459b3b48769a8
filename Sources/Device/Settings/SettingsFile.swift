internal import CTOML
internal import Support

/// One TOML file of settings.
enum SettingsFile {
    /// The settings of a file as text, each with its line.
    ///
    /// - Throws: `.configuration` naming file and line for what is not TOML, an unknown key and a value of the wrong type.
    static func read(_ path: String) throws(Fault) -> [(setting: any AnySetting, text: String, line: Int)] {
        var settings: [(setting: any AnySetting, text: String, line: Int)] = []
        for entry in try entries(path) { settings.append(try setting(entry, path)) }
        return settings
    }

    /// The same of a file that may hold texts of other names beside the settings.
    ///
    /// - Returns: the settings, and those of `names` that are there.
    /// - Throws: `.configuration`, for values out of a setting's range, too.
    static func read(
        _ path: String, besides names: [String]
    ) throws(Fault) -> (settings: [(setting: any AnySetting, text: String)], others: [String: String]) {
        var settings: [(setting: any AnySetting, text: String)] = [], others: [String: String] = [:], scratch = SettingValues()
        for entry in try entries(path) {
            // Written "mqtt.host" it is another key to TOML, and the same setting here.
            guard others[entry.key] == nil, !settings.contains(where: { $0.setting.name == entry.key }) else {
                throw Fault(.configuration, "\(path):\(entry.line): \(entry.key) is there twice")
            }
            if names.contains(entry.key) {
                guard entry.type == GW_TOML_STRING, !entry.string.isEmpty else {
                    throw Fault(.configuration, "\(path):\(entry.line): \(entry.key) takes a text in quotes")
                }
                others[entry.key] = entry.string
                continue
            }
            let (setting, text, line) = try setting(entry, path)
            guard setting.set(text, in: &scratch) else {
                throw Fault(.configuration, "\(path):\(line): \(setting.name) takes \(setting.expectation)")
            }
            settings.append((setting, text))
        }
        return (settings, others)
    }

    private static func setting(
        _ entry: Entry, _ path: String
    ) throws(Fault) -> (setting: any AnySetting, text: String, line: Int) {
        guard let setting = Settings.table.first(where: { $0.name == entry.key }) else {
            let meant = Settings.nearest(to: entry.key).map { "Is \($0) meant? " } ?? ""
            throw Fault(
                .configuration, "\(path):\(entry.line): there is no setting \"\(entry.key)\"",
                remedy: meant + "gaitway config explain lists them.")
        }
        guard let text = entry.text(for: setting.form) else {
            throw Fault(.configuration, "\(path):\(entry.line): \(setting.name) takes \(setting.expectation)")
        }
        return (setting, text, entry.line)
    }

    private static func entries(_ path: String) throws(Fault) -> [Entry] {
        let visitor = Visitor()
        var message = [CChar](repeating: 0, count: 256)
        let bytes: [UInt8]
        do throws(Fault) {
            bytes = try Files.read(path, limit: 1 << 20)
        } catch {
            throw Fault(error.code == .permission ? .permission : .configuration, error.message, remedy: error.remedy)
        }
        let line = unsafe bytes.withUnsafeBytes { bytes in
            unsafe gw_toml_read(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                { context, value in
                    guard let context = unsafe context, let value = unsafe value else { return }
                    unsafe Unmanaged<Visitor>.fromOpaque(context).takeUnretainedValue().take(value.pointee)
                }, Unmanaged.passUnretained(visitor).toOpaque(), &message, message.count)
        }
        guard line == 0 else {
            let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw Fault(.configuration, "\(path):\(line): \(reason)", remedy: "The file is TOML: key = value, texts in quotes.")
        }
        return visitor.entries
    }

    private struct Entry {
        var key: String
        var line: Int
        var type: gw_toml_type
        var string: String
        var integer: Int64
        var number: Double

        /// The value as text when its type fits.
        func text(for form: SettingForm) -> String? {
            switch (form, type) {
            case (.text, GW_TOML_STRING): string
            case (.integer, GW_TOML_INTEGER), (.number, GW_TOML_INTEGER): "\(integer)"
            case (.number, GW_TOML_NUMBER): "\(number)"
            case (.boolean, GW_TOML_BOOLEAN): integer == 0 ? "false" : "true"
            default: nil
            }
        }
    }

    private final class Visitor {
        var entries: [Entry] = []

        func take(_ value: gw_toml_value) {
            let string = unsafe value.text.map { unsafe String(cString: $0) } ?? ""
            let key = unsafe String(cString: value.key)
            unsafe entries.append(
                Entry(key: key, line: Int(value.line), type: value.type, string: string, integer: value.integer, number: value.number))
        }
    }
}
