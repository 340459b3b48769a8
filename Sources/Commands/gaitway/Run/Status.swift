import ArgumentParser
import Runtime
import Support

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "How the running program does: activity, rate, model, hub, crowd, uploads.",
        discussion: "Asks `gaitway run` through its control socket, which its owner, his group and root may use.")

    @OptionGroup var format: OutputOptions

    @Flag(help: "Ask again every few seconds, until Ctrl-C.") var follow = false

    func run() throws {
        try ask()
        guard follow else { return }
        let stop = Interruption.watch()
        while !stop.isRaised(within: Self.period) {
            // On a terminal what was is wiped away; programs read one answer after the other.
            if !format.json { try Console.print(Console.outputIsTerminal ? "\u{1b}[H\u{1b}[2J" : "") }
            try ask()
        }
    }

    // ms.
    private static let period = 5000

    private func ask() throws {
        let answer = try ControlClient.ask([("command", "status")])
        try Console.print(format.json ? JSON(answer).text : StatusText.of(answer))
    }
}
