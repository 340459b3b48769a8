package import Conversion
package import CrowdLearning
package import Support

extension FloatGraph {
    /// A crowd's weights as a network on a window's features, which no longer are divided by the sum of their absolute values: that changes
    /// no decision of a linear model, and for the probabilities the weights are divided by what the sum is in the mean.
    ///
    /// - Parameter sum: of the absolute values of a sample, the constant's among them, in the mean.
    /// - Throws: `.badData` for hidden layers, whose decisions depend on the sum.
    package init(_ model: CrowdModel, _ weights: [Double], sum: Double) throws(Fault) {
        guard model.loss != .network else {
            throw Fault(
                .badData, "a network with hidden layers learns from normalised samples, and decides otherwise on a board's features",
                remedy: "Softmax can be exported.")
        }
        let inputs = model.features - 1
        guard inputs > 0, weights.count == model.length, sum > 0, sum.isFinite else {
            throw Fault(.badData, "\(weights.count) weights of \(model.features) features make no network")
        }
        // Of two classes the first one's score is zero.
        let rows = model.loss == .softmax ? weights : [Double](repeating: 0, count: model.features) + weights
        var values: [Float] = [], bias: [Float] = []
        for start in stride(from: 0, to: rows.count, by: model.features) {
            values += rows[start..<start + inputs].map { Float($0 / sum) }
            bias.append(Float(rows[start + inputs] / sum))
        }
        self.init(input: FloatShape(channels: inputs))
        appendDense(FloatWeights(inputs: inputs, outputs: bias.count, values: values, bias: bias))
    }
}
