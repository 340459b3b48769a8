@testable import Models
import Support

/// A small network with a golden pair: 4-sample windows, 5 hidden units, 3 classes.
func exampleNetwork(seed: UInt64 = 1, activation: LayerActivation = .linear) throws -> Network {
    var random = RandomNumbers(seed: seed)
    func layer(_ inputs: Int, _ outputs: Int, _ activation: LayerActivation) -> DenseLayer {
        DenseLayer(
            inputs: inputs, outputs: outputs, weights: (0..<inputs * outputs).map { _ in Int8(random.below(255) - 127) },
            bias: (0..<outputs).map { _ in Int32(random.below(2000) - 1000) }, multipliers: (0..<outputs).map { _ in Multiplier(0.004 + random.unit() * 0.002) },
            output: Quantisation(scale: 0.05, zeroPoint: activation == .relu ? -128 : 4), activation: activation)
    }
    var network = Network(
        labels: ["one", "two", "three"], window: 4, hop: 2, bits: 8, version: 3, input: Quantisation(scale: 0.0157, zeroPoint: -7),
        layers: [layer(12, 5, .relu), layer(5, 3, activation)])
    var compiled = try CompiledNetwork(network)
    network.golden = compiled.golden(for: (0..<12).map { Int16($0 * 700 - 4000) })
    return network
}
