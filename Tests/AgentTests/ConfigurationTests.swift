import Glibc
import Support
import Testing

@testable import Agent

/// A directory with gaitway.toml and, in conf.d, others.
private func write(_ main: String, parts: [String: String] = [:]) throws -> String {
    let directory = "/tmp/gaitway-configuration-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    mkdir(directory, 0o700)
    mkdir(directory + "/conf.d", 0o700)
    try Files.write(Array(main.utf8), to: directory + "/gaitway.toml")
    for (name, text) in parts { try Files.write(Array(text.utf8), to: "\(directory)/conf.d/\(name)") }
    return directory + "/gaitway.toml"
}

private func complaint(_ main: String, environment: [String: String] = [:]) throws -> Fault? {
    let path = try write(main)
    do { _ = try Configuration(path: path, environment: environment) } catch { return error }
    return nil
}

@Suite struct ConfigurationTests {
    @Test func laterLayersWin() throws {
        let path = try write("source = \"iio:a\"\nagreement = 3\nthreshold = 0.25\n", parts: ["20-b.toml": "agreement = 5", "10-a.toml": "agreement = 4\nlog_level = \"info\"", "30-c.conf": "nonsense"])
        var configuration = try Configuration(path: path, environment: ["GAITWAY_THRESHOLD": "0.75"])
        try configuration.override(.source, "simulated")
        try configuration.override(.model, nil)
        #expect(configuration[.source] == .init(text: "simulated", origin: .flag))
        #expect(configuration[.agreement]?.text == "5")
        #expect(configuration[.agreement]?.origin.description.hasSuffix("/conf.d/20-b.toml:1") == true)
        #expect(configuration[.threshold] == .init(text: "0.75", origin: .environment("GAITWAY_THRESHOLD")))
        #expect(configuration[.logLevel]?.text == "info")
        #expect(configuration[.model] == nil)
        #expect(try Configuration(path: try write(""), environment: [:])[.agreement] == .init(text: "2", origin: .fallback))
    }

    @Test func everyKeyIsRefusedWhenItsValueIsWrong() throws {
        var wrong: [String: [String]] = [
            "source": ["5", "true", "\"\"", "[\"iio\"]", "1979-05-27"], "model": ["5", "\"\""], "recordings": ["5", "\"\""], "trusted_key": ["5", "\"\""], "agreement": ["\"3\"", "0", "101", "2.5", "true"],
            "threshold": ["\"0.5\"", "1.5", "-1", "nan", "true"], "log_level": ["\"loud\"", "3"],
        ]
        for key in ["spool", "user", "bucket", "table", "region", "endpoint", "identity_pool", "credentials", "configuration", "quiet_hours"] { wrong["upload.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["max_megabytes", "max_files", "max_days", "keep_free_megabytes", "kilobytes_per_second"] { wrong["upload.\(key)"] = ["-1", "\"5\"", "1.5", "true"] }
        (wrong["upload.enabled"], wrong["upload.content"], wrong["upload.minutes"]) = (["1", "\"true\"", "0"], ["\"all\"", "3"], ["0", "\"1\"", "2000"])
        for key in ["source", "model", "quiet_hours"] { wrong["updates.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["interval", "shadow_windows", "probation_windows", "max_kilobytes", "timeout", "retry"] { wrong["updates.\(key)"] = ["0", "\"5\"", "1.5", "true"] }
        for key in ["database", "quiet_hours"] { wrong["crowd.\(key)"] = ["5", "\"\"", "true"] }
        for key in ["interval", "min_battery", "max_temperature", "epsilon_limit"] { wrong["crowd.\(key)"] = ["-1", "\"5\"", "10000000000", "true"] }
        for key in ["crowd.enabled", "updates.enabled", "updates.allow_unsigned", "fleet.telemetry"] { wrong[key] = ["1", "\"true\""] }
        #expect(Set(wrong.keys) == Set(Setting.all.map(\.key)), "every setting is tried")
        for (key, values) in wrong {
            for value in values {
                let fault = try #require(try complaint("# first\n\n\(key) = \(value)\n"), "\(key) = \(value)")
                #expect(fault.code == .configuration && fault.message.contains("gaitway.toml:3: \(key) takes"), "\(fault)")
            }
        }
    }

    @Test(arguments: ["sorce = \"iio\"", "[source]\nname = \"iio\"", "agreement.windows = 3"]) func anUnknownKeyIsNamedWithItsLine(text: String) throws {
        let fault = try #require(try complaint(text))
        #expect(fault.code == .configuration && fault.message.contains("there is no setting") && fault.message.contains("gaitway.toml:"))
    }

    @Test(arguments: ["agreement = ", "agreement = 3\nagreement = 4", "= 3", "source = \"iio", "\u{0}", "[[[", "a = {"]) func whatIsNotTOMLIsRefusedWithItsLine(text: String) throws {
        let fault = try #require(try complaint(text))
        #expect(fault.code == .configuration && fault.message.contains("gaitway.toml:"), "\(fault)")
    }

    @Test func theEnvironmentIsCheckedToo() throws {
        for setting in Setting.all {
            if case .text = setting.kind { continue }
            let fault = try #require(try complaint("", environment: [setting.variable: "wrong"]))
            #expect(fault.code == .configuration && fault.message.contains(setting.variable))
        }
        #expect(throws: Fault.self) { _ = try Configuration(path: "/no/such/gaitway.toml", environment: [:]) }
    }

    /// Any bytes are either a configuration or a fault.
    @Test func randomBytesNeverTrap() throws {
        var random = RandomNumbers(seed: 7)
        let seed = Array("source = \"iio\"\nagreement = 3\n[a.b]\nc = [1, 2, {d = 1e3}]\nt = 1979-05-27T07:32:00Z\n".utf8), path = try write("")
        for _ in 0..<300 {
            var bytes = seed
            for _ in 0..<(1 + random.below(6)) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            bytes.removeLast(random.below(bytes.count))
            try Files.write(bytes, to: path)
            do { _ = try Configuration(path: path, environment: [:]) } catch { #expect(error.code == .configuration) }
        }
    }
}

@Suite(.serialized) struct ServiceNotifierTests {
    /// What systemd would hear.
    private func messages(socket name: String, _ body: () -> Void) -> [String] {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un(), path = Array(name.utf8)
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        unlink(name)
        let bound = withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(2 + path.count)) } }
        #expect(bound == 0)
        setenv("NOTIFY_SOCKET", name, 1)
        setenv("WATCHDOG_USEC", "200000", 1)
        body()
        unsetenv("NOTIFY_SOCKET")
        unsetenv("WATCHDOG_USEC")
        var heard: [String] = [], buffer = [UInt8](repeating: 0, count: 512)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { heard.append(String(decoding: buffer.prefix(count), as: UTF8.self)) }
        return heard
    }

    @Test(arguments: ["/tmp/gaitway-notify-test.sock", "@gaitway-notify-test"]) func systemdHears(socket: String) {
        let heard = messages(socket: socket) {
            var notifier = ServiceNotifier()
            notifier.ready("lis3dh")
            notifier.progress()
            notifier.progress() // too soon: not said again
            usleep(120_000)
            notifier.progress()
            notifier.stopping()
        }
        #expect(heard == ["READY=1\nSTATUS=lis3dh", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test func withoutSystemdNothingHappens() {
        var notifier = ServiceNotifier()
        notifier.ready("x")
        notifier.progress()
    }
}
