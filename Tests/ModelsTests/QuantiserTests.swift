@testable import Models
import Support
import Testing

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

    @Test func zeroIsExact() {
        for range in [-1.7...2.3, 0...5.0, -4.0 ... -1.0, 0.0...0.0] {
            let q = Quantisation(covering: range)
            #expect((-128...127).contains(q.zeroPoint) && q.scale > 0)
        }
        #expect(Quantisation(covering: 0...2.55).zeroPoint == -128)
    }

    /// A random float network against its quantised self, in the units of the output's step.
    @Test(arguments: [8, 6])
    func outputsStayNear(bits: Int) throws {
        var random = RandomNumbers(seed: 5)
        let shapes = [(12, 20, LayerActivation.relu), (20, 4, .linear)]
        let layers = shapes.map { inputs, outputs, activation in
            FloatLayer(
                inputs: inputs, outputs: outputs, weights: (0..<inputs * outputs).map { _ in Float(random.normal() * 0.4) },
                bias: (0..<outputs).map { _ in Float(random.normal() * 0.3) }, activation: activation)
        }
        func forward(_ input: [Double]) -> [[Double]] {
            layers.reduce(into: [input]) { values, layer in
                values.append((0..<layer.outputs).map { o in
                    let sum = (0..<layer.inputs).reduce(Double(layer.bias[o])) { $0 + Double(layer.weights[o * layer.inputs + $1]) * values.last![$1] }
                    return layer.activation == .relu ? max(sum, 0) : sum
                })
            }
        }
        let inputs = (0..<200).map { _ in (0..<12).map { _ in Double(random.below(4001) - 2000) / 1000 } }
        let traces = inputs.map(forward)
        let places = (0...2).map { place in
            let all = traces.map { $0[place] }, width = all[0].count
            return Calibration(
                range: all.joined().min()!...all.joined().max()!, means: (0..<width).map { c in all.reduce(0) { $0 + $1[c] } / 200 },
                peaks: (0..<width).map { c in all.reduce(0) { max($0, abs($1[c])) } })
        }
        let quantised = Quantiser.quantise(layers, places, bits: bits)
        let network = Network(labels: ["a", "b", "c", "d"], window: 4, hop: 4, bits: bits, input: quantised.input, layers: quantised.layers)
        var compiled = try CompiledNetwork(network), squares = 0.0, power = 0.0
        for (input, trace) in zip(inputs, traces) {
            let q = input.map { Int8(max(-128, min(127, ($0 / network.input.scale).rounded() + Double(network.input.zeroPoint)))) }
            for (got, exact) in zip(compiled.infer(q), trace[2]) {
                let real = Double(Int(got) - quantised.layers[1].output.zeroPoint) * quantised.layers[1].output.scale
                squares += (real - exact) * (real - exact)
                power += exact * exact
            }
        }
        #expect((squares / power).squareRoot() < (bits == 8 ? 0.02 : 0.05), "\((squares / power).squareRoot())")
        #expect(quantised.layers.joined(\.weights).allSatisfy { abs(Int($0)) < 1 << (bits - 1) })
    }

    @Test func everyKernelGivesTheSame() throws {
        let network = try exampleNetwork(), golden = try #require(network.golden)
        #expect(CompiledNetwork.kernels.first == "reference")
        for kernel in CompiledNetwork.kernels {
            var compiled = try CompiledNetwork(network, kernel: kernel)
            #expect(compiled.golden(for: golden.input) == golden, "\(kernel)")
        }
        #expect(throws: Fault.self) { _ = try CompiledNetwork(network, kernel: "abacus").bytes }
    }
}

extension Array where Element == DenseLayer {
    fileprivate func joined(_ path: KeyPath<DenseLayer, [Int8]>) -> [Int8] { flatMap { $0[keyPath: path] } }
}
