internal import Support

/// What a noisy gradient gives away of any one sample, at most: epsilon-differential privacy, or (epsilon, delta) with Gaussian noise.
///
/// Two sets that differ in one sample are neighbours: it is a promise for each window, not for a person's whole life. Windows that
/// overlap share samples: of windows every half window each stretch of time is in two, and the promise for it is twice epsilon.
/// Source: Hamm et al., ICDCS 2015, for Laplace; Dwork and Roth, "The Algorithmic Foundations of Differential Privacy", A.1, for Gauss.
package enum PrivacyPromise: Sendable, Equatable {
    case holds(epsilon: Double, delta: Double)
    /// Nothing can be said, and why.
    case none(reason: String)

    package static let delta = 1e-5

    /// - Parameters:
    ///   - batch: samples whose mean gradient is sent.
    ///   - sendsWeights: whether weights are sent after local steps, and not a gradient.
    package init(_ noise: Noise, _ model: CrowdModel, on data: CrowdData, batch: Int, sendsWeights: Bool = false) {
        self.init(noise, model, isNormalised: data.isNormalised, batch: min(batch, data.count), sendsWeights: sendsWeights)
    }

    /// The same for samples that somebody else has.
    package init(_ noise: Noise, _ model: CrowdModel, isNormalised: Bool, batch: Int, sendsWeights: Bool) {
        guard isNormalised else {
            self = .none(reason: "the samples are not L1-normalised, so that one of them may change a gradient by any amount")
            return
        }
        guard !sendsWeights else {
            self = .none(reason: "weights after local steps are sent, and nobody has bounded how far one sample moves them")
            return
        }
        guard model.loss != .network else {
            self = .none(reason: "the gradient of a network with hidden layers has no bound")
            return
        }
        let batch = Double(max(1, batch))
        switch noise {
        case .none: self = .none(reason: "no noise is added")
        case .laplace(let scale): self = .holds(epsilon: model.absoluteSensitivity / (batch * scale), delta: 0)
        case .gaussian(let deviation):
            let epsilon = model.squareSensitivity / (batch * deviation) * (2 * Exponential.log(1.25 / Self.delta)).squareRoot()
            guard epsilon <= 1 else {
                self = .none(
                    reason:
                        """
                        the formula for Gaussian noise holds up to epsilon 1, and so little noise gives \
                        \(Decimals.text(epsilon, places: 1))
                        """
                )
                return
            }
            self = .holds(epsilon: epsilon, delta: Self.delta)
        }
    }

    /// The scale of the Laplace noise that gives `epsilon` with batches of one: the paper's 4/(b epsilon).
    package static func laplaceScale(_ epsilon: Double, _ model: CrowdModel, batch: Int) -> Double {
        model.absoluteSensitivity / (Double(batch) * epsilon)
    }
}

extension CrowdModel {
    /// The most by which another L1-normalised sample in a batch of one changes the gradient, in the sum of absolute values: with |x| <= 1
    /// a binary gradient is within 1 of zero, and soft-max's factors add up to 2 at most.
    var absoluteSensitivity: Double { loss == .softmax ? 4 : 2 }

    /// The same in the root of the sum of squares.
    var squareSensitivity: Double { loss == .softmax ? 8.0.squareRoot() : 2 }
}
