package import NeuralNetwork

extension Network {
    /// The weights of a last layer that is dense on all of what it reads, as real numbers.
    package var lastWeights: FloatWeights? {
        guard let last = layers.last, case .dense(let weights) = last.operation, last.sources.count == 1,
            weights.inputs == lastSource.count
        else { return nil }
        return weights.real(source: lastSource.quantisation.scale, result: last.output.quantisation.scale)
    }

    /// The same network with another dense last layer, quantised as it is, and other labels; its golden pair has to be made anew.
    ///
    /// - Parameter range: of what the new layer gives.
    package func replacingLast(_ weights: FloatWeights, labels: [String], range: ClosedRange<Double>) -> Network {
        precondition(weights.outputs == labels.count && weights.inputs == lastSource.count)
        let source = lastSource, output = Quantisation(covering: range, type: source.type), limit = Double((1 << (bits - 1)) - 1)
        var quantised = Weights(
            type: bits > 8 ? .int16 : .int8, inputs: weights.inputs, outputs: weights.outputs, values: [], bias: [], multipliers: [])
        for row in 0..<weights.outputs {
            let values = weights.values[row * weights.inputs..<(row + 1) * weights.inputs],
                peak = Double(values.reduce(0) { max($0, $1.magnitude) })
            let step = peak > 0 ? peak / limit : 1
            quantised.append(
                values.map { max(-limit, min(limit, (Double($0) / step).rounded())) }, step: step, bias: Double(weights.bias[row]),
                from: source, to: output)
        }
        var network = self
        network.labels = labels
        network.golden = nil
        network.exemplars = nil
        network.first = nil
        network.layers[layers.count - 1] = Layer(
            .dense(quantised), sources: layers[layers.count - 1].sources,
            output: Tensor(source.type, channels: labels.count, quantisation: output))
        return network
    }
}
