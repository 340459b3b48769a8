import ArgumentParser
import Runtime
import Settings
import Support

struct Privacy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy", abstract: "What left this board, where it went, what waits; erase it.",
        discussion: """
            Counts what `gaitway run` and `gaitway upload` send: windows, heartbeats that name an activity, changes of activity and \
            falls, messages to a broker, the epsilon of a crowd's gradients. The service's is root's: sudo gaitway privacy. What a \
            program that was killed sent in its last ten minutes is missing.
            """)

    @Flag(help: "Erase it: what waits, this user's files and rows in bucket and table, all that the hub keeps. Days and recordings stay.")
    var erase = false
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard erase || !yes else { throw ValidationError("--yes goes with --erase") }
    }

    func run() throws {
        let settings = try place.load()
        if erase { return try erase(settings) }
        let statement = try PrivacyStatement(settings)
        try Console.print(format.json ? PrivacyText.json(statement).text : PrivacyText.text(statement))
        if !Places.isGiven, Places.state != Places.service, Files.isDirectory(Places.service) {
            Console.note("gaitway: this is of \(Places.state); the service's: sudo gaitway privacy")
        }
    }

    private func erase(_ settings: Settings) throws {
        let question = "Erase what left this board wherever that is possible, and what waits? Hub and bucket cannot bring it back."
        guard try yes || Console.confirms(question) else { throw Fault(.failure, "nothing was erased") }
        let steps = try Erasure.run(settings, stop: Interruption.watch())
        try Console.print(format.json ? PrivacyText.json(steps, at: SystemTime.wallSeconds).text : PrivacyText.text(steps))
        if !format.json, ControlClient.isAnswered { Console.note("gaitway: one runs here: what it records and sends from now on is new") }
        for case .failed(let fault) in steps.map(\.outcome) {
            throw Fault(fault.code, "not all was erased", remedy: fault.remedy ?? "It can be run again.")
        }
    }
}
