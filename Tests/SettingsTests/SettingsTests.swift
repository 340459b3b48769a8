import Glibc
import Support
import Testing

@testable import Settings

/// A directory with gaitway.toml and, in conf.d, others.
private func write(_ main: String, parts: [String: String] = [:]) throws -> String {
    let directory = "/tmp/gaitway-configuration-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    mkdir(directory, 0o700)
    mkdir(directory + "/conf.d", 0o700)
    try Files.write(Array(main.utf8), to: directory + "/gaitway.toml")
    for (name, text) in parts { try Files.write(Array(text.utf8), to: "\(directory)/conf.d/\(name)") }
    return directory + "/gaitway.toml"
}

private func refusal(_ main: String, environment: [String: String] = [:]) throws -> Fault? {
    let path = try write(main)
    do { _ = try Settings(path: path, environment: environment) } catch { return error }
    return nil
}

@Suite struct SettingsTests {
    @Test func laterLayersWin() throws {
        let path = try write(
            "source = \"iio:a\"\nagreement = 3\nthreshold = 0.25\n",
            parts: ["20-b.toml": "agreement = 5", "10-a.toml": "agreement = 4\nlog_level = \"info\"", "30-c.conf": "nonsense"])
        var settings = try Settings(path: path, environment: ["GAITWAY_THRESHOLD": "0.75"])
        try settings.override(\.source, "simulated")
        try settings.override(\.model, nil)
        #expect(settings.entry(\.source) == .init(text: "simulated", origin: .flag))
        #expect(settings.entry(\.agreement)?.text == "5")
        #expect(settings.entry(\.agreement)?.origin.description.hasSuffix("/conf.d/20-b.toml:1") == true)
        #expect(settings.entry(\.threshold) == .init(text: "0.75", origin: .environment("GAITWAY_THRESHOLD")))
        #expect(settings.entry(\.logLevel)?.text == "info")
        #expect(settings.entry(\.model) == nil)
        #expect(try Settings(path: try write(""), environment: [:]).entry(\.agreement) == .init(text: "2", origin: .fallback))
    }

    @Test func everyKeyIsRefusedWhenItsValueIsWrong() throws {
        var wrong: [String: [String]] = [
            "source": ["5", "true", "\"\"", "[\"iio\"]", "1979-05-27"], "model": ["5", "\"\""], "recordings": ["5", "\"\""],
            "trusted_key": ["5", "\"\""], "sleep_minutes": ["-1", "1441", "\"5\""], "latency": ["-1", "21", "\"5\""],
            "range": ["-1", "65", "\"8\""],
            "agreement": ["\"3\"", "0", "101", "2.5", "true"],
            "threshold": ["\"0.5\"", "1.5", "-1", "nan", "true"], "log_level": ["\"loud\"", "3"],
            "placement": ["5", "\"\""], "up": ["\"w\"", "1", "\"\""], "forward": ["\"+x\"", "2"],
        ]
        for key in [
            "spool", "user", "bucket", "table", "region", "endpoint", "identity_pool", "credentials", "configuration", "public_key",
            "quiet_hours",
        ] { wrong["upload.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["max_megabytes", "max_files", "max_days", "keep_free_megabytes", "kilobytes_per_second"] {
            wrong["upload.\(key)"] = ["-1", "\"5\"", "1.5", "true"]
        }
        (wrong["upload.enabled"], wrong["upload.content"], wrong["upload.minutes"]) = (
            ["1", "\"true\"", "0"], ["\"all\"", "3"], ["0", "\"1\"", "2000"]
        )
        for key in ["source", "token_file", "model", "program", "quiet_hours"] { wrong["updates.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["interval", "shadow_windows", "probation_windows", "max_kilobytes", "timeout", "retry"] {
            wrong["updates.\(key)"] = ["0", "\"5\"", "1.5", "true"]
        }
        for key in ["database", "quiet_hours"] { wrong["crowd.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["interval", "min_battery", "max_temperature", "epsilon_limit", "epsilon_per_day", "min_noise", "min_batch"] {
            wrong["crowd.\(key)"] = ["-1", "\"5\"", "10000000000", "true"]
        }
        for key in [
            "crowd.enabled", "crowd.allow_hidden_layers", "updates.enabled", "updates.allow_unsigned", "updates.ask", "fleet.telemetry",
            "falls.enabled", "history.enabled",
        ] { wrong[key] = ["1", "\"true\""] }
        (wrong["falls.sensitivity"], wrong["falls.model"], wrong["history.directory"]) = (["\"all\"", "3"], ["5", "\"\""], ["5", "\"\""])
        for key in ["metrics.textfile", "hooks.on_change", "hooks.on_fall"] { wrong[key] = ["5", "\"\"", "true"] }
        wrong["hooks.timeout"] = ["0", "3601", "\"5\"", "true"]
        for key in ["host", "name", "user", "password_file", "ca_file", "certificate", "key", "prefix", "discovery"] {
            wrong["mqtt.\(key)"] = ["5", "\"\"", "true"]
        }
        (wrong["mqtt.tls"], wrong["mqtt.port"]) = (["1", "\"true\""], ["0", "65536", "\"1883\"", "true"])
        for key in ["falls.confirm_seconds", "falls.cancel_seconds", "history.days"] { wrong[key] = ["-1", "\"5\"", "1000000", "true"] }
        #expect(Set(wrong.keys) == Set(Settings.table.map { (setting: any AnySetting) in setting.name }), "every setting is tried")
        for (key, values) in wrong {
            for value in values {
                let fault = try #require(try refusal("# first\n\n\(key) = \(value)\n"), "\(key) = \(value)")
                #expect(fault.code == .configuration && fault.message.contains("gaitway.toml:3: \(key) takes"), "\(fault)")
            }
        }
    }

    @Test(arguments: ["sorce = \"iio\"", "[source]\nname = \"iio\"", "agreement.windows = 3"]) func anUnknownKeyIsNamedWithItsLine(
        text: String
    ) throws {
        let fault = try #require(try refusal(text))
        #expect(fault.code == .configuration && fault.message.contains("there is no setting") && fault.message.contains("gaitway.toml:"))
    }

    @Test(arguments: [("upload.enbled = true", "upload.enabled"), ("agrement = 3", "agreement"), ("mqtt.hosts = \"a\"", "mqtt.host")])
    func whatIsMeantIsNamed(text: String, name: String) throws {
        #expect(try #require(try refusal(text)).remedy?.hasPrefix("Is \(name) meant?") == true)
    }

    @Test func misspeltVariablesAreNamedAndOthersAreNot() {
        setenv("GAITWAY_UPLOD_ENABLED", "true", 1)
        setenv("GAITWAY_SOMETHING_ELSE_ENTIRELY", "1", 1)
        defer {
            unsetenv("GAITWAY_UPLOD_ENABLED")
            unsetenv("GAITWAY_SOMETHING_ELSE_ENTIRELY")
        }
        let found = Settings.misspelt.filter { $0.variable.hasPrefix("GAITWAY_UPLOD") || $0.variable.hasPrefix("GAITWAY_SOME") }
        #expect(found.map(\.variable) == ["GAITWAY_UPLOD_ENABLED"] && found.map(\.meant) == ["GAITWAY_UPLOAD_ENABLED"])
    }

    @Test(arguments: ["agreement = ", "agreement = 3\nagreement = 4", "= 3", "source = \"iio", "\u{0}", "[[[", "a = {"])
    func whatIsNotTOMLIsRefusedWithItsLine(text: String) throws {
        let fault = try #require(try refusal(text))
        #expect(fault.code == .configuration && fault.message.contains("gaitway.toml:"), "\(fault)")
    }

    @Test func theEnvironmentIsCheckedToo() throws {
        for setting in Settings.table where setting.expectation != String.expectation {
            let fault = try #require(try refusal("", environment: [setting.variable: "wrong"]))
            #expect(fault.code == .configuration && fault.message.contains(setting.variable))
        }
        #expect(throws: Fault.self) { _ = try Settings(path: "/no/such/gaitway.toml", environment: [:]) }
    }

    /// Any bytes are either a configuration or a fault.
    @Test func randomBytesNeverTrap() throws {
        var random = RandomNumbers(seed: 7)
        let seed = Array("source = \"iio\"\nagreement = 3\n[a.b]\nc = [1, 2, {d = 1e3}]\nt = 1979-05-27T07:32:00Z\n".utf8),
            path = try write("")
        for _ in 0..<300 {
            var bytes = seed
            for _ in 0..<(1 + random.below(6)) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            bytes.removeLast(random.below(bytes.count))
            try Files.write(bytes, to: path)
            do { _ = try Settings(path: path, environment: [:]) } catch { #expect(error.code == .configuration) }
        }
    }

    /// A value that no row of the table names could not be set.
    @Test func noValueIsLeftOutOfTheTable() throws {
        func names(_ value: Any) -> [String] {
            Mirror(reflecting: value).children.flatMap { child -> [String] in
                let label = child.label ?? "",
                    isGroup =
                        child.value is SettingValues.Upload || child.value is SettingValues.Updates || child.value is SettingValues.Fleet
                        || child.value is SettingValues.Crowd || child.value is SettingValues.MQTT || child.value is SettingValues.Falls
                        || child.value is SettingValues.History || child.value is SettingValues.Metrics
                        || child.value is SettingValues.Hooks
                return isGroup ? names(child.value).map { "\(label).\($0)" } : [label]
            }
        }
        // log_level is the row of logLevel.
        func camel(_ name: String) -> String {
            name.split(separator: "_").enumerated().map {
                $0.offset == 0 ? String($0.element) : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
            }.joined()
        }
        #expect(Set(names(SettingValues())) == Set(Settings.table.map { (setting: any AnySetting) in camel(setting.name) }))
        #expect(Set(Settings.table.map { (setting: any AnySetting) in setting.place }).count == Settings.table.count)
    }

    @Test func everyDefaultIsTheValueThatItSays() throws {
        for setting in Settings.table {
            guard let fallback = setting.fallback else { continue }
            var values = SettingValues()
            #expect(setting.set(fallback, in: &values) && values == SettingValues(), "\(setting.name) = \(fallback)")
        }
    }

    @Test func valuesAreParsedOnce() throws {
        let path = try write(
            "[upload]\nquiet_hours = \"22:00-06:30\"\ncontent = \"features-80\"\nminutes = 2.5\n[crowd]\nepsilon_limit = 1\n")
        let settings = try Settings(path: path, environment: ["GAITWAY_UPLOAD_MAX_FILES": "7", "GAITWAY_FLEET_TELEMETRY": "false"])
        #expect(
            settings.upload.quietHours == (try QuietHours("22:00-06:30")) && settings.upload.content == .features80
                && settings.upload.minutes == 2.5)
        #expect(settings.upload.maxFiles == 7 && !settings.fleet.telemetry && settings.crowd.epsilonLimit == 1 && settings.source == nil)
        #expect(settings.entry(\.upload.minutes)?.text == "2.5")
    }
}
