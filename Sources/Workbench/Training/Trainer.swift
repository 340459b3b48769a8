internal import Conversion
package import Evaluation
package import NeuralNetwork
internal import Recognition
internal import Sensing
package import Support

/// Trains input - hidden - classes on windows of a ``TrainingSet`` and quantises the result.
///
/// The same set, subjects and options give the same network, to the bit, on every platform.
package struct Trainer {
    /// What is told after every epoch.
    package struct Progress: Sendable {
        package var step: Int
        package var steps: Int
        /// On the validation subjects, 0 ... 1; nil once they are trained on too.
        package var accuracy: Double?
    }

    package struct Result: Sendable {
        package var network: Network
        /// Accuracy in float over the windows that were left out, 0 ... 1; nil when none was.
        package var floatAccuracy: Double?
        /// The quantised network on the same windows.
        package var fixed: ConfusionMatrix?
        /// The people who chose how many epochs were enough.
        package var validation: [Int] = []
        package var epochs: Int
        /// Of `ofEpochs`.
        package var ofEpochs: Int
        package var windows: Int
        /// Recordings that nothing was learnt from, since their scale cannot be right, for messages.
        package var misscaled: [String] = []
        /// Activities of which nothing is left without these.
        package var lost: [String] = []
    }

    /// What one training run learns from and is measured on.
    private struct Split {
        var training: [TrainingSet.Position]
        var testing: [TrainingSet.Position]
        var epochs: Int
        /// Of the whole schedule, along which the rate falls.
        var ofEpochs: Int
    }

    private let set: TrainingSet
    private let options: TrainingOptions
    private let normalisation: Normalisation
    /// Numbers that a window makes.
    private let inputs: Int
    private let augmentation: Augmentation?

    /// - Throws: `.usage` when an option is out of range.
    package init(_ set: TrainingSet, _ options: TrainingOptions) throws(Fault) {
        guard (1...4096).contains(options.hidden) else { throw Fault(.usage, "\(options.hidden) hidden units cannot be used: 1 to 4096") }
        guard (2...16).contains(options.bits) else { throw Fault(.usage, "\(options.bits)-bit weights cannot be used: 2 to 16") }
        guard options.epochs.map((1...10_000).contains) ?? true, (1...4096).contains(options.batch) else {
            throw Fault(.usage, "epochs are 1 to 10000, batches 1 to 4096")
        }
        guard options.stride.map((1...4096).contains) ?? true else {
            throw Fault(.usage, "windows every \(options.stride ?? 0) samples cannot be used: 1 to 4096")
        }
        guard let inputs = options.input.count(window: set.window), options.input == .raw || set.window >= 16 else {
            throw Fault(
                .usage, "windows of \(set.window) samples cannot give \(options.input.rawValue)",
                remedy: "Features take windows of 16 samples or more.")
        }
        self.set = set
        self.options = options
        self.inputs = inputs
        augmentation = options.augment ? Augmentation() : nil
        var normalisation = Normalisation(set)
        if options.input != .raw {
            let positions = set.segments.indices.filter { !set.segments[$0].isTest }.map {
                TrainingSet.Position(segment: $0, start: set.segments[$0].range.lowerBound)
            }
            let samples = options.input == .rawAndFeatures17 ? set.window * 3 : 0
            normalisation.addFeatures(behind: samples, positions.map { set.row(at: $0, options.input).map { Float($0) * 0x1p-12 } })
        }
        self.normalisation = normalisation
    }

    /// Trains on everyone but `leftOut`, on whom the result is then measured. How many epochs are enough is found on about one
    /// in seven of the others, so that the people left out take no part in any choice.
    ///
    /// - Throws: `.usage` when a subject is unknown or too few are left.
    package func train(leavingOut leftOut: Set<Int> = [], progress: (Progress) -> Void = { _ in }) throws(Fault) -> Result {
        try set.requireSubjects(leftOut)
        var random = RandomNumbers(seed: options.seed)
        let (split, validation) = try split(leftOut, &random, progress)
        var result = try train(split, &random) {
            progress(Progress(step: split.ofEpochs + $0, steps: split.ofEpochs + split.epochs, accuracy: nil))
        }
        result.validation = validation
        return result
    }

    /// The same network in float and with each number of bits, measured on the people who were left out.
    ///
    /// - Throws: those of ``train(leavingOut:progress:)``.
    package func sweep(
        _ bits: ClosedRange<Int>, leavingOut leftOut: Set<Int>, progress: (Progress) -> Void = { _ in }
    ) throws(Fault) -> Sweep {
        try set.requireSubjects(leftOut)
        var random = RandomNumbers(seed: options.seed)
        let (split, _) = try split(leftOut, &random, progress)
        var learner = learn(split, &random) {
            progress(Progress(step: split.ofEpochs + $1, steps: split.ofEpochs + split.epochs, accuracy: nil))
        }
        var fixed: [Sweep.Step] = []
        for bits in bits {
            let network = try quantise(&learner, split.training, bits: bits)
            fixed.append(Sweep.Step(bits: bits, network: network, matrix: try measure(network, split.testing)))
        }
        return Sweep(
            float: measureInFloat(&learner, split.testing).matrix, fixed: fixed, learner: Learner(learner.network, batch: 1),
            normalisation: normalisation)
    }

    // Who is learnt from and for how long.
    private func split(
        _ leftOut: Set<Int>, _ random: inout RandomNumbers, _ progress: (Progress) -> Void
    ) throws(Fault) -> (Split, validation: [Int]) {
        let hop = options.stride ?? 64, epochs = options.epochs ?? 60
        var others = set.subjects.filter { !leftOut.contains($0) }
        guard others.count >= 2 else { throw Fault(.usage, "at least two subjects must be left to train on") }
        random.shuffle(&others)
        let validation = Set(others.prefix(max(1, others.count / 7)))
        let checking = set.positions(of: validation, hop: hop)

        // First without the validation subjects, to see how many epochs are enough; then so many with everyone.
        var stop = EarlyStop()
        var rehearsal = random
        let first = Split(
            training: set.positions(of: Set(others).subtracting(validation), hop: hop), testing: [], epochs: epochs, ofEpochs: epochs)
        _ = learn(first, &rehearsal) { learner, epoch in
            let (matrix, loss) = measureInFloat(&learner, checking)
            stop.take(loss: loss)
            progress(Progress(step: epoch, steps: 2 * epochs, accuracy: matrix.accuracy))
        }
        let split = Split(
            training: set.positions(of: Set(others), hop: hop), testing: set.positions(of: leftOut, hop: hop), epochs: stop.epoch,
            ofEpochs: epochs)
        return (split, validation.sorted())
    }

    /// Trains on the first part of each recording and measures on the last. The number of epochs is fixed: one person's few
    /// windows are no ground to choose it on.
    ///
    /// - Throws: none but those of the quantiser.
    package func trainOnOwn(progress: (Progress) -> Void = { _ in }) throws(Fault) -> Result {
        let step = options.stride ?? 10, training = set.positions(areTest: false, hop: step)
        let batches = (training.count + options.batch - 1) / options.batch, epochs = options.epochs ?? max(30, 1500 / batches)
        let split = Split(training: training, testing: set.positions(areTest: true, hop: step), epochs: epochs, ofEpochs: epochs)
        var random = RandomNumbers(seed: options.seed)
        return try train(split, &random) { progress(Progress(step: $0, steps: epochs, accuracy: nil)) }
    }

    private func train(_ split: Split, _ random: inout RandomNumbers, progress: (Int) -> Void) throws(Fault) -> Result {
        var learner = learn(split, &random) { progress($1) }
        var network = try quantise(&learner, split.training, bits: options.bits)
        network.exemplars = try exemplars(network, split.training)
        var result = Result(network: network, epochs: split.epochs, ofEpochs: split.ofEpochs, windows: split.training.count)
        if !split.testing.isEmpty {
            result.floatAccuracy = measureInFloat(&learner, split.testing).matrix.accuracy
            result.fixed = try measure(network, split.testing)
        }
        return result
    }

    private func learn(_ split: Split, _ random: inout RandomNumbers, after: (inout Learner, Int) -> Void) -> Learner {
        let positions = split.training
        let network = FloatNetwork(inputs: inputs, hidden: options.hidden, outputs: set.labels.count, &random)
        var learner = Learner(network, batch: options.batch)
        var inputs = Matrix(options.batch, inputs), order = Array(positions.indices), step = 0
        let steps = split.ofEpochs * ((positions.count + options.batch - 1) / options.batch)
        for epoch in 1...split.epochs {
            random.shuffle(&order)
            for start in stride(from: 0, to: order.count, by: options.batch) {
                let chosen = order[start..<min(start + options.batch, order.count)].map { positions[$0] }
                for (row, position) in chosen.enumerated() { fill(&inputs, row, position, augmentation, &random) }
                let rate = options.rate * Float(0.5 + 0.5 * Cosine.ofHalfTurn(Double(step) / Double(steps)))
                learner.step(
                    inputs, labels: chosen.map { set.label(of: $0) }[...], rate: rate, decay: options.decay, smoothing: options.smoothing)
                step += 1
            }
            after(&learner, epoch)
        }
        return learner
    }

    // One window as a row of normalised floats.
    private func fill(
        _ inputs: inout Matrix, _ row: Int, _ position: TrainingSet.Position, _ augmentation: Augmentation?, _ random: inout RandomNumbers
    ) {
        let place = augmentation?.moved(position, in: set, &random) ?? position
        let start = row * inputs.stride
        if options.input == .raw {
            for (offset, sample) in set.samples(at: place).enumerated() { inputs.values[start + offset] = Float(sample) * 0x1p-12 }
            if let augmentation { augmentation.apply(augmentation.turn(&random), to: &inputs.values[start..<start + self.inputs], &random) }
        } else {
            // Features are computed in integers, of what the window has become.
            var window = set.samples(at: place).map { Float($0) * 0x1p-12 }[...]
            if let augmentation { augmentation.apply(augmentation.turn(&random), to: &window, &random) }
            let numbers = WindowInput.row(window.map { Int16(max(-32768, min(32767, ($0 * 4096).rounded()))) }, options.input)
            for (offset, number) in numbers.enumerated() { inputs.values[start + offset] = Float(number) * 0x1p-12 }
        }
        for offset in 0..<self.inputs {
            let (mean, scale) = normalisation.column(offset)
            inputs.values[start + offset] = (inputs.values[start + offset] - mean) * scale
        }
    }

    // Calls `body` with each batch of `positions` as it is, without augmentation.
    private func forEachBatch(_ positions: [TrainingSet.Position], _ body: (Matrix, ArraySlice<TrainingSet.Position>) -> Void) {
        var inputs = Matrix(options.batch, inputs), unused = RandomNumbers(seed: 0)
        for start in stride(from: 0, to: positions.count, by: options.batch) {
            let part = positions[start..<min(start + options.batch, positions.count)]
            for (row, position) in part.enumerated() { fill(&inputs, row, position, nil, &unused) }
            body(inputs, part)
        }
    }

    private func measureInFloat(_ learner: inout Learner, _ positions: [TrainingSet.Position]) -> (matrix: ConfusionMatrix, loss: Double) {
        var matrix = ConfusionMatrix(labels: set.labels), loss = 0.0
        forEachBatch(positions) { inputs, part in
            let scores = learner.evaluate(inputs, rows: part.count).scores
            for (row, position) in part.enumerated() {
                let values = (0..<scores.columns).map { Double(scores[row, $0]) }, label = set.label(of: position)
                matrix.count(truth: label, decided: values.indexOfLargest)
                loss -= Exponential.log(Learner.softmax(values)[label])
            }
        }
        return (matrix, loss / Double(max(positions.count, 1)))
    }

    private func quantise(_ learner: inout Learner, _ positions: [TrainingSet.Position], bits: Int) throws(Fault) -> Network {
        var input = RangeCollector(width: inputs), hidden = RangeCollector(width: options.hidden),
            scores = RangeCollector(width: set.labels.count)
        forEachBatch(positions) { inputs, part in
            let values = learner.evaluate(inputs, rows: part.count)
            for row in 0..<part.count {
                input.take(
                    (0..<inputs.columns).lazy.map { inputs[row, $0] / normalisation.column($0).scale + normalisation.column($0).mean })
                hidden.take((0..<values.hidden.columns).lazy.map { values.hidden[row, $0] })
                scores.take((0..<values.scores.columns).lazy.map { values.scores[row, $0] })
            }
        }
        // Rare peaks are cut so that int8 has finer steps between: sitting and standing differ by a few hundredths of a g.
        let afterReLU = hidden.calibration() // before it, nobody looks
        let places = [input.calibration(losing: options.input == .raw ? 1e-3 : 0), afterReLU, afterReLU, scores.calibration()]
        // Features differ in size: int8 has too few steps for the small ones.
        let quantising = QuantiserOptions(bits: bits, activations: options.input == .raw ? nil : .int16)
        let quantised = try Quantiser.quantise(learner.network.graph(undoing: normalisation), places, quantising)
        let naming = ImportOptions(input: options.input, labels: set.labels, hop: set.hop, window: set.window)
        return try Network(
            input: quantised.input, layers: quantised.layers, output: .softmax, bits: bits, options: naming,
            golden: WindowInput.row(try GoldenWindow.samples(set.window), options.input),
            path: "the network")
    }

    private func exemplars(_ network: Network, _ positions: [TrainingSet.Position]) throws(Fault) -> Exemplars {
        var compiled = try CompiledNetwork(network), picker = ExemplarPicker(labels: set.labels.count)
        for position in positions {
            picker.take(compiled.observe(set.row(at: position, options.input), of: network), of: network, label: set.label(of: position))
        }
        return picker.exemplars
    }

    private func measure(_ network: Network, _ positions: [TrainingSet.Position]) throws(Fault) -> ConfusionMatrix {
        var compiled = try CompiledNetwork(network), matrix = ConfusionMatrix(labels: set.labels)
        var probabilities = [Int16](repeating: 0, count: set.labels.count)
        for position in positions {
            matrix.count(truth: set.label(of: position), decided: compiled.classify(set.row(at: position, options.input), &probabilities))
        }
        return matrix
    }
}
