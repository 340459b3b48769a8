import Support
import Testing

@testable import Conversion
@testable import NeuralNetwork

/// Weighted sums of a kernel's values, in integers beside floats.
@Suite struct SupportVectorsTests {
    static let kernels: [FloatSupportVectors.Kernel] = [
        .radial, .polynomial(degree: 1, offset: 0), .polynomial(degree: 2, offset: -0.5), .polynomial(degree: 3, offset: 1),
        .polynomial(degree: 8, offset: 0.5), .sigmoid(offset: -0.5), .sigmoid(offset: 0),
    ]

    // Coefficients that are large beside their sums, as those of vectors that lie close to each other.
    private func graph(_ kernel: FloatSupportVectors.Kernel, size: Float, random: inout RandomNumbers) -> FloatGraph {
        let count = 40, inputs = 6
        var vectors: [Float] = [], coefficients: [Float] = []
        for _ in 0..<count / 2 {
            let one = (0..<inputs).map { _ in Float.random(in: -1...1, using: &random) }
            vectors += (one + one.map { $0 + .random(in: -0.01...0.01, using: &random) }).map { $0 * size }
            let weight = Float.random(in: 500...1000, using: &random)
            coefficients += [weight, -weight]
        }
        let values = coefficients + coefficients.reversed().map { $0 / 1000 }
        let support = FloatSupportVectors(
            kernel: kernel, gamma: 0.3 / Double(size) / Double(size), vectors: vectors,
            weights: FloatWeights(inputs: count, outputs: 2, values: values, bias: [3, -0.002]))
        return FloatGraph(
            input: FloatShape(channels: inputs),
            layers: [FloatLayer(.supportVectors(support), sources: [0], shape: FloatShape(channels: 2))],
            output: .logits)
    }

    @Test(arguments: kernels, [Float(1e-3), 1, 1e4])
    func theIntegersAreWithinAStepOfTheFloats(_ kernel: FloatSupportVectors.Kernel, _ size: Float) throws {
        var random = RandomNumbers(seed: 9)
        let graph = graph(kernel, size: size, random: &random)
        let rows: [[Float]] = (0..<200).map { _ in (0..<6).map { _ in size * .random(in: -1.2...1.2, using: &random) } }
        let calibrated = try CalibratedGraph(graph, count: rows.count, row: { rows[$0] })
        let (made, _) = try calibrated.quantised(
            QuantiserOptions(bits: 16, activations: .int16), ImportOptions(input: .features, labels: nil), path: "x")
        let network = try NetworkFile.decode(try NetworkFile.encode(made), path: "x")
        #expect(network.layers == made.layers)
        var compiled = try CompiledNetwork(network)
        let output = network.last.quantisation
        for row in rows {
            let integers = row.map { network.input.quantised(Double($0)) }
            let read = integers.map { Float(network.input.quantisation.real($0)) }
            let expected = FloatRunner(graph).run(read).tensors.last ?? []
            for (found, wanted) in zip(compiled.infer(integers), expected) {
                #expect((output.real(found) - Double(wanted)).magnitude <= 1.5 * output.scale, "\(output.real(found)) \(wanted)")
            }
        }
    }

    @Test func numbersThatAreTooFarApartAreRefused() throws {
        let weights = FloatWeights(inputs: 1, outputs: 1, values: [1], bias: [0])
        let tensor = Tensor(.int16, channels: 1, quantisation: Quantisation(scale: 1e-6, zeroPoint: 0))
        for vector in [Float(1e20), .infinity, .nan] {
            let support = FloatSupportVectors(kernel: .radial, gamma: 1, vectors: [vector], weights: weights)
            #expect(throws: Fault.self) { try support.quantised(tensor, to: Quantisation(scale: 1, zeroPoint: 0)) }
        }
    }

    @Test func numbersThatCouldLeaveTheSumsAreRefused() throws {
        var random = RandomNumbers(seed: 2)
        let graph = graph(.radial, size: 1, random: &random), rows: [[Float]] = [[0, 0, 0, 0, 0, 0], [1, 1, -1, 0, 1, 1]]
        let calibrated = try CalibratedGraph(graph, count: 2, row: { rows[$0] })
        let (network, _) = try calibrated.quantised(QuantiserOptions(bits: 16), ImportOptions(input: .features, labels: nil), path: "x")
        guard case .supportVectors(let whole) = network.layers[0].operation else {
            Issue.record("no support vectors")
            return
        }
        let changes: [(inout SupportVectors) -> Void] = [
            { $0.vectors.removeLast(6) }, { $0.vectors.removeLast() }, { $0.added.append(0) },
            { $0.bias.removeLast() }, { $0.degree = 9 }, { $0.degree = -2 }, { $0.fraction = 16 },
            { $0.coefficients = $0.coefficients.map { _ in .max } }, { $0.bias[0] = .min }, { $0.added[0] = .max },
            { $0.argument = Multiplier(multiplier: 7, shift: 0) }, { $0.degree = .max }, { $0.fraction = .min },
        ]
        for (index, change) in changes.enumerated() {
            var wrong = whole, changed = network
            change(&wrong)
            changed.layers[0] = Layer(
                .supportVectors(wrong), sources: [0], output: network.layers[0].output, limits: network.layers[0].limits)
            #expect(throws: Fault.self, "\(index)") { _ = try CompiledNetwork(changed) }
        }
    }

    /// The lists of a file say how many numbers there are: those that do not fit are named.
    @Test func filesWhoseListsDoNotFitAreRefused() throws {
        var random = RandomNumbers(seed: 2)
        let graph = graph(.radial, size: 1, random: &random), rows: [[Float]] = [[0, 0, 0, 0, 0, 0], [1, 1, -1, 0, 1, 1]]
        let calibrated = try CalibratedGraph(graph, count: 2, row: { rows[$0] })
        let (network, _) = try calibrated.quantised(QuantiserOptions(bits: 16), ImportOptions(input: .features, labels: nil), path: "x")
        let bytes = try NetworkFile.encode(network)
        let lists: [(String, Safetensors.Tensor)] = [
            ("vectors", .init([Int32](repeating: 0, count: 40), shape: [40, 1])),
            ("added", .init([Int64](repeating: 0, count: 39), shape: [39])),
            ("coefficients", .init([Int32](repeating: 0, count: 40), shape: [1, 40])), ("bias", .init([Int64(0)], shape: [1])),
            ("multiplier", .init([Int32](), shape: [0])), ("shift", .init([Int8(0)], shape: [1])),
            ("vectors", .init([Int16](repeating: 0, count: 240), shape: [40, 6])),
        ]
        for (name, list) in lists {
            var file = try Safetensors(bytes, path: "x")
            #expect(file.tensors["0.\(name)"] != nil)
            file.tensors["0.\(name)"] = list
            file.metadata["gaitway.checksum"] = NetworkFile.emptyChecksum
            file.metadata["gaitway.checksum"] = Checksum.text(Checksum.crc32(file.encoded()))
            let encoded = file.encoded(), fault = #expect(throws: Fault.self) { try NetworkFile.decode(encoded, path: "x") }
            #expect(fault?.code == .badData && fault?.message.contains("checksum") == false, "\(name)")
        }
    }
}
