/// How a sum becomes an output: TFLite's kernels differ, and a network gives the same bits only with the same one.
package enum Rounding: String, Sendable, Codable {
    /// Halves up: LiteRT's FULLY_CONNECTED and Gaitway's own networks.
    case once
    /// LiteRT's convolutions and int8 LSTM.
    case twice
    /// By 16 bits of the multiplier: TFLite's int16 convolutions and LSTM.
    case reduced

    /// Of a convolution or an LSTM.
    package static func ofConvolution(on input: IntegerType) -> Rounding { input == .int8 ? .twice : .reduced }
}

/// The weights of a layer in TFLite's quantisation: out[o] = round((bias[o] + sum of (in[i] - zero point) * values[o][i]) *
/// multipliers[o]).
package struct Weights: Sendable, Equatable {
    /// int16 weights need int16 inputs.
    package var type: IntegerType
    package var inputs: Int
    package var outputs: Int
    /// [outputs][inputs], symmetric, one scale per output.
    package var values: [Int16]
    /// [outputs], in input scale x weight scale.
    package var bias: [Int64]
    /// [outputs]: input scale x weight scale / output scale.
    package var multipliers: [Multiplier]
    package var rounding: Rounding

    package init(
        type: IntegerType = .int8, inputs: Int, outputs: Int, values: [Int16], bias: [Int64], multipliers: [Multiplier],
        rounding: Rounding = .once
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
