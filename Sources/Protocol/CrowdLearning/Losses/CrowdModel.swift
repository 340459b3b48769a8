package import Support

/// What a crowd learns: a loss, and how many numbers its weights are.
///
/// Names and lengths as in Crowd-ML's `/parameters`; weights of several classes are class-major (index k·D + j), those of the network
/// W1[D×h] b1 W2[h×h] b2 W3[h×K] b3, row-major.
package struct CrowdModel: Sendable, Equatable {
    package enum Loss: String, Sendable, CaseIterable {
        /// Two classes, log(1 + exp(-y w·x)).
        case logistic = "LogReg"
        /// Two classes, max(0, 1 - y w·x).
        case hinge = "Hinge"
        case softmax = "Softmax"
        /// Two hidden layers with ReLU.
        case network = "SoftmaxNN"

        /// The names of all clients: Python's network has another.
        package init?(named name: String) {
            guard let found = name == "NNdemo1" ? .network : Self(rawValue: name) else { return nil }
            self = found
        }
    }

    package let loss: Loss
    /// D, the constant included where there is one.
    package let features: Int
    /// K.
    package let classes: Int
    /// h, of the network alone.
    package let hidden: Int

    /// - Throws: `.badData` when no such model can be made, or one above ten million weights.
    package init(_ loss: Loss, features: Int, classes: Int, hidden: Int = 0) throws(Fault) {
        guard (1...1_000_000).contains(features), (2...1000).contains(classes), loss != .network || (1...10_000).contains(hidden) else {
            throw Fault(
                .badData, "\(loss.rawValue) of \(features) features, \(classes) classes and \(hidden) hidden units cannot be learnt")
        }
        guard loss == .softmax || loss == .network || classes == 2 else {
            throw Fault(.badData, "\(loss.rawValue) tells two classes apart, not \(classes)", remedy: "Use Softmax.")
        }
        (self.loss, self.features, self.classes, self.hidden) = (loss, features, classes, loss == .network ? hidden : 0)
        guard length <= 10_000_000 else {
            throw Fault(.badData, "\(loss.rawValue) of \(features) features has \(length) weights: at most 10,000,000 can be learnt")
        }
    }

    /// Numbers of the weights, and of a gradient.
    package var length: Int {
        switch loss {
        case .logistic, .hinge: features
        case .softmax: features * classes
        case .network: (features + 1) * hidden + (hidden + 1) * hidden + (hidden + 1) * classes
        }
    }

    /// The class of one sample; nil where two are equally likely, which counts as wrong.
    package func predict(_ x: ArraySlice<Double>, _ weights: [Double]) -> Int? {
        switch loss {
        case .logistic, .hinge:
            let score = dot(x, weights[...])
            return score > 0 ? 1 : score < 0 ? 0 : nil
        case .softmax: return scores(x, weights).indexOfLargest
        case .network: return SoftmaxNetwork(self, weights).scores(x).indexOfLargest
        }
    }

    /// Share of the samples that are decided wrongly, 0 ... 1.
    package func error(_ weights: [Double], on data: CrowdData) -> Double {
        guard data.count > 0 else { return 0 }
        let wrong = (0..<data.count).count { predict(data.features(of: $0), weights) != data.labels[$0] }
        return Double(wrong) / Double(data.count)
    }

    func scores(_ x: ArraySlice<Double>, _ weights: [Double]) -> [Double] {
        (0..<classes).map { dot(x, weights[$0 * features..<($0 + 1) * features]) }
    }
}

func dot(_ a: ArraySlice<Double>, _ b: ArraySlice<Double>) -> Double {
    var sum = 0.0
    for (a, b) in zip(a, b) { sum += a * b }
    return sum
}

/// p_k of K scores, stable for scores of any size.
func softmax(_ scores: [Double]) -> [Double] {
    let top = scores.max() ?? 0, powers = scores.map { Exponential.exp($0 - top) }, sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
}
