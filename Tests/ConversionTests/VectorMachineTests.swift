import NeuralNetwork
import Support
import Testing

@testable import Conversion

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/onnx/machines"

private func lines(_ name: String) throws -> [String] {
    String(decoding: try Files.read("\(fixtures)/\(name)", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map(String.init)
}

private func imported(_ bytes: [UInt8]) throws(Fault) -> ONNXImport.Imported {
    try ONNXImport.network(bytes, path: "\(fixtures)/x.onnx", input: .features, steps: 32)
}

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(fixtures)/\(name).onnx", limit: 1 << 20) }

/// Made by Tests/Vectors/onnx_models.py: the decisions are onnxruntime's on 400 rows.
@Suite struct VectorMachineTests {
    @Test(arguments: [
        "radial", "linear", "polynomial", "sigmoid", "nu", "two", "two-linear", "radial-1000", "polynomial-8", "nu-polynomial",
    ])
    func theSameDecisionsAsTheRuntime(_ name: String) throws {
        let found = try imported(try bytes(name)), expected = try lines("\(name).decisions"), labels = try #require(found.labels)
        let rows = try lines("rows.csv").map { $0.split(separator: ",").compactMap { Double($0) } }
        #expect(rows.count == expected.count && Set(expected).isSubset(of: labels))
        var floats = FloatPredictor(found.graph)
        let calibrated = try CalibratedGraph(found.graph, count: 200, row: { rows[$0].map { Float($0) } })
        let (network, _) = try calibrated.quantised(
            QuantiserOptions(bits: 16), ImportOptions(input: .features, labels: labels, state: .fresh), path: name)
        var integers = try Predictor(try NetworkFile.decode(try NetworkFile.encode(network), path: name))
        var inFloat = 0, inIntegers = 0
        for (row, label) in zip(rows, expected) {
            inFloat += labels[try floats.predict(row).map { Float($0) }.indexOfLargest] == label ? 1 : 0
            inIntegers += labels[try integers.predict(row).map { Float($0) }.indexOfLargest] == label ? 1 : 0
        }
        #expect(inFloat == expected.count)
        #expect(inIntegers >= expected.count - 2, "\(inIntegers)")
    }

    @Test func probabilitiesAreRefused() throws {
        let whole = try bytes("probabilities")
        let fault = #expect(throws: Fault.self) { try imported(whole) }
        #expect(fault?.message.contains("probability=False") ?? false)
    }

    @Test(arguments: ["radial", "two-linear"]) func truncationsAndChangedBytesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: 5)
        for _ in 0..<300 {
            var changed = whole
            for _ in 0..<3 { changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            _ = try? imported(changed)
            _ = try? imported(Array(whole.prefix(Int.random(in: 0..<whole.count, using: &random))))
        }
    }
}
