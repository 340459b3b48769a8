import ArgumentParser
import Runtime
import Support

struct CancelAlarm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel-alarm", abstract: "Say that a fall is none, or that help is there.",
        discussion: "Asks the running program, as its owner or root.")

    @OptionGroup var format: OutputOptions

    func run() throws {
        let answer = try ControlClient.ask([("command", "cancel-alarm")])
        try Console.print(format.json ? JSON(answer).text : "the fall was cancelled")
    }
}
