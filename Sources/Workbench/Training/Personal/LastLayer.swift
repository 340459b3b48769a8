internal import Conversion
internal import Support

/// Soft-max regression on what a network's last layer reads, from the old weights.
struct LastLayer {
    private enum Rule {
        static let steps = 600
        static let rate: Float = 0.02
        static let smoothing: Float = 0.1
    }

    let inputs: Int, outputs: Int
    /// Of the network as it is; it may have fewer outputs.
    let old: FloatWeights?
    /// After every step weights go back to the old ones by this share of the way.
    let pull: Float

    /// - Parameter weights: of each row in the loss.
    func learn(_ rows: [[Float]], _ truths: [Int], weights: [Float]) -> FloatWeights {
        var random = RandomNumbers(seed: 1), layer = TrainableLayer(inputs: inputs, outputs: outputs, deviation: 0, &random),
            data = Matrix(rows.count, inputs)
        for (row, values) in rows.enumerated() { for (column, value) in values.enumerated() { data[row, column] = value } }
        if let old {
            for output in 0..<old.outputs {
                for input in 0..<inputs { layer.weights[input, output] = old.values[output * inputs + input] }
                layer.bias[0, output] = old.bias[output]
            }
        }
        var adam = Adam(), output = Matrix(rows.count, outputs)
        for step in 0..<Rule.steps {
            layer.forward(data, into: &output)
            for (row, truth) in truths.enumerated() {
                output.subtractTargets(row, label: truth, spread: Rule.smoothing) { $0 * weights[row] }
            }
            layer.takeGradient(data, output)
            adam.step(rate: Rule.rate * Float(0.5 + 0.5 * Cosine.ofHalfTurn(Double(step) / Double(Rule.steps))))
            layer.update(adam, decay: 0)
            goBack(&layer)
        }
        let values = (0..<outputs).flatMap { output in (0..<inputs).map { layer.weights[$0, output] } }
        return FloatWeights(inputs: inputs, outputs: outputs, values: values, bias: (0..<outputs).map { layer.bias[0, $0] })
    }

    private func goBack(_ layer: inout TrainableLayer) {
        guard let old else { return }
        for output in 0..<old.outputs {
            for input in 0..<inputs {
                layer.weights[input, output] += pull * (old.values[output * inputs + input] - layer.weights[input, output])
            }
            layer.bias[0, output] += pull * (old.bias[output] - layer.bias[0, output])
        }
    }

    /// Of each label's row in the loss: every class that is there weighs the same, all of them as much as `share`.
    static func weights(of labels: [Int], classes: Int, share: Float = 1) -> [Float] {
        let counts = (0..<classes).map { label in labels.count { $0 == label } }, present = Float(counts.count { $0 > 0 })
        return labels.map { share / (Float(counts[$0]) * present) }
    }

    /// What such a layer makes of a row, before soft-max.
    static func scores(_ weights: FloatWeights, _ row: [Float]) -> [Double] {
        (0..<weights.outputs).map { output in
            row.indices.reduce(Double(weights.bias[output])) { $0 + Double(row[$1]) * Double(weights.values[output * weights.inputs + $1]) }
        }
    }

    /// The least and the greatest of those, and zero.
    static func range(_ weights: FloatWeights, _ rows: [[Float]]) -> ClosedRange<Double> {
        let range = rows.map { scores(weights, $0) }.reduce((low: Double(0), high: Double(0))) { range, row in
            (row.reduce(range.low, min), row.reduce(range.high, max))
        }
        return range.low...range.high
    }
}
