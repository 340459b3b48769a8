/// How a sum becomes an output: TFLite's kernels differ, and a network gives the same bits only with the same one.
public enum Rounding: String, Sendable, Codable {
    /// Halves up: LiteRT's FULLY_CONNECTED and Gaitway's own networks.
    case once
    /// LiteRT's convolutions and int8 LSTM.
    case twice
    /// By 16 bits of the multiplier: TFLite's int16 convolutions and LSTM.
    case reduced

    /// Of a convolution or an LSTM.
    static func ofConvolution(on input: IntegerType) -> Rounding { input == .int8 ? .twice : .reduced }
}

/// The weights of a layer in TFLite's quantisation: out[o] = round((bias[o] + sum of (in[i] - zero point) * values[o][i]) * multipliers[o]).
public struct Weights: Sendable, Equatable {
    /// int16 weights need int16 inputs.
    public var type: IntegerType
    public var inputs: Int
    public var outputs: Int
    /// [outputs][inputs], symmetric, one scale per output.
    public var values: [Int16]
    /// [outputs], in input scale x weight scale.
    public var bias: [Int64]
    /// [outputs]: input scale x weight scale / output scale.
    public var multipliers: [Multiplier]
    public var rounding: Rounding

    public init(
        type: IntegerType = .int8, inputs: Int, outputs: Int, values: [Int16], bias: [Int64], multipliers: [Multiplier], rounding: Rounding = .once
    ) {
        self.type = type
        self.inputs = inputs
        self.outputs = outputs
        self.values = values
        self.bias = bias
        self.multipliers = multipliers
        self.rounding = rounding
    }

    /// Bytes in the file, with biases of int32 beside int8 inputs.
    func bytes(beside input: IntegerType) -> Int { values.count * type.size + outputs * ((input == .int8 ? 4 : 8) + 5) }
}

extension Weights {
    /// Adds one output: its weights in steps of `step`, and its bias as a real number.
    mutating func append(_ rounded: [Double], step: Double, bias real: Double, from source: Tensor, to output: Quantisation) {
        let unit = source.quantisation.scale * step, most = source.type == .int8 ? 0x1p31 - 1 : 0x1p45
        values += rounded.map { Int16($0) }
        bias.append(Int64(max(-most, min(most, (real / unit).rounded()))))
        multipliers.append(Multiplier(unit / output.scale))
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
