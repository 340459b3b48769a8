import ArgumentParser
import NeuralNetwork
import Support

extension Model {
    struct Join: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join", abstract: "Let a small network decide where it is sure, and a larger one elsewhere.",
            discussion: """
                Both lie in one model file then, which runs, is signed and sent as any other. They have the same labels and windows, and \
                decide on single windows: networks that remember those before see every window, and cannot be joined. What it gives, \
                and how often the larger one is asked, is for `gaitway evaluate` to say; `gaitway run --stats` counts it. \
                `model predict` and `model export` take the larger one alone; c-header has both.
                """)

        @Argument(help: ArgumentHelp("The larger model.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("The small model.", valueName: "file"), completion: .file())
        var first: String
        @Option(help: ArgumentHelp("From this probability on the small one decides, between 0 and 1.", valueName: "probability"))
        var sure = 0.8
        @Option(help: ArgumentHelp("Where it goes.", valueName: "file"), completion: .file())
        var output: String

        func validate() throws {
            guard (0.001...0.999).contains(sure) else { throw ValidationError("--sure takes a probability, 0.001 to 0.999") }
        }

        func run() throws {
            var network = try NetworkFile.load(file), small = try NetworkFile.load(first)
            small.hop = network.hop
            let joined = FirstNetwork(small, sure: max(1, Int16((sure * 32767).rounded())))
            if let objection = network.objection(to: joined) { throw Fault(.usage, "\(file) and \(first) cannot be joined: \(objection)") }
            let replaced = network.first == nil ? "" : "; the one that decided first before is gone"
            network.first = joined
            try NetworkFile.save(network, to: output)
            Console.note("gaitway: \(output): \(first) decides from \(Units.percent(sure)) on, \(file) otherwise\(replaced)")
        }
    }
}
