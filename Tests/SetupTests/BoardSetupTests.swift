import Glibc
import Settings
import Support
import Testing

@testable import Setup

/// A directory of its own.
private func directory() throws -> String {
    let path = "/tmp/gaitway-setup-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try Files.makeDirectory(path)
    return path
}

private func text(_ path: String) throws -> String { String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self) }

private func card(_ text: String) throws -> String {
    let path = try directory() + "/gaitway.toml"
    try Files.write(Array(text.utf8), to: path)
    return path
}

private func refusal(_ text: String) throws -> Fault? {
    let file = try card(text)
    do { _ = try BoardSetup(card: file) } catch { return error }
    return nil
}

@Suite struct BoardSetupTests {
    @Test func aCardsFileBecomesSettingsAndSecretsStayPrivate() throws {
        let setup = try BoardSetup(
            card: try card(
                """
                placement = "pocket"
                sleep_minutes = 7
                [mqtt]
                host = "a\\"b"
                user = "board"
                [falls]
                enabled = false
                [setup]
                sensor = "lis3dh"
                hub = "https://hub.example.org"
                token = "abc"
                broker_password = "secret"
                """))
        #expect(setup.sensor == .lis3dh && setup.hub == "https://hub.example.org" && setup.token == "abc")
        let place = try directory()
        _ = try main(place)
        let file = try #require(try setup.write(configuration: place + "/gaitway.toml", state: place + "/state"))
        #expect(try !text(file).contains("secret"))
        #expect(try text(place + "/state/mqtt-password") == "secret")
        #expect(try Files.isPrivate(place + "/state/mqtt-password"))
        let settings = try Settings(path: nil, environment: ["GAITWAY_CONFIG": try main(place)])
        #expect(settings.placement == "pocket" && settings.sleepMinutes == 7 && !settings.falls.enabled)
        #expect(settings.mqtt.host == "a\"b" && settings.mqtt.user == "board")
        #expect(settings.mqtt.passwordFile == place + "/state/mqtt-password")
    }

    // The settings' own file stays as it is.
    private func main(_ place: String) throws -> String {
        try Files.write([], to: place + "/gaitway.toml")
        return place + "/gaitway.toml"
    }

    @Test func theSameAgainIsTheSame() throws {
        let place = try directory()
        _ = try main(place)
        var setup = BoardSetup()
        try setup.set(\.placement, "wrist")
        let file = try #require(try setup.write(configuration: place + "/gaitway.toml", state: place))
        let once = try text(file)
        _ = try setup.write(configuration: place + "/gaitway.toml", state: place)
        #expect(try text(file) == once)
        #expect(try BoardSetup().write(configuration: place + "/gaitway.toml", state: place) == nil)
    }

    @Test(arguments: [
        ("placement = 3", "gaitway.toml:1: placement takes"),
        ("sleep_minutes = -4", "gaitway.toml:1: sleep_minutes takes"),
        ("nonsense = 1", "gaitway.toml:1: there is no setting"),
        ("[setup]\nsensor = \"bme280\"", "no overlay for \"bme280\""),
        ("[setup]\nsensor = 4", "gaitway.toml:2: setup.sensor takes a text"),
        ("[setup]\ntoken = \"abc\"", "setup.token needs setup.hub"),
        ("[setup]\nbroker_password = \"abc\"", "needs mqtt.host"),
        ("placement = ", "gaitway.toml:1:"),
    ])
    func aWrongCardIsRefused(_ written: String, _ message: String) throws {
        let fault = try #require(try refusal(written))
        #expect(fault.code == .configuration && fault.message.contains(message), "\(fault)")
    }

    @Test func whatTheCheckRefusesIsTakenBack() throws {
        let place = try directory(), configuration = try main(place)
        var first = BoardSetup(), second = BoardSetup()
        try first.set(\.placement, "wrist")
        try second.set(\.logLevel, "debug")
        let file = try #require(try first.write(configuration: configuration, state: place))
        let before = try text(file)
        var seen: Settings?
        #expect(throws: Fault.self) {
            try second.write(configuration: configuration, state: place) { settings throws(Fault) in
                seen = settings
                throw Fault(.badData, "no")
            }
        }
        #expect(seen?.logLevel == .debug && seen?.placement == "wrist")
        #expect(try text(file) == before)
    }

    @Test func aRefusedPasswordLeavesTheOneBefore() throws {
        let place = try directory(), configuration = try main(place)
        var setup = BoardSetup()
        func write(_ password: String, refused: Bool) {
            setup.brokerPassword = password
            _ = try? setup.write(configuration: configuration, state: place) { (_) throws(Fault) in
                if refused { throw Fault(.badData, "no") }
            }
        }
        write("first", refused: true)
        #expect(!Files.exists(place + "/mqtt-password"))
        write("second", refused: false)
        write("third", refused: true)
        #expect(try text(place + "/mqtt-password") == "second")
        #expect(try Files.isPrivate(place + "/mqtt-password"))
    }

    /// As a newer version's, which knows more settings.
    @Test func whatCannotBeReadIsKeptBesideIt() throws {
        let place = try directory(), configuration = try main(place)
        var setup = BoardSetup()
        try setup.set(\.placement, "wrist")
        let file = try #require(try setup.write(configuration: configuration, state: place))
        let other = "placement = \"waist\"\nfuture = 1\n"
        try Files.write(Array(other.utf8), to: file)
        _ = try setup.write(configuration: configuration, state: place)
        #expect(try text(file + ".old") == other && Settings(path: configuration).placement == "wrist")
    }

    @Test func aSettingOutOfRangeIsRefused() {
        var setup = BoardSetup()
        #expect(throws: Fault.self) { try setup.set(\.mqtt.port, "70000") }
    }
}

@Suite struct SensorOverlayTests {
    private func places(_ configuration: String) throws -> SensorOverlay.Places {
        let place = try directory()
        try Files.makeDirectory(place + "/firmware/overlays")
        try Files.makeDirectory(place + "/share")
        try Files.write(Array(configuration.utf8), to: place + "/firmware/config.txt")
        try Files.write([0xd0, 0x0d, 0xfe, 0xed], to: place + "/share/raspberry-pi-lis3dh.dtbo")
        return SensorOverlay.Places(firmware: place + "/firmware", overlays: place + "/share")
    }

    @Test func itIsNamedOnceAndAfterEverySection() throws {
        let places = try places("arm_64bit=1\n[pi4]\narm_boost=1")
        #expect(!SensorOverlay.isInstalled(in: places))
        try SensorOverlay.lis3dh.install(in: places)
        let once = try text(places.firmware + "/config.txt")
        #expect(once == "arm_64bit=1\n[pi4]\narm_boost=1\n# Gaitway's sensor\n[all]\ndtparam=i2c_arm=on\ndtoverlay=gaitway\n")
        #expect(SensorOverlay.isInstalled(in: places))
        try SensorOverlay.lis3dh.install(in: places)
        #expect(try text(places.firmware + "/config.txt") == once)
        #expect(try Files.read(places.firmware + "/overlays/gaitway.dtbo", limit: 100) == [0xd0, 0x0d, 0xfe, 0xed])
    }

    /// A kernel that runs with another sensor's has to start once more.
    @Test func anotherSensorsIsNotThisOne() throws {
        let places = try places("")
        try Files.write([1], to: places.overlays + "/raspberry-pi-adxl345.dtbo")
        #expect(!SensorOverlay.lis3dh.isThere(in: places))
        try SensorOverlay.adxl345.install(in: places)
        #expect(SensorOverlay.adxl345.isThere(in: places) && !SensorOverlay.lis3dh.isThere(in: places))
        try SensorOverlay.lis3dh.install(in: places)
        #expect(SensorOverlay.lis3dh.isThere(in: places) && !SensorOverlay.adxl345.isThere(in: places))
    }

    @Test func anotherAddressStays() throws {
        let places = try places("dtparam=i2c_arm=on\ndtoverlay=gaitway,addr=0x19\n")
        #expect(SensorOverlay.isInstalled(in: places))
        try SensorOverlay.lis3dh.install(in: places)
        #expect(try text(places.firmware + "/config.txt") == "dtparam=i2c_arm=on\ndtoverlay=gaitway,addr=0x19\n")
    }

    @Test func withoutItsCompiledFormNothingIsWritten() throws {
        let places = try places("a=1\n")
        #expect(throws: Fault.self) { try SensorOverlay.mpu6050.install(in: places) }
        #expect(try text(places.firmware + "/config.txt") == "a=1\n")
    }
}
