internal import Support

@testable import Conversion
package import NeuralNetwork

/// A small network with a golden pair: 4-sample windows, 5 hidden units, 3 classes.
package func exampleNetwork(seed: UInt64 = 1, output: NetworkOutput = .softmax) throws -> Network {
    var random = RandomNumbers(seed: seed)
    func dense(_ inputs: Int, _ outputs: Int, from source: Int, _ quantisation: Quantisation, isReLU: Bool) -> Layer {
        let weights = Weights(
            inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { _ in Int16(random.below(255) - 127) },
            bias: (0..<outputs).map { _ in Int64(random.below(2000) - 1000) },
            multipliers: (0..<outputs).map { _ in Multiplier(0.004 + random.unit() * 0.002) })
        return Layer(
            .dense(weights), sources: [source], output: Tensor(channels: outputs, quantisation: quantisation),
            limits: isReLU ? quantisation.zeroPoint...127 : nil)
    }
    let input = Tensor(channels: 12, quantisation: Quantisation(scale: 0.0157, zeroPoint: -7))
    var layers = [
        dense(12, 5, from: 0, Quantisation(scale: 0.05, zeroPoint: -128), isReLU: true),
        dense(5, 3, from: 1, Quantisation(scale: 0.05, zeroPoint: 4), isReLU: false),
    ]
    if output == .independent {
        let table = Activation.sigmoid.table(from: layers[1].output.quantisation, to: .probability(.int8))
        layers.append(Layer(.lookup(table), sources: [2], output: Tensor(channels: 3, quantisation: .probability(.int8))))
    }
    var network = Network(
        labels: ["one", "two", "three"], window: 4, hop: 2, bits: 8, version: 3, input: input, layers: layers, output: output)
    var compiled = try CompiledNetwork(network)
    network.golden = compiled.golden(for: (0..<12).map { Int16($0 * 700 - 4000) })
    return network
}

/// One of every kind of layer, int8, on 2 x 3 samples: it is for file formats, not for accuracy.
package func everyLayer() throws -> Network {
    var random = RandomNumbers(seed: 4)
    func weights(_ inputs: Int, _ outputs: Int, _ rounding: Rounding) -> Weights {
        Weights(
            inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { _ in Int16(random.below(255) - 127) },
            bias: (0..<outputs).map { _ in Int64(random.below(2000) - 1000) }, multipliers: (0..<outputs).map { _ in Multiplier(0.01) },
            rounding: rounding)
    }
    let q = Quantisation(scale: 0.05, zeroPoint: 3), one = KernelShape(height: 1, width: 1), half = Multiplier(0.5)
    func tensor(_ width: Int, _ channels: Int) -> Tensor { Tensor(width: width, channels: channels, quantisation: q) }
    var recurrent = weights(4, 16, .twice)
    recurrent.bias = [Int64](repeating: 0, count: 16)
    var gruRecurrent = weights(4, 12, .reduced)
    gruRecurrent.bias = [Int64](repeating: 0, count: 12)
    let layers = [
        Layer(.convolution(weights(3, 4, .twice), one), sources: [0], output: tensor(2, 4), limits: 3...127),
        Layer(.depthwise(weights(1, 4, .twice), one), sources: [1], output: tensor(2, 4)),
        Layer(.add(half, half, Multiplier(0x1p-19)), sources: [1, 2], output: tensor(2, 4)),
        Layer(.averagePool(one), sources: [3], output: tensor(2, 4)),
        Layer(.maxPool(one), sources: [4], output: tensor(2, 4)),
        Layer(
            .lstm(
                LSTM(
                    weights: weights(4, 16, .twice), recurrent: recurrent, cellFraction: 11, cellClip: 9000, multiplier: Multiplier(0x1p-24)
                )), sources: [5], output: tensor(2, 4)),
        Layer(.concatenation(axis: 2), sources: [6, 5], output: tensor(2, 8)),
        Layer(.slice(first: 1), sources: [7], output: tensor(1, 8)),
        Layer(.mean(Multiplier(1)), sources: [5], output: tensor(1, 4)),
        Layer(.lookup(Activation.tanh.table(from: q, to: q)), sources: [9], output: tensor(1, 4)),
        Layer(.rescale(half), sources: [8], output: Tensor(.int16, channels: 8, quantisation: Quantisation(scale: 0.1, zeroPoint: 0))),
        Layer(
            .sigmoid(factor: 3, shift: 0), sources: [11],
            output: Tensor(.int16, channels: 8, quantisation: Quantisation(scale: 0x1p-15, zeroPoint: 0))),
        Layer(
            .tanh(factor: 3, shift: 1), sources: [12],
            output: Tensor(.int16, channels: 8, quantisation: Quantisation(scale: 0x1p-15, zeroPoint: 0))),
        Layer(
            .lookup(
                Activation.softplus.wideTable(
                    from: Quantisation(scale: 0x1p-15, zeroPoint: 0), to: Quantisation(scale: 0x1p-14, zeroPoint: 0))), sources: [13],
            output: Tensor(.int16, channels: 8, quantisation: Quantisation(scale: 0x1p-14, zeroPoint: 0))),
        Layer(
            .gru(GRU(weights: weights(8, 12, .reduced), recurrent: gruRecurrent, multiplier: Multiplier(0x1p-15))), sources: [14],
            output: Tensor(.int16, channels: 4, quantisation: Quantisation(scale: 0x1p-15, zeroPoint: 0))),
        Layer(
            .dense(weights(4, 3, .reduced)), sources: [15],
            output: Tensor(.int16, channels: 3, quantisation: Quantisation(scale: 0.001, zeroPoint: 0))),
    ]
    return try Network(
        input: Tensor(width: 2, channels: 3, quantisation: Quantisation(scale: 0.02, zeroPoint: -1)), layers: layers, output: .logits,
        bits: 8,
        options: ImportOptions(input: .features, state: .fresh), path: "example")
}
