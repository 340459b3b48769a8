internal import FoundationEssentials
internal import NeuralNetwork
package import Support

/// The old Swift-AI's weight storage, as Swift-HAR saved its network: JSON with the layers' sizes and one list of weights, for each unit
/// its bias first. Labels are Gaitway's addition; the original left them to the program.
package struct SwiftAIFile: Codable, Sendable {
    package var inputs: Int, hidden: Int, outputs: Int
    package var momentum: Float, learningRate: Float
    package var hiddenActivation = "ReLU", outputActivation = "sigmoid", costFunction = "meanSquared"
    package var weights: [Float]
    package var labels: [String]?

    package static let sizeLimit = 64 << 20
    /// Samples of a window at 50 Hz. Swift-HAR's have 100 at 100 Hz: the same second.
    package static let window = 50
    private static let windowInputs = 300

    package init(
        inputs: Int, hidden: Int, outputs: Int, momentum: Float, learningRate: Float, weights: [Float], labels: [String]?
    ) {
        (self.inputs, self.hidden, self.outputs, self.momentum) = (inputs, hidden, outputs, momentum)
        (self.learningRate, self.weights, self.labels) = (learningRate, weights, labels)
    }

    /// - Throws: `.badData` when it is no such file or its numbers do not fit.
    package init(_ bytes: [UInt8], path: String) throws(Fault) {
        guard let file = try? JSONDecoder().decode(SwiftAIFile.self, from: Data(bytes)) else {
            throw Fault(
                .badData, "\(path) is neither a weight file of Swift-AI nor what XGBoost's save_model writes",
                remedy: """
                    Swift-AI's has inputs, hidden, outputs and weights (those of 0.3 have no biases, and cannot be run). Save \
                    XGBoost's trees with save_model("trees.json"); convert LightGBM's with onnxmltools.
                    """)
        }
        guard file.hiddenActivation == "ReLU", file.outputActivation == "sigmoid", file.inputs == Self.windowInputs,
            (1...4096).contains(file.hidden), (1...64).contains(file.outputs)
        else {
            throw Fault(.badData, "\(path) is no 300-N-N network with ReLU and sigmoid")
        }
        let count = file.hidden * (file.inputs + 1) + file.outputs * (file.hidden + 1)
        guard file.weights.count == count else {
            throw Fault(
                .badData, "\(file.inputs)-\(file.hidden)-\(file.outputs) has \(count) weights, and \(path) has \(file.weights.count)")
        }
        guard file.weights.allSatisfy(\.isFinite) else { throw Fault(.badData, "\(path) has a weight that is not a finite number") }
        guard file.labels?.count ?? file.outputs == file.outputs else {
            throw Fault(.badData, "\(path) has \(file.labels?.count ?? 0) labels for \(file.outputs) outputs")
        }
        self = file
    }

    package var bytes: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(self)).map { Array($0) }
    }

    /// The same on windows of one second at 50 Hz (``NetworkInput/shifted``): each sample stands for two at 100 Hz, as the phone's timer
    /// copied the latest value; x, y, z of each sample instead of one axis after the other.
    package var graph: FloatGraph {
        let samples = inputs / 3, first = hidden * (inputs + 1)
        var values: [Float] = [], bias: [Float] = []
        values.reserveCapacity(hidden * Self.window * 3)
        for unit in 0..<hidden {
            let start = unit * (inputs + 1)
            bias.append(weights[start])
            for sample in 0..<Self.window {
                for axis in 0..<3 {
                    let at = start + 1 + axis * samples + 2 * sample
                    values.append(weights[at] + weights[at + 1])
                }
            }
        }
        var graph = FloatGraph(input: FloatShape(channels: Self.window * 3), output: .independent)
        graph.appendDense(FloatWeights(inputs: Self.window * 3, outputs: hidden, values: values, bias: bias))
        graph.appendCurve(.relu)
        let rows = (0..<outputs).map { first + $0 * (hidden + 1) }
        graph.appendDense(
            FloatWeights(
                inputs: hidden, outputs: outputs, values: rows.flatMap { weights[$0 + 1..<$0 + 1 + hidden] },
                bias: rows.map { weights[$0] }))
        graph.appendCurve(.sigmoid)
        return graph
    }
}
