internal import NeuralNetwork

extension Weights {
    /// Adds one output: its weights in steps of `step`, and its bias as a real number.
    mutating func append(_ rounded: [Double], step: Double, bias real: Double, from source: Tensor, to output: Quantisation) {
        let unit = source.quantisation.scale * step, most = source.type == .int8 ? 0x1p31 - 1 : 0x1p45
        values += rounded.map { Int16($0) }
        bias.append(Int64(max(-most, min(most, (real / unit).rounded()))))
        multipliers.append(Multiplier(unit / output.scale))
    }

    /// Those of a window that adds all positions of each channel, times a factor, rounded once.
    static func sum(positions: Int, channels: Int, times factor: Multiplier) -> Weights {
        Weights(
            inputs: positions, outputs: channels, values: [Int16](repeating: 1, count: positions * channels),
            bias: [Int64](repeating: 0, count: channels), multipliers: [Multiplier](repeating: factor, count: channels), rounding: .once)
    }

    /// As real numbers, given the scales of what they read and of what comes out: multipliers are input scale x weight scale / output
    /// scale.
    func real(source: Double, result: Double) -> FloatWeights {
        let scales = multipliers.map { $0.value * result / source }
        return FloatWeights(
            inputs: inputs, outputs: outputs, values: values.enumerated().map { Float(Double($0.element) * scales[$0.offset / inputs]) },
            bias: zip(bias, scales).map { Float(Double($0) * source * $1) })
    }
}
