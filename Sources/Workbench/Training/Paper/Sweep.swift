package import Evaluation
package import NeuralNetwork

/// One network in float and quantised with several numbers of bits, all measured on the same windows.
package struct Sweep: Sendable {
    package struct Step: Sendable {
        /// k of the weights; above 8 the numbers between the layers are int16.
        package var bits: Int
        package var network: Network
        package var matrix: ConfusionMatrix
    }

    package let float: ConfusionMatrix
    package let fixed: [Step]
    private var learner: Learner
    private let normalisation: Normalisation

    init(float: ConfusionMatrix, fixed: [Step], learner: Learner, normalisation: Normalisation) {
        self.float = float
        self.fixed = fixed
        self.learner = learner
        self.normalisation = normalisation
    }

    package func step(bits: Int) -> Step? { fixed.first { $0.bits == bits } }

    /// Bytes of the weights in float.
    package var floatBytes: Int {
        learner.network.weights.reduce(0) { $0 + $1.rows * $1.columns * 4 } + learner.network.biases.reduce(0) { $0 + $1.columns * 4 }
    }

    /// Decides on one window (Q3.12 g) in float, with the trainer's vector instructions: what fixed point is compared with.
    package mutating func classifyInFloat(_ window: [Int16]) -> Int {
        var input = Matrix(1, window.count)
        for (index, sample) in window.enumerated() {
            input.values[index] = (Float(sample) * 0x1p-12 - normalisation.column(index).mean) * normalisation.column(index).scale
        }
        let scores = learner.evaluate(input, rows: 1).scores
        return (0..<scores.columns).reduce(0) { scores[0, $1] > scores[0, $0] ? $1 : $0 }
    }
}
