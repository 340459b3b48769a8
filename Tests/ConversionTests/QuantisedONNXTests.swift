import NeuralNetwork
import Support
import Testing

@testable import Conversion

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures"

private let names = ((try? Files.list(fixtures + "/onnx-quantised")) ?? []).filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }
    .sorted()
private let partly: Set = ["convolutions-lstm-int8", "keras-both-ways-int8"]
private let dynamic = names.filter { $0.hasSuffix("-dynamic") }
private let whole = names.filter { !$0.hasSuffix("-dynamic") && !partly.contains($0) }

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(fixtures)/onnx-quantised/\(name).onnx", limit: 1 << 20) }

private func rows(_ name: String) throws -> [[Double]] {
    String(decoding: try Files.read("\(fixtures)/\(name).csv", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: ",").compactMap { Double($0) }
    }
}

private func imported(_ bytes: [UInt8]) throws(Fault) -> FloatGraph {
    try ONNXImport.network(bytes, path: "x.onnx", input: .features, steps: 32).graph
}

/// Networks that onnxruntime quantised, by Tests/Vectors/onnx_quantised.py; the outputs are onnxruntime's.
@Suite struct QuantisedONNXTests {
    @Test func thereAreAllKinds() { #expect(whole.count >= 20 && dynamic.count >= 8) }

    /// What a file quantises as a whole needs no calibration, and gives the same integers.
    @Test(arguments: whole) func theRuntimesIntegers(_ name: String) throws {
        let graph = try imported(try bytes(name))
        #expect(graph.isQuantised)
        let network = try graph.quantised(ImportOptions(input: .features), path: name)
        var predictor = try Predictor(try NetworkFile.decode(try NetworkFile.encode(network), path: name))
        let inputs = try rows("onnx/rows-96"), outputs = try rows("onnx-quantised/\(name).outputs")
        #expect(inputs.count == 12 && outputs.count == 12)
        for (row, expected) in zip(inputs, outputs) {
            predictor.reset()
            let integers = try predictor.predict(integers: row.map { network.input.quantised($0) }).map { Double($0) }
            #expect(integers.count == expected.count)
            for (a, b) in zip(integers, expected) { #expect(a == b) }
        }
    }

    /// What is quantised while it runs, or in part, decides here as there, on scales of Gaitway's.
    @Test(arguments: dynamic + partly) func theRuntimesDecisions(_ name: String) throws {
        let graph = try imported(try bytes(name)), inputs = try rows("onnx/rows-96")
        #expect(!graph.isQuantised)
        let calibrated = try CalibratedGraph(graph, count: inputs.count, row: { inputs[$0].map { Float($0) } })
        let options = ImportOptions(input: .features, state: .fresh)
        let (network, _) = try calibrated.quantised(QuantiserOptions(bits: 8, activations: .int16), options, path: name)
        var predictor = try Predictor(network), decided = 0
        for (row, expected) in zip(inputs, try rows("onnx-quantised/\(name).outputs")) {
            let sorted = expected.sorted(by: >), spread = sorted[0] - (sorted.last ?? 0)
            guard sorted[0] - sorted[1] > 0.1 * spread else { continue }
            decided += 1
            predictor.reset()
            let outputs = try predictor.predict(row).map { Float($0) }
            #expect(outputs.indexOfLargest == expected.map { Float($0) }.indexOfLargest)
        }
        #expect(decided > 3)
    }

    @Test(arguments: ["residual-int8", "residual-integers", "lstm-both-ways-dynamic"]) func changedBytesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: UInt64(whole.count))
        for place in whole.indices {
            var changed = whole
            changed[place] = [0, 0xff, UInt8(random.below(256))][place % 3]
            guard let graph = try? imported(changed), graph.isQuantised else { continue }
            _ = try? graph.quantised(ImportOptions(input: .features), path: name)
        }
    }
}
