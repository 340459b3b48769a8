internal import NeuralNetwork

/// Weights of floats to integers.
extension Quantiser {
    /// What a row of weights reads, on average, element by element.
    typealias Means = (_ row: Int) -> [Double]

    // Every row reads the same.
    func means(_ layer: FloatLayer, _ weights: FloatWeights) -> Means {
        let all = sharedMeans(layer, weights)
        return { _ in all }
    }

    // Every row reads one channel.
    func channelMeans(_ layer: FloatLayer, _ weights: FloatWeights) -> Means {
        let channels = graph.shape(layer.sources[0]).channels, values = places[layer.sources[0]].means
        let positions = Double(max(values.count / channels, 1)), each = max(weights.outputs / channels, 1)
        var sums = [Double](repeating: 0, count: channels)
        for (index, value) in values.enumerated() { sums[index % channels] += value }
        return { row in [Double](repeating: sums[min(row / each, channels - 1)] / positions, count: weights.inputs) }
    }

    private func sharedMeans(_ layer: FloatLayer, _ weights: FloatWeights) -> [Double] {
        let values = places[layer.sources[0]].means, channels = graph.shape(layer.sources[0]).channels
        if case .dense = layer.operation, values.count == weights.inputs { return values }
        var sums = [Double](repeating: 0, count: channels)
        for (index, value) in values.enumerated() { sums[index % channels] += value }
        let positions = Double(max(values.count / channels, 1))
        return (0..<weights.inputs).map { sums[$0 % channels] / positions }
    }

    func feedback(_ tensor: Int, _ weights: FloatWeights, _ window: KernelShape? = nil) -> ErrorFeedback? {
        ErrorFeedback(moments[Reading(tensor: tensor, width: weights.inputs, window: window)])
    }

    func quantised(
        _ weights: FloatWeights, _ source: Tensor, _ means: Means?, _ feedback: ErrorFeedback?, _ output: Quantisation,
        _ rounding: Rounding, bits: Int? = nil
    ) -> Weights {
        let bits = bits ?? options.bits, limit = Double((1 << (bits - 1)) - 1)
        var result = Weights(
            type: bits > 8 ? .int16 : .int8, inputs: weights.inputs, outputs: weights.outputs, values: [], bias: [],
            multipliers: [], rounding: rounding)
        for row in 0..<weights.outputs {
            let values = weights.values[row * weights.inputs..<(row + 1) * weights.inputs]
            if keepsScales, let step = weights.step(ofRow: row) {
                let whole = values.map { (Double($0) / step).rounded() }
                result.append(whole, step: step, bias: Double(weights.bias[row]), from: source, to: output)
                continue
            }
            let peak = Double(values.reduce(0) { max($0, $1.magnitude) }), largest = peak > 0 ? peak / limit : 1
            let (step, rounded, change) =
                feedback?.rounded(values, largest: largest, limit: limit) ?? Self.rounded(values, step: largest, limit: limit, means?(row))
            result.append(rounded, step: step, bias: Double(weights.bias[row]) + change, from: source, to: output)
        }
        return result
    }

    /// Channels that are scaled and moved, as by a batch normalisation, between int8 layers of a file's own scales: by way of int16, whose
    /// weights and biases are so fine that what another runtime computes in float is rounded to the same integer.
    mutating func appendScale(_ weights: FloatWeights, _ place: Int, _ source: Tensor, _ sources: [Int], _ shape: FloatShape) {
        let end = fused(place), zeroPoint = end.quantisation.zeroPoint, step = end.quantisation.scale
        func append(_ operation: Operation, _ sources: [Int], scale: Double, limits: ClosedRange<Int>? = nil) -> Int {
            let quantisation = Quantisation(scale: scale, zeroPoint: 0)
            let output = Tensor(.int16, height: shape.height, width: shape.width, channels: shape.channels, quantisation: quantisation)
            layers.append(Layer(operation, sources: sources, output: output, limits: limits))
            return layers.count
        }
        var fine = Weights(
            type: .int16, inputs: 1, outputs: weights.outputs, values: [], bias: [], multipliers: [], rounding: .once)
        for channel in 0..<weights.outputs {
            let factor = Double(weights.values[channel]) * source.quantisation.scale / step, moved = Double(weights.bias[channel]) / step
            // Of what 16 bits hold of the one, or 44 of the other; a smaller one is no factor any more.
            let unit: Double = max(factor.magnitude / 32767, moved.magnitude * 0x1p-44, 0x1p-31)
            fine.values.append(Int16((factor / unit).rounded()))
            fine.bias.append(Int64((moved / unit).rounded()))
            fine.multipliers.append(Multiplier(unit))
        }
        let wide = append(.rescale(Multiplier(1)), sources, scale: source.quantisation.scale)
        let scaled = append(
            .depthwise(fine, KernelShape(height: 1, width: 1)), [wide], scale: step,
            limits: end.limits.lowerBound - zeroPoint...end.limits.upperBound - zeroPoint)
        finish(place, [scaled], end, shape: shape, .rescale(Multiplier(1)))
    }

    /// A mean over a window as equal weights: LiteRT's, which is the core's own, rounds twice.
    func meanRoundedOnce(_ source: Tensor, _ output: Quantisation, over window: KernelShape) -> Operation {
        let positions = window.height * window.width, factor = Multiplier(source.quantisation.scale / output.scale / Double(positions))
        return .depthwise(.sum(positions: positions, channels: source.channels, times: factor), window)
    }

    /// A tensor with all of its positions along one axis.
    mutating func lined(_ index: Int) -> Int {
        var tensor = tensor(index)
        guard tensor.height > 1 else { return index }
        (tensor.height, tensor.width) = (1, tensor.positions)
        layers.append(Layer(.rescale(Multiplier(1)), sources: [index], output: tensor))
        return layers.count
    }

    // Each weight by itself; the bias takes up the change for the mean input.
    private static func rounded(_ weights: ArraySlice<Float>, step: Double, limit: Double, _ means: [Double]?) -> ErrorFeedback.Row {
        let values = weights.map { max(-limit, min(limit, (Double($0) / step).rounded())) }
        return (step, values, means.map { zip(zip(weights, values), $0).reduce(0) { $0 + (Double($1.0.0) - $1.0.1 * step) * $1.1 } } ?? 0)
    }
}
