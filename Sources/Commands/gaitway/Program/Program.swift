import ArgumentParser
import ModelStore
import ProgramUpdates
import Runtime
import Settings
import Support

struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program", abstract: "New versions of gaitway itself that a hub rolls out: what became of them.",
        subcommands: [Show.self, Install.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "The version that was installed last, the one that is tried, those that were taken back and why."
        )

        @OptionGroup var format: OutputOptions

        func run() throws {
            // What the service itself refuses or waits with does not come to the installer.
            let state = try ProgramState.read(), service = try? ControlClient.ask([("command", "status")])["program"]
            let waiting = service.map { StatusText.programs($0, above: state.highest) } ?? []
            if format.json {
                try Console.print(JSON(state.json(service: service)).text)
            } else {
                try Console.print(([state.text] + (state.pending == nil ? waiting : [])).joined(separator: "\n"))
            }
        }
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Install the version that the service has fetched: for gaitway-update.service, as root.",
            discussion: """
                Proves the release by trusted_key, tries its program on a simulated wearer, installs its packages, and watches for a \
                minute whether the service decides; else installs the packages of before.
                """)

        @Option(help: ArgumentHelp("Where the service keeps its state.", valueName: "directory"), completion: .directory)
        var state = Places.service
        @Option(help: ArgumentHelp("How long the service is watched.", valueName: "seconds")) var watch = 60.0
        @OptionGroup var place: ConfigurationOptions

        func validate() throws {
            guard (4...3600).contains(watch) else { throw ValidationError("--watch takes 4 ... 3600 seconds") }
        }

        func run() throws {
            let place = place, state = state
            let look = ProgramWatch(seconds: watch) { () throws(Fault) in try ControlClient.ask([("command", "status")]) }
            let installer = ProgramInstaller(
                ProgramFiles(), DebianPackages(), look, progress: { Console.note("gaitway: \($0)") },
                board: { () throws(Fault) in try Self.board(try place.load(), state) })
            switch try Awaited.value({ () async throws(Fault) in try await installer.run(state + "/program") }) {
            case .nothing: try Console.print("no release waits to be installed")
            case .installed(let version): try Console.print("version \(version) is installed")
            case .refused(let version, let reason):
                throw Fault(.badData, "version \(version) is refused: \(reason)", remedy: "The version before it runs.")
            }
        }

        private static func board(_ settings: Settings, _ state: String) throws(Fault) -> ProgramInstaller.Board {
            guard let name = settings.updates.program, settings.updates.enabled else {
                throw Fault(.configuration, "no release of gaitway is wanted here: updates.program is not set, or updates.enabled is false")
            }
            guard let file = settings.trustedKey else { throw Fault.untrustedProgram }
            return ProgramInstaller.Board(try ProgramMachine(), try TrustedKeys(file: file, following: state + "/models"), name: name)
        }
    }
}
