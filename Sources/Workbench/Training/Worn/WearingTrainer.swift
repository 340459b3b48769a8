internal import Conversion
internal import NeuralNetwork
internal import Support

/// Trains the two small networks that tell how the sensor is worn: one that finds walking however it is turned, one that finds the place
/// of the body from how somebody walks.
struct WearingTrainer {
    private let set: WornSet
    private let bits: Int

    private enum Rule {
        static let batch = 128, hidden = 24
        static let gaitSteps = 4000, placementSteps = 1500
        static let rate: Float = 3e-3
        static let gaitDecay: Float = 0.02, placementDecay: Float = 0.2
        static let smoothing: Float = 0.02
        /// Profiles of each wearing.
        static let profiles = 40
        /// Standard deviation of what is added to normalised profiles.
        static let noise = 0.3
        static let calibrating = 4000
    }

    init(_ set: WornSet, bits: Int) { (self.set, self.bits) = (set, bits) }

    /// Features that no turn of the sensor changes to something else and walking.
    func gait(_ random: inout RandomNumbers) throws(Fault) -> Network {
        let width = NetworkInput.countWearing
        let walking = set.labels.firstIndex(of: WornSet.walking)
        var rows: [ArraySlice<Int16>] = [], labels: [Int] = []
        for sequence in set.sequences {
            for (index, label) in sequence.classes.enumerated() where label != RecordingLabels.nothing && sequence.isWhole[index] {
                rows.append(sequence.features[index * width..<(index + 1) * width].gait)
                labels.append(label == walking ? 1 : 0)
            }
        }
        for features in set.shaken {
            rows.append(features[...].gait)
            labels.append(0)
        }
        return try learn(
            rows, labels, names: ["other", "walking"], steps: Rule.gaitSteps, decay: Rule.gaitDecay, noise: 0, &random)
    }

    /// Profiles to places of the body.
    ///
    /// - Parameter gait: the network that finds walking.
    func placement(_ gait: Network, _ random: inout RandomNumbers) throws(Fault) -> Network {
        let profiles = try WalkingProfiles(set, walking: gait)
        var rows: [ArraySlice<Int16>] = [], labels: [Int] = [], sets: [String] = []
        for (index, wearing) in set.wearings.enumerated() {
            for _ in 0..<Rule.profiles {
                guard let profile = profiles.next(index, &random) else { continue }
                rows.append(profile[...])
                labels.append(set.placements.firstIndex(of: wearing.placement) ?? 0)
                sets.append(wearing.set)
            }
        }
        guard !rows.isEmpty else {
            throw Fault(.badData, "no window of these recordings shows walking", remedy: "Label some walking as WALKING.")
        }
        let steady = SteadyFeatures(rows, places: labels, sets: sets)
        return try learn(
            rows, labels, names: set.placements, steps: Rule.placementSteps, decay: Rule.placementDecay, noise: Rule.noise,
            using: steady.isUsed, &random)
    }

    private func learn(
        _ rows: [ArraySlice<Int16>], _ labels: [Int], names: [String], steps: Int, decay: Float, noise: Double,
        using columns: [Bool]? = nil, _ random: inout RandomNumbers
    ) throws(Fault) -> Network {
        var (means, scales) = WornNetwork.normalisation(of: rows)
        let width = means.count
        // Of a column that is not used each value is the mean.
        for (column, isUsed) in (columns ?? []).enumerated() where !isUsed { scales[column] = 0 }
        var learner = Learner(FloatNetwork(inputs: width, hidden: Rule.hidden, outputs: names.count, &random), batch: Rule.batch)
        var inputs = Matrix(Rule.batch, width), truths = [Int](repeating: 0, count: Rule.batch)
        // Every class as often as the others.
        let byLabel = names.indices.map { label in labels.indices.filter { labels[$0] == label } }.filter { !$0.isEmpty }
        for step in 0..<steps {
            for place in 0..<Rule.batch {
                let some = byLabel[random.below(byLabel.count)], index = some[random.below(some.count)], row = rows[index]
                truths[place] = labels[index]
                for (column, value) in row.enumerated() {
                    let exact = (Float(value) * 0x1p-12 - means[column]) * scales[column]
                    let isNoisy = noise > 0 && scales[column] > 0
                    inputs[place, column] = isNoisy ? exact + Float(noise * random.normal()) : exact
                }
            }
            let rate = Rule.rate * Float(0.5 + 0.5 * Cosine.ofHalfTurn(Double(step) / Double(steps)))
            learner.step(inputs, labels: truths[...], rate: rate, decay: decay, smoothing: Rule.smoothing)
        }
        let graph = learner.network.graph(undoing: Normalisation(means: means, scales: scales))
        let every = max(1, rows.count / Rule.calibrating)
        let calibrated = try CalibratedGraph(
            graph, count: rows.count / every, row: { rows[$0 * every].map { Float($0) * 0x1p-12 } })
        let naming = ImportOptions(input: .features, labels: names, state: .fresh)
        return try calibrated.quantised(QuantiserOptions(bits: bits, activations: .int16), naming, path: "the network").network
    }
}
