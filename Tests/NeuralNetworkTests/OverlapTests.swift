import Support
import Testing

@testable import NeuralNetwork

/// Windows that overlap; the C tests (Tests/CTests/overlap_test.c) have every layer.
@Suite struct OverlapTests {
    // Two convolutions and a dense layer on windows of 64 samples.
    private func network(hop: Int) -> Network {
        var random = RandomNumbers(seed: 5)
        let tensor = { (width: Int, channels: Int) in
            Tensor(width: width, channels: channels, quantisation: Quantisation(scale: 0.02, zeroPoint: 3))
        }
        func weights(_ inputs: Int, _ outputs: Int) -> Weights {
            Weights(
                inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { _ in .random(in: -127...127, using: &random) },
                bias: [Int64](repeating: 40, count: outputs), multipliers: [Multiplier](repeating: Multiplier(0.002), count: outputs))
        }
        var window = KernelShape(height: 1, width: 5)
        window.left = 2
        let layers = [
            Layer(.convolution(weights(15, 8), window), sources: [0], output: tensor(64, 8)),
            Layer(.convolution(weights(40, 8), window), sources: [1], output: tensor(64, 8)),
            Layer(.dense(weights(512, 4)), sources: [2], output: tensor(1, 4)),
        ]
        return Network(labels: ["a", "b", "c", "d"], window: 64, hop: hop, bits: 8, input: tensor(64, 3), layers: layers)
    }

    private func samples(_ count: Int, seed: UInt64) -> [Int16] {
        var random = RandomNumbers(seed: seed)
        return (0..<count * 3).map { _ in .random(in: -4096...4095, using: &random) }
    }

    @Test func windowsThatMoveOnGiveTheSameProbabilities() throws {
        let stream = samples(640, seed: 1)
        for hop in [8, 16, 32] {
            var moving = try CompiledNetwork(network(hop: hop)), whole = try CompiledNetwork(network(hop: 64))
            #expect(moving.memory.state == 192 && whole.memory.state == 0)
            var found = [Int16](repeating: 0, count: 4), expected = found
            for (number, first) in stride(from: 0, through: 640 - 64, by: hop).enumerated() {
                // Each fifth is another one, as behind a gap.
                let window = number % 5 == 4 ? samples(64, seed: UInt64(number)) : Array(stream[first * 3..<(first + 64) * 3])
                #expect(moving.classify(window, &found) == whole.classify(window, &expected))
                #expect(found == expected)
            }
        }
    }

    @Test func whatDoesNotOverlapKeepsNothing() {
        #expect(network(hop: 64).advance == 0 && network(hop: 32).advance == 96)
        var features = network(hop: 32)
        features.inputKind = .features17
        #expect(features.advance == 0)
    }
}
