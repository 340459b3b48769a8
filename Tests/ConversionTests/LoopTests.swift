import NeuralNetwork
import Support
import Testing

@testable import Conversion

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures"

private let names = ((try? Files.list(fixtures + "/tflite-loops")) ?? []).filter { $0.hasSuffix(".csv") }.map { String($0.dropLast(12)) }
    .sorted()

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(fixtures)/tflite-loops/\(name).tflite", limit: 1 << 20) }

private func rows(_ name: String) throws -> [[Double]] {
    String(decoding: try Files.read("\(fixtures)/\(name).csv", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: ",").compactMap { Double($0) }
    }
}

private func graph(_ bytes: [UInt8]) throws(Fault) -> FloatGraph {
    guard case .floats(let graph) = try TFLiteImport.network(TFLiteFile(bytes, path: "x.tflite"), ImportOptions(input: .features)) else {
        throw Fault(.badData, "integers")
    }
    return graph
}

/// Recurrent layers that Keras 3 writes as loops, by Tests/Vectors/keras_models.py; the outputs are LiteRT's.
@Suite struct LoopTests {
    @Test func thereAreLoopsOfAllKinds() { #expect(names.count >= 20) }

    @Test(arguments: names) func theSameNumbersAsLiteRT(_ name: String) throws {
        let found = try graph(try bytes(name))
        #expect(found.layers.contains { $0.operation.isRecurrent } && found.state == .fresh)
        var predictor = FloatPredictor(found)
        // LiteRT rounds what it multiplies with 8-bit weights to 8 bits, too.
        let error = name.hasSuffix("dynamic") ? 2e-2 : 2e-4
        for (row, expected) in zip(try rows("onnx/rows-96"), try rows("tflite-loops/\(name).outputs")) {
            predictor.reset()
            let outputs = try predictor.predict(row)
            #expect(outputs.count == expected.count)
            for (a, b) in zip(outputs, expected) { #expect((a - b).magnitude < error, "\(a) instead of \(b)") }
        }
    }

    @Test(arguments: [("odd-curves-float", "RELU"), ("masked-float", "NOT_EQUAL")])
    func otherLoopsAreRefused(_ name: String, naming: String) throws {
        let fault = #expect(throws: Fault.self) { try graph(try bytes(name)) }
        #expect(fault?.message.contains(naming) == true, "\(fault?.message ?? "")")
    }

    @Test func theSameGraphEachTime() throws {
        for name in names { #expect(try graph(try bytes(name)) == graph(try bytes(name))) }
    }

    @Test(arguments: ["lstm-float", "both-rows-half"]) func everyTruncationIsAFault(_ name: String) throws {
        let whole = try bytes(name)
        for count in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: Fault.self, "\(count) bytes") { try graph(Array(whole.prefix(count))) }
        }
    }

    /// A changed byte gives another network or a fault; it never traps, hangs or takes much memory.
    @Test(arguments: ["gru-float", "stacked-half"]) func changedBytesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: UInt64(whole.count))
        for place in whole.indices {
            var changed = whole
            changed[place] = [0, 0xff, UInt8(random.below(256))][place % 3]
            _ = try? graph(changed)
        }
    }
}
