/// One step along a mean gradient. Crowd-ML's rules; those that remember do so of the mean, not of the last device's gradient as in 2017.
package struct Descent: Sendable, Equatable {
    package enum Algorithm: String, Sendable, CaseIterable {
        /// c
        case constant
        /// c/t
        case simple
        /// c/√t, the paper's
        case sqrt
        /// c/√(sum of g² + eps), for each weight
        case adagrad
        /// c/√(0.9 r + 0.1 g² + eps), for each weight
        case rmsProp
    }

    package let algorithm: Algorithm
    /// c.
    package let rate: Double
    package let epsilon: Double
    /// Weights stay within this distance of zero (the paper's projection); nil for anywhere.
    package let radius: Double?
    /// What adagrad and rmsProp remember of each weight.
    package var memory: [Double]

    package init(_ algorithm: Algorithm, rate: Double, epsilon: Double, radius: Double? = nil, length: Int) {
        (self.algorithm, self.rate, self.epsilon, self.radius) = (algorithm, rate, epsilon, radius)
        memory = algorithm == .adagrad || algorithm == .rmsProp ? [Double](repeating: 0, count: length) : []
    }

    /// - Parameter iteration: t, from 1.
    package mutating func step(_ weights: inout [Double], along gradient: [Double], iteration: Int) {
        let t = Double(max(1, iteration))
        switch algorithm {
        case .constant: Self.move(&weights, gradient, rate)
        case .simple: Self.move(&weights, gradient, rate / t)
        case .sqrt: Self.move(&weights, gradient, rate / t.squareRoot())
        case .adagrad:
            for index in weights.indices {
                let g = gradient[index]
                memory[index] += g * g
                weights[index] -= rate / (memory[index] + epsilon).squareRoot() * g
            }
        case .rmsProp:
            for index in weights.indices {
                let g = gradient[index]
                memory[index] = 0.9 * memory[index] + 0.1 * g * g
                weights[index] -= rate / (memory[index] + epsilon).squareRoot() * g
            }
        }
        guard let radius else { return }
        let norm = weights.reduce(0) { $0 + $1 * $1 }.squareRoot()
        if norm > radius { for index in weights.indices { weights[index] *= radius / norm } }
    }

    private static func move(_ weights: inout [Double], _ gradient: [Double], _ rate: Double) {
        for index in weights.indices { weights[index] -= rate * gradient[index] }
    }
}
