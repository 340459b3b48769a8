import NeuralNetwork
import Support
import Testing

@testable import Conversion

/// Convolutions beside each other that become one: the same integers come out.
@Suite struct ParallelConvolutionsTests {
    private struct Case: Sendable {
        var windows: [KernelShape]
        var outputs = [4, 4, 4, 4]
        /// Layers that are left of the convolutions and their concatenation.
        var left: Int
    }

    private static func window(_ height: Int, _ width: Int, _ dilation: Int = 1) -> KernelShape {
        var window = KernelShape(height: height, width: width)
        (window.dilationHeight, window.dilationWidth) = (dilation, dilation)
        (window.top, window.left) = ((height - 1) * dilation / 2, (width - 1) * dilation / 2)
        return window
    }

    private static let cases = [
        Case(windows: [window(1, 1), window(1, 3), window(1, 5), window(1, 7)], left: 1),
        Case(windows: [window(3, 3), window(1, 1), window(3, 1), window(1, 3)], left: 1),
        Case(windows: [window(1, 3, 2), window(1, 5, 2), window(1, 1), window(1, 9, 2)], left: 1),
        // Of other steps between the taps.
        Case(windows: [window(1, 3, 2), window(1, 3, 2), window(1, 3), window(1, 3)], left: 3),
        // Where one large window would be many products of zeros.
        Case(windows: [window(1, 1), window(1, 1), window(5, 7), window(5, 7)], outputs: [24, 24, 4, 4], left: 3),
    ]

    private func tensor(_ channels: Int) -> Tensor {
        Tensor(height: 5, width: 8, channels: channels, quantisation: Quantisation(scale: 0.02, zeroPoint: 3))
    }

    private func layers(_ example: Case) -> [Layer] {
        var random = RandomNumbers(seed: 11)
        var layers = zip(example.windows, example.outputs).map { window, outputs in
            let inputs = window.height * window.width * 3
            let weights = Weights(
                inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { _ in .random(in: -127...127, using: &random) },
                bias: (0..<outputs).map { _ in .random(in: -500...500, using: &random) },
                multipliers: (0..<outputs).map { _ in Multiplier(.random(in: 0.001...0.004, using: &random)) }, rounding: .twice)
            return Layer(.convolution(weights, window), sources: [0], output: tensor(outputs))
        }
        layers.append(
            Layer(.concatenation(axis: 2), sources: [1, 2, 3, 4], output: tensor(example.outputs.reduce(0, +))))
        return layers
    }

    // What stands at one position, in a corner or in the middle.
    private func compiled(_ layers: [Layer], at position: Int) throws -> CompiledNetwork {
        let channels = layers.last?.output.channels ?? 0
        let one = Layer(
            .slice(first: position), sources: [layers.count],
            output: Tensor(channels: channels, quantisation: Quantisation(scale: 0.02, zeroPoint: 3)))
        let network = Network(
            labels: (0..<channels).map { "\($0)" }, window: 40, hop: 40, bits: 8, inputKind: .features, input: tensor(3),
            layers: layers + [one])
        return try CompiledNetwork(network)
    }

    @Test(arguments: cases.indices) func theSameIntegersComeOut(_ index: Int) throws {
        let before = layers(Self.cases[index]), joined = ParallelConvolutions(before)
        #expect(joined.layers.count == Self.cases[index].left)
        #expect(joined.tensors.first == 0 && joined.tensors.last == joined.layers.count)
        var random = RandomNumbers(seed: 7)
        for position in [0, 7, 17, 20, 39] {
            var first = try compiled(before, at: position), second = try compiled(joined.layers, at: position)
            for _ in 0..<20 {
                let input = (0..<120).map { _ in Int16.random(in: -128...127, using: &random) }
                #expect(second.infer(input) == first.infer(input))
            }
        }
    }

    @Test func whatIsReadElsewhereStays() {
        var layers = layers(Self.cases[0])
        layers.append(Layer(.add(Multiplier(0.5), Multiplier(0.5), Multiplier(1)), sources: [2, 3], output: tensor(4)))
        let joined = ParallelConvolutions(layers)
        #expect(joined.layers == layers)
        #expect(joined.tensors == (0...layers.count).map { $0 })
    }

    @Test func aNarrowerRangeOfOneStays() {
        var layers = layers(Self.cases[0])
        layers[1].limits = 3...127
        #expect(ParallelConvolutions(layers).layers.count == 4)
    }
}
