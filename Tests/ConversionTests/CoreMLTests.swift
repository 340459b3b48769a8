import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork

private let names = [
    "elu", "gru-0", "gru-1", "leakyrelu", "linear", "lstm-0", "lstm-1", "lstm-2", "lstm-3", "regression", "relu", "scaled_tanh", "sigmoid",
    "sigmoid_hard", "softplus", "softsign", "tanh",
    "thresholdedrelu",
]

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(coreMLFixtures)/\(name).mlmodel", limit: 1 << 20) }

/// Networks by coremltools, outputs by numpy in float64: Tests/Vectors/coreml_models.py.
@Suite struct CoreMLTests {
    @Test(arguments: names) func floatsAreNumpys(_ name: String) throws {
        let imported = try CoreMLImport.network(try bytes(name), path: name, steps: 12), runner = FloatRunner(imported.graph)
        #expect(imported.inputs == ["input1"] && imported.outputs == ["output1"])
        for (input, expected) in zip(
            try numberRows("\(coreMLFixtures)/\(name).inputs.csv"), try numberRows("\(coreMLFixtures)/\(name).outputs.csv"))
        {
            let last = try #require(runner.run(input.map { Float($0) }).tensors.last).map { Double($0) }
            let got = imported.graph.output == .softmax ? softmax(last) : last
            #expect(zip(got, expected).allSatisfy { abs($0 - $1) < 1e-5 }, "\(got) \(expected)")
        }
    }

    /// The last layer's integers are within a few steps; 16 bits within what float32 calibration leaves.
    @Test(arguments: names) func integersAreNear(_ name: String) throws {
        let imported = try CoreMLImport.network(try bytes(name), path: name, steps: 12)
        let inputs = try numberRows("\(coreMLFixtures)/\(name).inputs.csv"),
            outputs = try numberRows("\(coreMLFixtures)/\(name).outputs.csv")
        let calibrated = try CalibratedGraph(imported.graph, count: inputs.count) { inputs[$0].map { Float($0) } }
        let jumps = name == "thresholdedrelu" // a step of the input may lie on either side of it
        for (bits, bound) in [(8, jumps ? 0.2 : 0.05), (16, 0.002)] {
            guard
                let network = try? calibrated.quantised(
                    QuantiserOptions(bits: bits), ImportOptions(input: .features, state: .fresh), path: name
                ).network
            else {
                #expect(bits == 16 && jumps, "8 bits run everything, 16 all that does not jump")
                continue
            }
            var prediction = try Predictor(network)
            for (input, expected) in zip(inputs, outputs) {
                let got = try prediction.predict(input)
                #expect(zip(got, expected).allSatisfy { abs($0 - $1) < bound }, "\(bits) bits: \(got) \(expected)")
            }
        }
    }

    @Test(arguments: names) func brokenFilesAreFaultsAndNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: UInt64(whole.count))
        for count in stride(from: 0, to: whole.count, by: 5) {
            _ = try? CoreMLImport.network(Array(whole.prefix(count)), path: name, steps: 12)
        }
        for place in whole.indices {
            var changed = whole
            changed[place] = UInt8(random.below(256))
            if let imported = try? CoreMLImport.network(changed, path: name, steps: 3) {
                _ = try? CalibratedGraph(imported.graph, count: 1) { _ in [Float](repeating: 0.1, count: imported.graph.input.count) }
            }
        }
        #expect(throws: Fault.self) { try CoreMLImport.network(Array("no protocol buffer at all".utf8), path: name, steps: 1) }
    }

    private func softmax(_ values: [Double]) -> [Double] {
        let top = values.max() ?? 0, powers = values.map { Exponential.exp($0 - top) }, sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}
