package import Evaluation
package import NeuralNetwork
package import Support

/// The paper's table with this machine's numbers: one feed-forward network in float and in fixed point.
package struct PaperTable {
    /// A way to run the network, and what the paper measured on its phone.
    package struct Build {
        package var name: String
        package var perSecond: Double
        package var instructions: Double?
        /// Predictions a second on the paper's Galaxy S II.
        package var paperPerSecond: Double
    }

    /// Anguita et al., 2012 and 2013: accuracy on its 789 test windows with 17 features.
    package static let paperFloat = 0.893, paperFixed = 0.890

    package let sweep: Sweep
    package let leftOut: [Int]
    package let learntFrom: Int
    package let builds: [Build]
    /// Of the recording that the timeline shows, in the order of the data set.
    package let timeline: Evaluation.Played

    package var float: ConfusionMatrix { sweep.float }
    package var network: Network { eight.network }
    package var eight: Sweep.Step { sweep.step(bits: 8) ?? sweep.fixed[0] }
    package var shape: String { "\(network.input.count)-\(network.layers.first?.output.count ?? 0)-\(network.labels.count)" }

    /// - Throws: those of the trainer and of the recordings.
    package init(
        directory: String, leavingOut named: Set<Int>, _ options: TrainingOptions, progress: (Trainer.Progress) -> Void
    ) throws(Fault) {
        let set = try TrainingSet(directory: directory)
        // Every fifth person, where nobody was named.
        let left = named.isEmpty ? Set(set.subjects.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)) : named
        var sweep = try Trainer(set, options).sweep(2...16, leavingOut: left, progress: progress)
        leftOut = left.sorted()
        learntFrom = set.subjects.count - left.count
        guard let eight = sweep.step(bits: 8), let sixteen = sweep.step(bits: 16), let first = leftOut.first else {
            throw Fault(.usage, "nobody was left out to measure on")
        }
        let window = eight.network.golden?.input ?? [Int16](repeating: 0, count: eight.network.input.count)
        builds = [
            Self.build("float32", paper: 27.04) { _ = sweep.classifyInFloat(window) },
            try Self.build("int16", sixteen.network, window, paper: 241.54),
            try Self.build("int8", eight.network, window, paper: 315.35),
        ]
        self.sweep = sweep
        timeline = try Evaluation.play(directory, firstOf: first, network: eight.network)
    }

    private static func build(_ name: String, _ network: Network, _ window: [Int16], paper: Double) throws(Fault) -> Build {
        var compiled = try CompiledNetwork(network), probabilities = [Int16](repeating: 0, count: network.labels.count)
        return build(name, paper: paper) { _ = compiled.classify(window, &probabilities) }
    }

    private static func build(_ name: String, paper: Double, _ body: () -> Void) -> Build {
        Build(name: name, perSecond: 1e9 / Stopwatch.median(body), instructions: Stopwatch.instructions(body), paperPerSecond: paper)
    }
}
