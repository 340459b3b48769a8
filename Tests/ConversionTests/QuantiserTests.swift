import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork

@Suite struct QuantiserTests {
    /// Values that TFLite's QuantizeMultiplier gives.
    @Test func multipliers() {
        #expect(Multiplier(0.5) == Multiplier(multiplier: 1 << 30, shift: 0))
        #expect(Multiplier(1) == Multiplier(multiplier: 1 << 30, shift: 1))
        #expect(Multiplier(0.0072474273418460).multiplier == 1_992_157_695 || Multiplier(0.0072474273418460).shift == -7)
        #expect(Multiplier(1 - 0x1p-40) == Multiplier(multiplier: 1 << 30, shift: 1), "rounds up into the next power")
        #expect(Multiplier(0x1p-40).multiplier == 0 && Multiplier(0).multiplier == 0)
        for value in [0.3, 7.25, 1e-6, 1234.5] { #expect(abs(Multiplier(value).value / value - 1) < 1e-9) }
    }

    /// A file may give any finite scales.
    @Test(arguments: [(1e30, 1e-30), (1e-38, 3e38), (1, 1)]) func squareRootsOfAnyScale(scale: Double, result: Double) {
        func tensor(_ scale: Double) -> Tensor { Tensor(channels: 1, quantisation: Quantisation(scale: scale, zeroPoint: -128)) }
        let table = TFLiteTables.squareRoot(tensor(scale), tensor(result))
        let most: Int16 = scale > result ? 127 : scale < result ? -128 : -113
        #expect(table.first == -128 && table.last == most)
    }

    @Test func zeroIsExact() {
        for range in [-1.7...2.3, 0...5.0, -4.0 ... -1.0, 0.0...0.0] {
            let q = Quantisation(covering: range)
            #expect((-128...127).contains(q.zeroPoint) && q.scale > 0)
        }
        #expect(Quantisation(covering: 0...2.55).zeroPoint == -128)
    }

    /// A random float network against its quantised self, in the units of the output's step.
    @Test(arguments: [(16, 0.001), (12, 0.002), (8, 0.02), (6, 0.05)])
    func outputsStayNear(bits: Int, bound: Double) throws {
        var random = RandomNumbers(seed: 5)
        func weights(_ inputs: Int, _ outputs: Int) -> FloatWeights {
            FloatWeights(
                inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { _ in Float(random.normal() * 0.4) },
                bias: (0..<outputs).map { _ in Float(random.normal() * 0.3) })
        }
        var graph = FloatGraph(input: FloatShape(channels: 12))
        graph.appendDense(weights(12, 20))
        graph.appendCurve(.relu)
        graph.appendDense(weights(20, 4))
        let inputs = (0..<200).map { _ in (0..<12).map { _ in Float(random.below(4001) - 2000) / 1000 } }
        let calibrated = try CalibratedGraph(graph, count: 200) { inputs[$0] }
        let (network, result) = try calibrated.quantised(QuantiserOptions(bits: bits), ImportOptions(input: .features), path: "x")
        var compiled = try CompiledNetwork(network), squares = 0.0, power = 0.0
        for input in inputs {
            let exact = try #require(FloatRunner(graph).run(input).tensors.last)
            for (got, exact) in zip(compiled.infer(input.map { network.input.quantised(Double($0)) }), exact) {
                let difference = network.last.quantisation.real(got) - Double(exact)
                squares += difference * difference
                power += Double(exact) * Double(exact)
            }
        }
        #expect((squares / power).squareRoot() < bound, "\((squares / power).squareRoot())")
        #expect(network.layers.allSatisfy { $0.weights.allSatisfy { $0.values.allSatisfy { abs(Int($0)) < 1 << (bits - 1) } } })
        #expect(result.tensors == [0, nil, 1, 2] && network.layers[0].activation == "relu", "the ReLU becomes a limit")
        let report = try QuantisationReport(network, result, count: 200) { inputs[$0] }
        #expect(report.places.map(\.name) == ["input", "dense", "dense"])
        #expect(report.places.allSatisfy { ($0.signalToNoise ?? 0) > 20 && $0.saturated <= 0.01 }, "\(report.places)")
    }

    @Test func everyKernelGivesTheSame() throws {
        let network = try exampleNetwork(), golden = try #require(network.golden)
        #expect(CompiledNetwork.kernels.first == "reference")
        for kernel in CompiledNetwork.kernels {
            var compiled = try CompiledNetwork(network, kernel: kernel)
            #expect(compiled.golden(for: golden.input) == golden, "\(kernel)")
        }
        #expect(throws: Fault.self) { _ = try CompiledNetwork(network, kernel: "abacus").memory }
    }
}
