package import NeuralNetwork
package import Sensing
package import Support

/// What a whole recording shows: the windows' mean probabilities.
package struct Vote: Sendable, Equatable {
    package var labels: [String]
    /// Of each label, 0 ... 1.
    package var shares: [Double]
    package var windows: Int
    /// How the last window knew which way is up; nil for networks that do not need that. Where it is unknown, walking is all that can be
    /// told.
    package var orientation: KnownBy?

    /// Of the labels, the first of those with the largest share; "unknown" where nothing can be told.
    package var answer: String {
        windows > 0 ? labels[shares.indexOfLargest] : Smoothing.unknown
    }

    /// - Parameters:
    ///   - samples: Q3.12 g, x, y, z interleaved, as the sensor gave them.
    ///   - rate: mHz.
    ///   - configured: how the sensor is worn before walking has shown it.
    ///   - learnt: what walking has shown before.
    /// - Throws: `.badData` when they do not make one window; `.usage` for a rate that cannot be used.
    package init(
        _ samples: [Int16], rate: Int, network: Network, configured: ConfiguredWearing? = nil, learnt: Orientation? = nil
    ) throws(Fault) {
        var recogniser = try Recogniser(network, rate: rate, block: samples.count / 3),
            sums = [Int](repeating: 0, count: network.labels.count), windows = 0, all = 0, orientation: KnownBy?
        if let configured { recogniser.use(configured) }
        if let learnt { recogniser.use(learnt) }
        recogniser.push(samples, count: samples.count / 3) { decision in
            all += 1
            orientation = decision.orientation
            guard decision.label != nil else { return }
            for (index, probability) in decision.probabilities.enumerated() { sums[index] += Int(probability) }
            windows += 1
        }
        guard all > 0 else {
            throw Fault(
                .badData,
                """
                \(Decimals.text(Int64(samples.count / 3) * 1000, over: rate, places: 1)) s do not make one window of \
                \(Decimals.text(network.window, over: 50, places: 2)) s
                """,
                remedy: "Record longer: --seconds.")
        }
        labels = network.labels
        let whole = Double(max(sums.reduce(0, +), 1))
        shares = sums.map { Double($0) / whole }
        self.windows = windows
        self.orientation = orientation
    }
}
