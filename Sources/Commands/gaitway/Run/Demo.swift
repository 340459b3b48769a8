import ArgumentParser
import Runtime
import Settings
import Support

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show everything without a sensor: a simulated wearer's day, the page, Home Assistant.",
        discussion: """
            Plays ten hours of a simulated wearer at once, for the page's day, then goes on as time does: walking, stairs, sitting, \
            standing, lying, steps, and a fall that becomes an alarm unless it is cancelled. The page is gaitway-dashboard's; where a \
            broker is configured (mqtt.*), Home Assistant gets a device gaitway-demo, which goes with the demonstration. Ctrl-C ends it \
            and removes what it kept; the board's own state, hub and uploads are not touched.
            """)

    @Option(help: "The page's port at this machine; 0 for any that is free.") var port = 8720
    @OptionGroup var place: ConfigurationOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
    }

    func run() throws {
        let settings = try place.load()
        Interruption.watch(hangUpStops: true)
        try Demonstration(settings, port: port) { event in
            switch event {
            case .playsDay(let hours): Console.note("The day: \(hours) hours of a simulated wearer ...")
            case .page(let address): Console.note("The page: \(address)")
            case .noPage(let reason): Console.note("The page is not shown: \(reason)")
            case .broker(let host, let name): Console.note("At the broker \(host): the device \(name)")
            case .runs(let state, let configuration):
                Console.note("After a minute the wearer falls: an alarm, unless the page or gaitway cancel-alarm cancels it.")
                Console.note("For gaitway today, status, follow, label, record, cancel-alarm in another terminal, there first:")
                Console.note("  export STATE_DIRECTORY=\(state) GAITWAY_CONFIG=\(configuration)")
                Console.note("Ctrl-C ends it and removes what it kept.\n")
            }
        }.run(unless: Interruption.stop)
    }
}
