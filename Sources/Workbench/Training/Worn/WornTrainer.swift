internal import Conversion
internal import Evaluation
internal import NeuralNetwork
internal import Recognition
package import Support

/// Trains a network on ``NetworkInput/worn``, with the two that tell how the sensor is worn, and quantises them.
///
/// The same recordings and options give the same model, to the bit, on every platform. The number of steps is fixed: nobody is needed
/// to choose it on.
package struct WornTrainer {
    private let set: WornSet
    private let options: TrainingOptions

    private enum Rule {
        static let sizes = RecurrentHead.Sizes(dense: 80, units: 64)
        static let dropout = (before: 0.15, after: 0.3)
        static let rate: Float = 4e-3
        static let decay: Float = 0.05
        static let first: Float = 0.1
        /// Of all steps: fewest, most, and windows of the set that ask for one more.
        static let fewest = 1500, most = 10_000, windowsOfStep = 80
        /// Who learns that nothing is certain is less confident than right; chosen on people left out.
        static let sharpness: Float = 1.25
        /// Windows to calibrate on, at most.
        static let calibrating = 12_000
        /// Windows whose embeddings make exemplars and prototypes, at most.
        static let embedding = 100_000
    }

    /// - Throws: `.usage` when an option is out of range; `.badData` when there is only one activity.
    package init(_ set: WornSet, _ options: TrainingOptions) throws(Fault) {
        guard (2...8).contains(options.bits) else { throw Fault(.usage, "\(options.bits)-bit weights cannot be used: 2 to 8") }
        guard options.epochs.map((1...10_000).contains) ?? true else { throw Fault(.usage, "epochs are 1 to 10000") }
        guard set.labels.count > 1 else {
            throw Fault(.badData, "the recordings show nothing but \(set.labels.first ?? "nothing"): there is nothing to tell apart")
        }
        self.set = set
        self.options = options
    }

    package func train(progress: (Trainer.Progress) -> Void = { _ in }) throws(Fault) -> Trainer.Result {
        var random = RandomNumbers(seed: options.seed)
        var sampler = WornSampler(set)
        let each = sampler.batch * sampler.steps
        let steps =
            options.epochs.map { max(1, $0 * sampler.windows / each) }
            ?? min(Rule.most, Rule.fewest + sampler.windows / Rule.windowsOfStep)
        let epochs = options.epochs ?? max(1, steps * each / max(1, sampler.windows))
        var network = WornNetwork(
            classes: set.labels.count, sizes: Rule.sizes, normalisation: normalisation(), &random)
        for step in 0..<steps {
            let (inputs, labels, begins) = sampler.next(network, &random)
            let rate = Rule.rate * Float(0.5 + 0.5 * Cosine.ofHalfTurn(Double(step) / Double(steps)))
            let targets = RecurrentHead.Targets(labels: labels, smoothing: options.smoothing, first: Rule.first, begins: begins)
            network.step(inputs, steps: sampler.steps, targets, rate: rate, decay: Rule.decay, dropout: Rule.dropout, &random)
            // The last of each pass over the windows.
            let pass = (step + 1) * epochs / steps
            if pass > step * epochs / steps { progress(Trainer.Progress(step: pass, steps: epochs, accuracy: nil)) }
        }
        let small = WearingTrainer(set, bits: options.bits)
        let rows = Rows(set, most: Rule.calibrating)
        var fixed = try quantise(network.graph(sharpness: Rule.sharpness), rows)
        let gait = try small.gait(&random)
        fixed.wearing = WearingNetworks(gait: gait, placement: try small.placement(gait, &random))
        try addEmbeddings(to: &fixed, Rows(set, most: Rule.embedding))
        (fixed.trainedOn, fixed.placements) = (set.people, set.placements)
        var result = Trainer.Result(network: fixed, epochs: epochs, ofEpochs: epochs, windows: steps * each)
        (result.misscaled, result.lost) = (set.misscaled, set.lost)
        return result
    }

    private func normalisation() -> (means: [Float], scales: [Float]) {
        let width = NetworkInput.countWearing
        let rows = set.sequences.flatMap { sequence in
            stride(from: 0, to: sequence.classes.count, by: 4).map { sequence.features[$0 * width..<($0 + 1) * width] }
        }
        let window = WornNetwork.normalisation(of: rows), places = NetworkInput.mostPlacements
        return (window.means + [Float](repeating: 0, count: places), window.scales + [Float](repeating: 1, count: places))
    }

    /// Some of the windows in their order.
    private struct Rows {
        private let set: WornSet
        private(set) var places: [(sequence: Int, window: Int)] = []

        init(_ set: WornSet, most: Int) {
            self.set = set
            let all = set.sequences.reduce(0) { $0 + $1.classes.count }, every = max(1, all / most)
            let some = Array(stride(from: 0, to: set.sequences.count, by: every))
            // Of every activity at least one.
            let seen = Set(some.flatMap { set.sequences[$0].classes })
            let others = set.labels.indices.filter { !seen.contains($0) }.compactMap { label in
                set.sequences.firstIndex { $0.classes.contains(label) }
            }
            for index in some + others {
                for window in set.sequences[index].classes.indices { places.append((index, window)) }
            }
        }

        func begins(_ index: Int) -> Bool { places[index].window == 0 }
        func placement(_ index: Int) -> String { set.wearings[set.sequences[places[index].sequence].wearing].placement }
        func label(_ index: Int) -> Int { set.sequences[places[index].sequence].classes[places[index].window] }
        func row(_ index: Int) -> [Int16] {
            let (sequence, window) = places[index], width = NetworkInput.countWearing
            return set.sequences[sequence].features[window * width..<(window + 1) * width] + set.place(of: set.sequences[sequence].wearing)
        }
    }

    private func quantise(_ graph: FloatGraph, _ rows: Rows) throws(Fault) -> Network {
        let calibrated = try CalibratedGraph(
            graph, count: rows.places.count, row: { rows.row($0).map { Float($0) * 0x1p-12 } }, begins: rows.begins)
        let naming = ImportOptions(input: .worn, labels: set.labels, hop: WornSet.hop, state: .kept, window: WornSet.window)
        // Features differ in size: int8 has too few steps for the small ones.
        return try calibrated.quantised(QuantiserOptions(bits: options.bits, activations: .int16), naming, path: "the network").network
    }

    // What the last layer reads: examples to learn more classes beside, and prototypes that tell what is none of them. Windows in which an
    // activity begins are among both: they are to be known too.
    private func addEmbeddings(to network: inout Network, _ rows: Rows) throws(Fault) {
        var compiled = try CompiledNetwork(network), picker = ExemplarPicker(labels: set.labels.count), maker = PrototypeMaker()
        for index in rows.places.indices {
            if rows.begins(index) { compiled.reset() }
            let embedding = network.embedding(in: compiled.observe(rows.row(index), of: network))
            guard rows.label(index) >= 0 else { continue }
            picker.take(embedding, label: rows.label(index))
            maker.take(embedding, key: "\(rows.label(index)) \(rows.placement(index))")
        }
        network.exemplars = picker.exemplars
        network.prototypes = maker.prototypes
    }
}

extension WornSet {
    /// What networks read of where a wearer has the sensor: 1 for that place of the body, 0 for the others,
    /// Q3.12; a loop that has found the place has probabilities in their stead.
    func place(of wearing: Int) -> [Int16] {
        var places = [Int16](repeating: 0, count: NetworkInput.mostPlacements)
        if let index = placements.firstIndex(of: wearings[wearing].placement) { places[index] = 1 << 12 }
        return places
    }
}
