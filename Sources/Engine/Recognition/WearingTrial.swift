package import NeuralNetwork
package import Support

/// How a sensor is worn, from a few seconds in which its wearer walks.
package struct WearingTrial: Sendable {
    /// Learnt, to go on with.
    package let orientation: Orientation
    /// The place of the body.
    package let placement: String?

    /// The recording is looked at so often: its first windows tell the directions in which all of them are then seen.
    package static let passes = 3

    /// - Throws: `.usage` for a network that does not need this.
    package static func check(_ network: Network) throws(Fault) {
        guard network.inputKind == .worn else {
            throw Fault(.usage, "this model has learnt one way to wear the sensor, and finds no other", remedy: "See its card.")
        }
    }

    /// - Parameters:
    ///   - samples: Q3.12 g, x, y, z interleaved, as the sensor gave them.
    ///   - rate: mHz.
    /// - Throws: `.usage` when the network does not need this, or for a rate that cannot be used; `.badData` when too little of it is
    ///   walking.
    package init(_ samples: [Int16], rate: Int, network: Network) throws(Fault) {
        try Self.check(network)
        var recogniser = try Recogniser(network, rate: rate, block: samples.count / 3), placement: String?, windows = 0
        for _ in 0..<Self.passes {
            recogniser.reset()
            recogniser.push(samples, count: samples.count / 3) {
                placement = $0.placement
                windows += 1
            }
        }
        guard let orientation = recogniser.orientation, orientation.isKnown else {
            throw Fault(
                .badData,
                "of \(windows / Self.passes) windows, \((recogniser.orientation?.windows ?? 0) / Self.passes) look like walking: too few",
                remedy: "Walk straight on at your usual pace from the bell to the bell, for 10 seconds or more (--seconds).")
        }
        self.orientation = orientation
        self.placement = placement
    }
}
