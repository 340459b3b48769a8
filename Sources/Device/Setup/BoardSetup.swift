package import Settings
package import Support

/// What its owner says of a new board: settings, the sensor's overlay, a hub with its token, a broker's password.
package struct BoardSetup: Sendable {
    package var sensor: SensorOverlay?
    package var hub: String?
    /// The hub's bootstrap token.
    package var token: String?
    package var brokerPassword: String?
    private var settings: [(setting: any AnySetting, text: String)] = []

    package init() {}

    /// From a file on the card: settings as in gaitway.toml, and a table `[setup]` with sensor, hub, token and broker_password.
    ///
    /// - Throws: `.configuration` naming file and line, and for a token without a hub or a password without a broker.
    package init(card path: String) throws(Fault) {
        guard Files.isFile(path) else { throw Fault(.noInput, "\(path) is no file") }
        let (found, others) = try Settings.read(path, besides: Self.names)
        settings = found
        (hub, token, brokerPassword) = (others["setup.hub"], others["setup.token"], others["setup.broker_password"])
        if let name = others["setup.sensor"] {
            guard let known = SensorOverlay(rawValue: name) else {
                let names = SensorOverlay.allCases.map(\.rawValue).joined(separator: ", ")
                throw Fault(.configuration, "\(path): there is no overlay for \"\(name)\"", remedy: "There are: \(names).")
            }
            sensor = known
        }
        if let hub { try Self.check(hub) }
        guard token == nil || hub != nil else { throw Fault(.configuration, "\(path): setup.token needs setup.hub, the hub's address") }
        guard brokerPassword == nil || has(\.mqtt.host) else {
            throw Fault(.configuration, "\(path): setup.broker_password needs mqtt.host")
        }
    }

    /// - Throws: `.configuration` for what is no address of a hub.
    package static func check(_ hub: String) throws(Fault) {
        guard hub.hasPrefix("https://"), hub.utf8.count > 8 else {
            throw Fault(.configuration, "\"\(hub)\" is no hub's address", remedy: "Write it as https://host.")
        }
    }

    private static let names = ["setup.sensor", "setup.hub", "setup.token", "setup.broker_password"]

    /// Adds a setting.
    ///
    /// - Throws: `.usage` where the text is no value of it.
    package mutating func set(_ place: PartialKeyPath<SettingValues>, _ text: String) throws(Fault) {
        let setting = Settings.setting(at: place)
        var scratch = SettingValues()
        guard setting.set(text, in: &scratch) else {
            throw Fault(.usage, "\(setting.name) is \"\(text)\"; it takes \(setting.expectation)")
        }
        settings.removeAll { $0.setting.name == setting.name }
        settings.append((setting, text))
    }

    private func has(_ place: PartialKeyPath<SettingValues>) -> Bool { settings.contains { $0.setting.place == place } }

    /// Writes what was said: the password beside the state, settings into `conf.d/setup.toml` beside the main file, over those of a setup
    /// before that it does not name. What `check` refuses is taken back.
    ///
    /// - Parameters:
    ///   - configuration: the main file; /etc/gaitway/gaitway.toml where nil.
    ///   - state: the service's directory.
    ///   - check: looks at the settings that are in force then.
    /// - Returns: the file of settings; nil where none was said.
    /// - Throws: what `check` throws, and those of ``Files/write(_:to:isPrivate:isPublished:)``.
    package func write(
        configuration: String?, state: String, check: (Settings) throws(Fault) -> Void = { (_) throws(Fault) in }
    ) throws(Fault) -> String? {
        var values = settings
        let secret = state + "/mqtt-password", secretBefore = try? Files.read(secret, limit: 1 << 16)
        if let brokerPassword {
            let file = secret
            try OwnersRights.run(in: state) { () throws(Fault) in
                try Files.makeDirectory(state)
                try Files.write(Array(brokerPassword.utf8), to: file, isPrivate: true)
            }
            values.removeAll { $0.setting.place == \SettingValues.mqtt.passwordFile }
            values.append((Settings.setting(at: \.mqtt.passwordFile), file))
        }
        guard !values.isEmpty else { return nil }
        let file = Settings.part("setup", of: configuration), before = try? Files.read(file, limit: 1 << 20)
        // A file of before that cannot be read, as another version's, is replaced, and stays beside the new one.
        let kept = (try? Settings.read(file, besides: []))?.settings
        if let before, kept == nil { try Files.write(before, to: file + ".old") }
        let all = (kept ?? []).filter { old in !values.contains { $0.setting.name == old.setting.name } } + values
        _ = try Settings.write(
            all.map { ($0.setting.place, $0.setting.toml($0.text)) }, as: "setup", origin: "Written by `gaitway setup`.",
            path: configuration)
        do throws(Fault) {
            try check(try Settings(path: configuration))
        } catch {
            if let before { try Files.write(before, to: file) } else { try Files.remove(file) }
            if brokerPassword != nil { try Self.restore(secretBefore, at: secret, in: state) }
            throw error
        }
        return file
    }

    private static func restore(_ secret: [UInt8]?, at file: String, in state: String) throws(Fault) {
        try OwnersRights.run(in: state) { () throws(Fault) in
            if let secret { try Files.write(secret, to: file, isPrivate: true) } else { try Files.remove(file) }
        }
    }
}
