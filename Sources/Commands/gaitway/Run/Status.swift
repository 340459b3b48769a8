import ArgumentParser
import Runtime
import Support

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How the running program does: activity, rate, model, hub, crowd, uploads.",
        discussion: "Asks `gaitway run` through its control socket, which its owner and root may use.")

    @OptionGroup var format: OutputOptions

    func run() throws {
        let answer = try ControlClient.ask([("command", "status")])
        try Console.print(format.json ? JSON(answer).text : StatusText.of(answer))
    }
}
