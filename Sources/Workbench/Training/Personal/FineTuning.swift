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
        /// The recordings' last parts, in fixed point.
        package var fixed: ConfusionMatrix
    }

    private enum Rule {
        static let decay: Float = 0.005
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
        guard network.lastWeights != nil, [.raw, .worn].contains(network.inputKind), network.output == .softmax else {
            throw Fault(
                .badData, "only a network on windows whose last layer is dense, with soft-max, can learn new classes",
                remedy: "Train without --from.")
        }
        self.configured = configured
        set = try TrainingSet(store: store, window: network.window, fewest: 1)
        // "walking" is the network's WALKING.
        names = set.labels.map { own in network.labels.first { $0.lowercased() == own.lowercased() } ?? own }
        labels = network.labels + names.filter { !network.labels.contains($0) }
        guard labels.count <= 64 else { throw Fault(.badData, "\(labels.count) classes are more than the 64 that a network can have") }
        let held = Set((network.exemplars?.labels ?? []).map { network.labels[$0] } + names)
        if let forgotten = network.labels.first(where: { !held.contains($0) }) {
            throw Fault(
                .badData, "the model carries no examples of \(forgotten), which it would forget",
                remedy: "Record \(forgotten), too, or train without --from.")
        }
        self.network = network
    }

    package func train(version: Int) throws(Fault) -> Result {
        var rows: [[Float]] = [], truths: [Int] = []
        let exemplars = network.exemplars ?? Exemplars(labels: [], values: [])
        for (label, values) in zip(exemplars.labels, exemplars.values) {
            rows.append(real(values))
            truths.append(label)
        }
        try forEachWindow(network, areTest: false) { tensors, label in
            rows.append(real(tensors[network.layers.last?.sources.first ?? 0]))
            truths.append(label)
        }
        let weights = learn(rows, truths)
        var tuned = network.replacingLast(weights, labels: labels, range: LastLayer.range(weights, rows))
        tuned.version = version
        var compiled = try CompiledNetwork(tuned)
        tuned.golden = compiled.golden(for: try GoldenWindow.row(network))
        var picker = ExemplarPicker(labels: labels.count), maker = PrototypeMaker()
        for (label, values) in zip(exemplars.labels, exemplars.values) { picker.take(values, label: label) }
        try forEachWindow(network, areTest: false) { tensors, label in
            picker.take(tensors, of: network, label: label)
            maker.take(tensors[network.layers.last?.sources.first ?? 0], key: labels[label])
        }
        tuned.exemplars = picker.exemplars
        tuned.prototypes = network.prototypes.map(maker.added)
        var matrix = ConfusionMatrix(labels: labels)
        try forEachWindow(tuned, areTest: true) { tensors, label in
            matrix.count(truth: label, decided: tensors[tensors.count - 1].indexOfLargest)
        }
        return Result(
            network: tuned, added: names.filter { !network.labels.contains($0) }, windows: rows.count - exemplars.labels.count,
            exemplars: exemplars.labels.count, fixed: matrix)
    }

    private func real(_ values: [Int16]) -> [Float] { values.map { Float(network.lastSource.quantisation.real($0)) } }

    // Every window of the recordings' first or last parts, in their order, with all of the network's tensors.
    private func forEachWindow(_ network: Network, areTest: Bool, _ body: ([[Int16]], Int) -> Void) throws(Fault) {
        var compiled = try CompiledNetwork(network), rows = try wornRows(network)
        for segment in set.segments where segment.isTest == areTest {
            for offset in 0..<Rule.offsets {
                compiled.reset()
                forEachWindow(of: segment, network, offset: offset) { window in
                    let row = rows?.row(window) ?? window
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

    // Rows of a worn network, after all recordings were looked at once for how the sensor was worn; nil for other networks.
    private func wornRows(_ network: Network) throws(Fault) -> WearingRows? {
        guard network.inputKind == .worn else { return nil }
        var rows = try WearingRows(network)
        rows.use(configured)
        // Its first windows of walking tell the directions in which all of them are then seen.
        for _ in 0..<WearingTrial.passes where rows.orientation != .learnt {
            for segment in set.segments { forEachWindow(of: segment, network) { _ = rows.row($0) } }
        }
        guard rows.orientation != .unknown else {
            throw Fault(
                .badData, "it is not known which way is up: nobody walks for ten seconds in these recordings",
                remedy: "Record some walking, or say how the sensor was worn: --up AXIS.")
        }
        return rows
    }

    // Every class weighs the same.
    private func learn(_ rows: [[Float]], _ truths: [Int]) -> FloatWeights {
        let counts = labels.indices.map { label in truths.count { $0 == label } }, present = Float(counts.count { $0 > 0 })
        let layer = LastLayer(
            inputs: network.lastSource.count, outputs: labels.count, old: network.lastWeights, decay: .toOld(Rule.decay))
        return layer.learn(rows, truths, weights: truths.map { 1 / (Float(counts[$0]) * present) })
    }
}
