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

    private static func window(_ height: Int, _ width: Int, _ dilation: Int = 1, left: Int? = nil) -> KernelShape {
        var window = KernelShape(height: height, width: width)
        (window.dilationHeight, window.dilationWidth) = (dilation, dilation)
        (window.top, window.left) = ((height - 1) * dilation / 2, left ?? (width - 1) * dilation / 2)
        return window
    }

    private static let cases = [
        Case(windows: [window(1, 1), window(1, 3), window(1, 5), window(1, 7)], left: 1),
        Case(windows: [window(3, 3), window(1, 1), window(3, 1), window(1, 3)], left: 1),
        Case(windows: [window(1, 3, 2), window(1, 5, 2), window(1, 1), window(1, 9, 2)], left: 1),
        Case(windows: [window(1, 3, 2, left: 1), window(1, 3, 2, left: 3)], outputs: [17, 1], left: 1),
        // Whose elements fall between each other's.
        Case(windows: [window(1, 3, 2, left: 1), window(1, 3, 2, left: 2)], outputs: [4, 4], left: 3),
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
            Layer(.concatenation(axis: 2), sources: Array(1...layers.count), output: tensor(example.outputs.reduce(0, +))))
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

    /// The network's output is its last layer, whatever lies between.
    @Test func aLayerThatNothingReadsStaysWhereItIs() {
        var layers = layers(Self.cases[0])
        layers.insert(Layer(.rescale(Multiplier(1)), sources: [0], output: tensor(3)), at: 4)
        let joined = ParallelConvolutions(layers)
        #expect(joined.layers.map(\.kind) == [.rescale, .convolution])
        #expect(joined.tensors == [0, nil, nil, nil, nil, 1, 2])
    }

    /// A concatenation of more than four is one of concatenations; the parts come in any order.
    @Test func concatenationsOfConcatenationsBecomeOne() throws {
        var layers = layers(Self.cases[0])
        layers.insert(layers.remove(at: 3), at: 0)
        layers[4].sources = [2, 3, 4, 1]
        layers.append(layers[0])
        layers.append(Layer(.concatenation(axis: 2), sources: [5, 6], output: tensor(20)))
        let joined = ParallelConvolutions(layers)
        #expect(joined.layers.map(\.kind) == [.convolution])
        var first = try compiled(layers, at: 9), second = try compiled(joined.layers, at: 9)
        var random = RandomNumbers(seed: 3)
        let input = (0..<120).map { _ in Int16.random(in: -128...127, using: &random) }
        #expect(second.infer(input) == first.infer(input))
    }

    @Test func aNarrowerRangeOfOneStays() {
        var layers = layers(Self.cases[0])
        layers[1].limits = 3...127
        #expect(ParallelConvolutions(layers).layers.count == 4)
    }
}
