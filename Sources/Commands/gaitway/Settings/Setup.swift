import ArgumentParser
import Doors
import Fleet
import Glibc
import Recognition
import Runtime
import Sensing
import Settings
import Setup
import Support
import Updates
import Upload

struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set this board up: its sensor, where it is worn, a hub, a broker.",
        discussion: """
            It asks what it cannot find out; Enter takes what stands in brackets. With --from nobody is asked: the file has settings as \
            gaitway.toml, and a table [setup] with sensor, hub, token and broker_password. A card that was just written is set up by \
            /boot/firmware/gaitway.toml at its first start. Settings go to conf.d/setup.toml; the main file stays as it is.
            """)

    @Option(help: ArgumentHelp("Take the answers from this file.", valueName: "file"), completion: .file())
    var from: String?
    @Flag(help: "As a board's first start does: the file, which may hold a token, is deleted once it was taken.")
    var firstStart = false
    @OptionGroup var place: ConfigurationOptions

    func validate() throws {
        if firstStart && from == nil { throw ValidationError("--first-start takes the answers of a file: --from") }
    }

    func run() throws {
        // Before anybody answers questions for nothing.
        guard geteuid() == 0 || place.config != nil else {
            throw Fault(.permission, "/etc/gaitway belongs to root", remedy: "sudo gaitway setup")
        }
        if firstStart, let from { try checkCard(from) }
        let setup = if let from { try BoardSetup(card: from) } else { try ask() }
        if setup.sensor != nil && SensorOverlay.Places.here == nil {
            throw Fault(.configuration, "this is no Raspberry Pi: an overlay is of no use here")
        }
        let file = try setup.write(configuration: place.config, state: Places.state) { settings throws(Fault) in try check(settings) }
        if let file { Console.note("settings are in \(file)") }
        // A kernel that is to find the sensor has to start once more.
        var hasToRestart = false
        if let sensor = setup.sensor {
            hasToRestart = SensorOverlay.Places.here.map { !sensor.isThere(in: $0) } ?? false
            try install(sensor)
        }
        // A hub may be away for long: the file stays for the next start, which registers.
        if firstStart, hasToRestart, setup.hub != nil, isServed { return try ask(["reboot"]) }
        if let hub = setup.hub {
            let made = try Register.register(at: hub, token: setup.token)
            Console.note("\(made.deviceIdentifier) is \(made.deviceId) at \(made.hub)")
        }
        guard !firstStart else { return try end(hasToRestart) }
        if isServed { try Awaited.value { () async throws(Fault) in try await ServiceManager.ask(["try-restart", "gaitway.service"]) } }
        if setup.sensor != nil { return Console.note("the sensor is there after the next start: sudo reboot") }
        try show()
    }

    // It is deleted at the end: it must be one that can be, and not the board's own.
    private func checkCard(_ card: String) throws(Fault) {
        let directory = card.lastIndex(of: "/").map { String(card[..<$0]) } ?? "."
        guard unsafe access(directory.isEmpty ? "/" : directory, W_OK) == 0 else {
            throw Fault(
                .permission, "\(card) cannot be deleted, and may hold secrets", remedy: "Mount its partition so that it can be written.")
        }
        let main = place.config ?? Settings.defaultPath
        guard Files.resolved(card) != Files.resolved(main) else {
            throw Fault(.usage, "\(card) is this board's configuration, which the first start would delete")
        }
    }

    // What a service refuses to start with is better said now.
    private func check(_ settings: Settings) throws(Fault) {
        let network = try BaseModel.load(settings)
        _ = try ConfiguredWearing(settings, for: network)
        _ = try FallDetection(settings)
        _ = try UploadPlan(enabledBy: settings)
        _ = try MQTTSettings(settings)
    }

    private func install(_ sensor: SensorOverlay) throws(Fault) {
        guard let places = SensorOverlay.Places.here else {
            throw Fault(.configuration, "this is no Raspberry Pi: the overlay of \(sensor.rawValue) is of no use here")
        }
        try sensor.install(in: places)
        Console.note("\(places.firmware)/config.txt names the overlay of \(sensor.rawValue)")
    }

    private var isServed: Bool { ServiceManager.isThere && place.config == nil }

    // What was taken is not taken again.
    private func end(_ hasToRestart: Bool) throws(Fault) {
        if let from { try Files.remove(from) }
        if isServed { try ask(hasToRestart ? ["reboot"] : ["try-restart", "gaitway.service"]) }
    }

    // The service may run already, or wait for this to end.
    private func ask(_ next: [String]) throws(Fault) {
        try Awaited.value { () async throws(Fault) in try await ServiceManager.ask(["--no-block"] + next) }
    }

    // What is missing, else the first decisions.
    private func show() throws {
        let configuration = place.config.map { ["--config", $0] } ?? []
        let doctor = try Doctor.parse(configuration)
        try doctor.run()
        let run = try Run.parse(configuration + ["--duration", "8"])
        try run.run()
    }

    private func askForHub() throws(Fault) -> String? {
        for _ in 0..<10 {
            guard let hub = try Console.ask("The hub's address, https://...; nothing for none") else { return nil }
            do throws(Fault) {
                try BoardSetup.check(hub)
                return hub
            } catch {
                Console.note("  \(error.message)")
            }
        }
        throw Fault(.usage, "ten answers were no hub's address")
    }

    private func ask() throws(Fault) -> BoardSetup {
        var setup = BoardSetup()
        let found = try Accelerometer.find(uri: nil)
        if let sensor = found.first {
            Console.note("the sensor is \(sensor.name)")
        } else if let places = SensorOverlay.Places.here, !SensorOverlay.isInstalled(in: places) {
            let names = SensorOverlay.allCases.map(\.rawValue)
            setup.sensor = SensorOverlay(rawValue: try Console.ask("Which sensor is at the I2C pins?", from: names + ["none"], or: "none"))
        } else {
            Console.note("IIO has no accelerometer yet: gaitway devices says what is looked for")
        }
        let places = ["auto"] + RecordingSet.knownPlacements, now = (try? place.load())?.placement ?? "auto"
        try setup.set(\.placement, try Console.ask("Where is it worn?", from: places, or: places.contains(now) ? now : "auto"))
        if let hub = try askForHub() {
            (setup.hub, setup.token) = (hub, try Console.ask("The token that the hub gave for this board", isSecret: true))
            let sends = try Console.ask("Tell the hub each change of activity?", from: ["yes", "no"], or: "yes")
            try setup.set(\.fleet.telemetry, sends == "yes" ? "true" : "false")
        }
        if let broker = try Console.ask("The MQTT broker's host, for Home Assistant; nothing for none") {
            try setup.set(\.mqtt.host, broker)
            if let user = try Console.ask("The user there; nothing for none") {
                try setup.set(\.mqtt.user, user)
                setup.brokerPassword = try Console.ask("The password", isSecret: true)
            }
        }
        return setup
    }
}
