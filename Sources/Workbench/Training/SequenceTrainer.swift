internal import Conversion
internal import Evaluation
internal import NeuralNetwork
internal import Recognition
package import Support

/// Trains a network that goes on from window to window (``SequenceNetwork``) on several people's recordings and quantises it.
///
/// The same set, subjects and options give the same network, to the bit, on every platform. The number of steps is fixed: nobody
/// is needed to choose it on.
package struct SequenceTrainer {
    private let set: TrainingSet
    private let options: TrainingOptions
    private let scale: Float

    private enum Rule {
        static let dropout = 0.2
        static let first: Float = 0.3
        static let decay: Float = 0.02
        /// Passes over all recordings.
        static let epochs = 180
    }

    /// - Throws: `.usage` when an option is out of range.
    package init(_ set: TrainingSet, _ options: TrainingOptions) throws(Fault) {
        guard (2...8).contains(options.bits) else { throw Fault(.usage, "\(options.bits)-bit weights cannot be used: 2 to 8") }
        guard options.epochs.map((1...10_000).contains) ?? true else { throw Fault(.usage, "epochs are 1 to 10000") }
        self.set = set
        self.options = options
        // Zeros beyond a window's ends are zero g, so the mean stays.
        scale = Normalisation(set).scale
    }

    /// Trains on everyone but `leftOut`, on whose recordings the result is then measured, window after window as the loop does.
    ///
    /// - Throws: `.usage` when a subject is unknown or none is left.
    package func train(leavingOut leftOut: Set<Int> = [], progress: (Trainer.Progress) -> Void = { _ in }) throws(Fault) -> Trainer.Result {
        try set.requireSubjects(leftOut)
        let others = Set(set.subjects).subtracting(leftOut)
        guard !others.isEmpty else { throw Fault(.usage, "at least one subject must be left to train on") }
        var random = RandomNumbers(seed: options.seed)
        let sampler = SequenceSampler(set, subjects: others, scale: scale, augmentation: options.augment ? Augmentation() : nil)
        guard !sampler.isEmpty else { throw Fault(.badData, "no recording of the people to train on is as long as a window") }
        var network = SequenceNetwork(window: set.window, classes: set.labels.count, &random)
        let epochs = options.epochs ?? Rule.epochs, each = max(1, sampler.windows / (sampler.batch * sampler.steps)), steps = epochs * each
        for step in 0..<steps {
            let (inputs, labels) = sampler.next(&random)
            let rate = options.rate * Float(0.5 + 0.5 * Cosine.ofHalfTurn(Double(step) / Double(steps)))
            let targets = SequenceNetwork.Targets(labels: labels, smoothing: options.smoothing, first: Rule.first)
            network.step(inputs, steps: sampler.steps, targets, rate: rate, decay: Rule.decay, dropout: Rule.dropout, &random)
            if (step + 1) % each == 0 { progress(Trainer.Progress(step: (step + 1) / each, steps: epochs, accuracy: nil)) }
        }
        let graph = network.graph(scale: scale)
        let own = Windows(set, others)
        var fixed = try quantise(graph, own)
        fixed.exemplars = try exemplars(fixed, own)
        var result = Trainer.Result(network: fixed, epochs: epochs, ofEpochs: epochs, windows: steps * sampler.batch * sampler.steps)
        if !leftOut.isEmpty {
            let windows = Windows(set, leftOut)
            result.floatAccuracy = measure(graph, windows).accuracy
            result.fixed = try measure(fixed, windows)
        }
        return result
    }

    /// Every window that the loop would see, recording after recording.
    private struct Windows {
        /// Where one begins: its stream and first sample.
        var places: [(stream: Int, start: Int)] = []
        /// Class, or nil where no label covers the window.
        var labels: [Int?] = []
        private let set: TrainingSet

        init(_ set: TrainingSet, _ subjects: Set<Int>) {
            self.set = set
            for (index, stream) in set.streams.enumerated() where subjects.contains(stream.subject) {
                let segments = set.segments.filter { $0.stream == index }
                for start in stride(from: 0, through: stream.samples.count / 3 - set.window, by: set.hop) {
                    places.append((index, start))
                    labels.append(segments.first { $0.range.contains(start) && $0.range.upperBound >= start + set.window }?.label)
                }
            }
        }

        func samples(_ index: Int) -> ArraySlice<Int16> {
            set.streams[places[index].stream].samples[places[index].start * 3..<(places[index].start + set.window) * 3]
        }
        func floats(_ index: Int) -> [Float] { samples(index).map { Float($0) * 0x1p-12 } }
        func begins(_ index: Int) -> Bool { places[index].start == 0 }
    }

    private func quantise(_ graph: FloatGraph, _ windows: Windows) throws(Fault) -> Network {
        let calibrated = try CalibratedGraph(graph, count: windows.places.count, row: windows.floats, begins: windows.begins)
        let naming = ImportOptions(labels: set.labels, hop: set.hop, state: .kept)
        return try calibrated.quantised(
            QuantiserOptions(bits: options.bits), naming, golden: try GoldenWindow.samples(set.window), path: "the network"
        ).network
    }

    private func exemplars(_ network: Network, _ windows: Windows) throws(Fault) -> Exemplars {
        var compiled = try CompiledNetwork(network), picker = ExemplarPicker(labels: set.labels.count)
        for (index, label) in windows.labels.enumerated() {
            if windows.begins(index) { compiled.reset() }
            let tensors = compiled.observe(Array(windows.samples(index)), of: network)
            if let label { picker.take(tensors, of: network, label: label) }
        }
        return picker.exemplars
    }

    private func measure(_ graph: FloatGraph, _ windows: Windows) -> ConfusionMatrix {
        let runner = FloatRunner(graph)
        var matrix = ConfusionMatrix(labels: set.labels), state = FloatRunner.State()
        for (index, label) in windows.labels.enumerated() {
            if windows.begins(index) { state = FloatRunner.State() }
            let scores = runner.run(windows.floats(index), &state).tensors.last ?? []
            if let label { matrix.count(truth: label, decided: scores.indexOfLargest) }
        }
        return matrix
    }

    private func measure(_ network: Network, _ windows: Windows) throws(Fault) -> ConfusionMatrix {
        var compiled = try CompiledNetwork(network), matrix = ConfusionMatrix(labels: set.labels),
            probabilities = [Int16](repeating: 0, count: set.labels.count)
        for (index, label) in windows.labels.enumerated() {
            if windows.begins(index) { compiled.reset() }
            let decided = compiled.classify(Array(windows.samples(index)), &probabilities)
            if let label { matrix.count(truth: label, decided: decided) }
        }
        return matrix
    }
}
