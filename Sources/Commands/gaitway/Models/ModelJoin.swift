import ArgumentParser
import NeuralNetwork
import Support

extension Model {
    struct Join: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a small network decide where it is sure, and a larger one elsewhere.",
            discussion: """
                Both lie in one model file then, which runs, is signed and sent as any other. They have the same labels and windows, and \
                decide on single windows: networks that remember those before see every window, and cannot be joined. What it gives is \
                for `gaitway evaluate` to say, and how often the larger one is asked for `gaitway run --stats`. \
                `model predict` and `model export` take the larger one alone; c-header has both.
                """)

        @Argument(help: ArgumentHelp("The larger model.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("The small model.", valueName: "file"), completion: .file())
        var first: String
        @Option(help: ArgumentHelp("From this probability on the small one decides, 0 to 1.", valueName: "probability"))
        var sure = 0.8
        @Option(help: ArgumentHelp("Where it goes.", valueName: "file"), completion: .file())
        var output: String

        func validate() throws {
            guard sure > 0, sure < 1 else { throw ValidationError("--sure takes a probability between 0 and 1") }
        }

        func run() throws {
            var network = try NetworkFile.load(file), small = try NetworkFile.load(first)
            small.hop = network.hop
            let joined = FirstNetwork(small, sure: max(1, Int16((sure * 32767).rounded())))
            if let objection = network.objection(to: joined) { throw Fault(.usage, "\(file) and \(first) cannot be joined: \(objection)") }
            network.first = joined
            try NetworkFile.save(network, to: output)
        }
    }
}
