internal import Conversion
package import NeuralNetwork
package import Sensing
package import Support

/// Adapts a network to one person from a few seconds of each activity: its last layer alone changes, and only as far as the examples of
/// other people that it carries are decided as well as before.
package struct Personalisation {
    package struct Result: Sendable {
        package var network: Network
        /// Windows of each label that were learnt from.
        package var windows: [(label: String, count: Int)]
        /// Of those windows, right before and after.
        package var before = 0.0, after = 0.0
        /// The same of the examples of other people.
        package var othersBefore = 0.0, othersAfter = 0.0
        /// How much of the change was taken, 0 ... 1.
        package var share = 0.0
        /// Activities of the recordings that the network does not know.
        package var foreign: [String]
    }

    private enum Rule {
        static let pull: Float = 0.01
        /// Of the person's windows in the loss, beside the examples of others.
        static let own: Float = 0.5
        static let shares: [Float] = [1, 0.75, 0.5, 0.25]
    }

    private let network: Network
    private let weights: FloatWeights
    private let exemplars: Exemplars
    private let seconds: Int

    /// - Parameter seconds: of each activity that are learnt from, at most.
    /// - Throws: `.badData` for a network whose last layer is not dense, or that carries no examples of other people.
    package init(_ network: Network, seconds: Int = 10) throws(Fault) {
        guard let weights = network.lastWeights, [.raw, .worn].contains(network.inputKind), network.output == .softmax,
            let exemplars = network.exemplars, Set(exemplars.labels).count == network.labels.count
        else {
            throw Fault(
                .badData, "only a network on windows whose last layer is dense, with examples of each activity, can be adapted",
                remedy: "Use a worn or sequence network that gaitway train made of several people's recordings, which carries some.")
        }
        (self.network, self.weights, self.exemplars, self.seconds) = (network, weights, exemplars, seconds)
    }

    /// - Parameters:
    ///   - people: whose recordings they are, where a set names them.
    ///   - version: of the model that is made.
    /// - Throws: `.badData` when nothing of it can be learnt from.
    package func learn(
        from streams: [LabelledStream], of people: [String] = [], known: WearingKnowledge = WearingKnowledge(), version: Int
    ) throws(Fault) -> Result {
        let own = try PersonalWindows(streams, of: network, seconds: seconds, known: known)
        guard !own.labels.isEmpty else {
            throw Fault(
                .badData, "there is no window of what the model knows: \(network.labels.joined(separator: ", "))",
                remedy: "Record some: gaitway record WALKING. `gaitway train --from` teaches it other activities.")
        }
        let rows = own.embeddings.map(network.real(embedding:)), others = exemplars.values.map(network.real(embedding:)),
            truths = own.labels + exemplars.labels
        let learnt = LastLayer(
            inputs: weights.inputs, outputs: weights.outputs, old: weights, pull: Rule.pull
        ).learn(rows + others, truths, weights: losses(own.labels))
        var result = Result(
            network: network, windows: network.labels.indices.map { label in (network.labels[label], own.labels.count { $0 == label }) },
            foreign: own.foreign)
        result.windows.removeAll { $0.count == 0 }
        (result.before, result.othersBefore) = (right(weights, rows, own.labels), right(weights, others, exemplars.labels))
        (result.after, result.othersAfter) = (result.before, result.othersBefore)
        for share in Rule.shares {
            // As it is written, not as it was learnt: quantised.
            let candidate = try adapted(mix(learnt, share), rows + others, own)
            guard let quantised = candidate.lastWeights else { break }
            let after = right(quantised, rows, own.labels), rest = right(quantised, others, exemplars.labels)
            guard rest >= result.othersBefore, after >= result.before else { continue }
            (result.after, result.othersAfter, result.share) = (after, rest, Double(share))
            result.network = candidate
            break
        }
        if result.share > 0 { result.network.trainedOn = Set(network.trainedOn + people).sorted() }
        result.network.version = version
        return result
    }

    // Of each row in the loss: the person's and the others'.
    private func losses(_ own: [Int]) -> [Float] {
        let classes = network.labels.count
        return LastLayer.weights(of: own, classes: classes, share: Rule.own)
            + LastLayer.weights(of: exemplars.labels, classes: classes, share: 1 - Rule.own)
    }

    private func mix(_ learnt: FloatWeights, _ share: Float) -> FloatWeights {
        var mixed = weights
        mixed.values = zip(weights.values, learnt.values).map { $0 + share * ($1 - $0) }
        mixed.bias = zip(weights.bias, learnt.bias).map { $0 + share * ($1 - $0) }
        return mixed
    }

    private func right(_ weights: FloatWeights, _ rows: [[Float]], _ labels: [Int]) -> Double {
        let right = zip(rows, labels).count { row, label in LastLayer.scores(weights, row).indexOfLargest == label }
        return Double(right) / Double(max(labels.count, 1))
    }

    private func adapted(_ weights: FloatWeights, _ rows: [[Float]], _ own: PersonalWindows) throws(Fault) -> Network {
        // Other windows than these give scores as far apart as before.
        let range = LastLayer.range(weights, rows), old = network.last.quantisation, type = network.last.type
        let low = min(range.lowerBound, old.real(Int16(clamping: type.range.lowerBound))),
            high = max(range.upperBound, old.real(Int16(clamping: type.range.upperBound)))
        var tuned = network.replacingLast(weights, labels: network.labels, range: low...high), maker = PrototypeMaker()
        for (embedding, label) in zip(own.embeddings, own.labels) { maker.take(embedding, key: network.labels[label]) }
        tuned.exemplars = exemplars
        tuned.prototypes = network.prototypes.map(maker.added)
        var compiled = try CompiledNetwork(tuned)
        tuned.golden = compiled.golden(for: try GoldenWindow.row(network))
        return tuned
    }
}
