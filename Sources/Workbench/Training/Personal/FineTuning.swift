internal import Conversion
package import Evaluation
package import NeuralNetwork
internal import Recognition
package import Sensing
package import Support

/// Teaches a network new classes from one's own recordings: everything but its last layer stays as it is.
///
/// The old classes are held by the examples that the model carries and by recordings of them; what is recorded of an old class
/// adapts it to the wearer.
package struct FineTuning {
    package struct Result: Sendable {
        package var network: Network
        /// Labels that the network did not have.
        package var added: [String]
        /// Windows that were learnt from, and examples of the model.
        package var windows: Int, exemplars: Int
        /// Of the model's examples, the share that its last layer decides right, and one that did not learn them.
        package var kept: (before: Double, after: Double)?
        /// The recordings' last parts, in fixed point.
        package var fixed: ConfusionMatrix
    }

    private enum Rule {
        static let pull: Float = 0.005
        /// Windows begin at so many places of a hop.
        static let offsets = 4
    }

    private let network: Network
    private let set: TrainingSet
    private let labels: [String]
    /// Of the recordings' labels, those that they are in the network.
    private let names: [String]
    private let configured: ConfiguredWearing

    /// - Parameter configured: how the sensor was worn, for a worn network and recordings in which nobody walks.
    /// - Throws: those of ``TrainingSet``; `.badData` when the network's last layer is not dense or it carries no examples of a class
    ///   that was not recorded.
    package init(_ network: Network, store: RecordingStore, configured: ConfiguredWearing = ConfiguredWearing()) throws(Fault) {
        guard network.lastWeights != nil, network.inputKind != .features, network.output != .independent else {
            throw Fault(
                .badData, "only a network on windows whose last layer is dense, with soft-max or none, can learn new classes",
                remedy: "Train without --from.")
        }
        self.configured = configured
        set = try TrainingSet(store: store, window: network.window, fewest: 1)
        // "walking" is the network's WALKING.
        names = set.labels.map { own in network.labels.firstIndex(ignoringCaseOf: own).map { network.labels[$0] } ?? own }
        labels = network.labels + names.filter { !network.labels.contains($0) }
        guard labels.count <= 64 else { throw Fault(.badData, "\(labels.count) classes are more than the 64 that a network can have") }
        let held = Set((network.exemplars?.labels ?? []).map { network.labels[$0] } + names)
        if let forgotten = network.labels.first(where: { !held.contains($0) }) {
            throw Fault(
                .badData, "the model carries no examples of \(forgotten), which it would forget",
                remedy: "Record \(forgotten), too; import the model anew with --calibrate RECORDINGS; or train without --from.")
        }
        self.network = network
    }

    package func train(version: Int) throws(Fault) -> Result {
        let exemplars = network.exemplars ?? Exemplars(labels: [], values: [])
        var own = Exemplars(labels: [], values: [])
        try forEachWindow(network, areTest: false) { tensors, label in
            own.labels.append(label)
            own.values.append(network.embedding(in: tensors))
        }
        let rows = (exemplars.values + own.values).map(network.real(embedding:)), truths = exemplars.labels + own.labels
        let weights = learn(rows, truths)
        var tuned = network.replacingLast(weights, labels: labels, range: LastLayer.range(weights, rows))
        tuned.version = version
        var compiled = try CompiledNetwork(tuned)
        tuned.golden = compiled.golden(for: try GoldenWindow.row(network))
        var picker = ExemplarPicker(labels: labels.count), maker = PrototypeMaker()
        for (label, values) in zip(truths, exemplars.values + own.values) { picker.take(values, label: label) }
        for (label, values) in zip(own.labels, own.values) { maker.take(values, key: labels[label]) }
        tuned.exemplars = picker.exemplars
        tuned.prototypes = network.prototypes.map(maker.added)
        var matrix = ConfusionMatrix(labels: labels)
        try forEachWindow(tuned, areTest: true) { tensors, label in
            matrix.count(truth: label, decided: tensors[tensors.count - 1].indexOfLargest)
        }
        return Result(
            network: tuned, added: names.filter { !network.labels.contains($0) }, windows: own.labels.count,
            exemplars: exemplars.labels.count, kept: kept(rows, truths, examples: exemplars.labels.count), fixed: matrix)
    }

    // Every window of the recordings' first or last parts, in their order, with all of the network's tensors.
    private func forEachWindow(_ network: Network, areTest: Bool, _ body: ([[Int16]], Int) -> Void) throws(Fault) {
        var compiled = try CompiledNetwork(network), rows = try wornRows(network)
        for segment in set.segments where segment.isTest == areTest {
            for offset in 0..<Rule.offsets {
                compiled.reset()
                forEachWindow(of: segment, network, offset: offset) { window in
                    let row = rows?.row(window) ?? WindowInput.row(window, network.inputKind)
                    body(compiled.observe(row, of: network), labels.firstIndex(of: names[segment.label]) ?? 0)
                }
            }
        }
    }

    private func forEachWindow(of segment: TrainingSet.Segment, _ network: Network, offset: Int = 0, _ body: ([Int16]) -> Void) {
        let first = segment.range.lowerBound + offset * network.hop / Rule.offsets
        for start in stride(from: first, through: segment.range.upperBound - network.window, by: network.hop) {
            body(Array(set.streams[segment.stream].samples[start * 3..<(start + network.window) * 3]))
        }
    }

    private func wornRows(_ network: Network) throws(Fault) -> WearingRows? {
        try WearingRows.oriented(
            network, WearingKnowledge(configured: configured),
            remedy: "Record some walking, or say how the sensor was worn: --up AXIS."
        ) { (body) throws(Fault) in
            for segment in set.segments { forEachWindow(of: segment, network, body) }
        }
    }

    // Every class weighs the same.
    private func learn(_ rows: [[Float]], _ truths: [Int]) -> FloatWeights {
        let layer = LastLayer(
            inputs: network.lastSource.count, outputs: labels.count, old: network.lastWeights, pull: Rule.pull)
        return layer.learn(rows, truths, weights: LastLayer.weights(of: truths, classes: labels.count))
    }

    // What becomes of people who did not record: the model's examples, which come first, by layers that learnt every other one of them.
    private func kept(_ rows: [[Float]], _ truths: [Int], examples: Int) -> (before: Double, after: Double)? {
        guard let old = network.lastWeights, examples > 1 else { return nil }
        func isRight(_ weights: FloatWeights, _ row: Int) -> Bool { LastLayer.scores(weights, rows[row]).indexOfLargest == truths[row] }
        var before = 0, after = 0
        for part in 0...1 {
            let left = (0..<examples).filter { $0 % 2 == part }, learnt = rows.indices.filter { $0 >= examples || $0 % 2 != part }
            let weights = learn(learnt.map { rows[$0] }, learnt.map { truths[$0] })
            before += left.count { isRight(old, $0) }
            after += left.count { isRight(weights, $0) }
        }
        return (Double(before) / Double(examples), Double(after) / Double(examples))
    }
}
