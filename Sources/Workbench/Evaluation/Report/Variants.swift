package import NeuralNetwork
package import Support

/// The same recordings, played in the ways that show what a model relies on.
package struct Variants: Sendable {
    package struct Variant: Sendable {
        package var name: String
        package var score: RecordingScore
    }

    package let variants: [Variant]

    private static let seed: UInt64 = 7

    /// - Parameters:
    ///   - options: people, placements and smoothing; seeds where they have some.
    ///   - score: what they gave, which is not measured again.
    /// - Throws: those of ``Evaluation/recordings(_:_:network:)``. Recordings that cannot be put into another order lack those lines.
    package init(_ directories: [String], _ options: Evaluation.Options, _ score: RecordingScore, network: Network) throws(Fault) {
        let measured = options
        var variants: [Variant] = []
        func play(_ name: String, isLife: Bool, isTurned: Bool, isCold: Bool = false) throws(Fault) {
            var options = options
            options.life = isLife ? options.life ?? Self.seed : nil
            options.turned = isTurned ? options.turned ?? Self.seed : nil
            options.isCold = isCold
            let isMeasured = options == measured
            variants.append(
                Variant(name: name, score: isMeasured ? score : try Evaluation.recordings(directories, options, network: network)))
        }
        try play("in the order of the recordings, as worn", isLife: false, isTurned: false)
        try play("in that order, turned at random", isLife: false, isTurned: true)
        if network.inputKind == .worn {
            try play("the same, from the first window", isLife: false, isTurned: true, isCold: true)
        }
        do {
            try play("in a random order, as worn", isLife: true, isTurned: false)
            try play("in a random order, turned at random", isLife: true, isTurned: true)
        } catch {
            // Each recording shows one activity alone: there is no other order.
            guard error.code == .badData else { throw error }
        }
        self.variants = variants
    }
}
