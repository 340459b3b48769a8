import Support
import Testing

@testable import Conversion
@testable import NeuralNetwork

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/tflite"

private let names = ((try? Files.list(fixtures)) ?? []).filter { $0.hasSuffix(".tflite") && $0 != "circle.tflite" }
    .map { String($0.dropLast(7)) }.sorted()

private func network(_ bytes: [UInt8]) throws -> Network {
    guard case .integers(let network) = try TFLiteImport.network(TFLiteFile(bytes, path: "x.tflite"), ImportOptions(input: .features))
    else { throw Fault(.badData, "floats") }
    return network
}

private func network(_ name: String) throws -> Network { try network(try Files.read("\(fixtures)/\(name).tflite", limit: 1 << 20)) }

/// Tests/Vectors/export_compare.py runs the same files by onnxruntime and LiteRT.
@Suite struct ExportTests {
    @Test func thereAreFixtures() { #expect(names.count >= 50) }

    /// What a network's own integers became reads as the same network: the same integers for the same input.
    @Test(arguments: names) func integersComeBack(_ name: String) throws {
        let original = try network(name)
        guard !original.layers.contains(where: \.operation.isRecurrent), let bytes = try? TFLiteExport.encode(original) else { return }
        var before = try Predictor(original.forgetting), after = try Predictor(try network(bytes).forgetting)
        var random = RandomNumbers(seed: 3)
        for _ in 0..<20 {
            let range = original.input.type.range
            let row = (0..<original.inputs).map { _ in Int16(range.lowerBound + random.below(range.count)) }
            let old = try before.predict(integers: row), new = try after.predict(integers: row)
            // A scale is a float in the file: the last bit of a factor may be another.
            for (a, b) in zip(old, new) { #expect((Int(a) - Int(b)).magnitude <= 1) }
        }
    }

    /// The graph in float, read by the reader of other people's files, gives what the integers stand for.
    @Test(arguments: names) func floatsAreWhatTheIntegersStandFor(_ name: String) throws {
        let original = try network(name)
        guard original.last.type == .int16, !original.isSequential,
            let bytes = try? ONNXExport.encode(original, name: name)
        else { return }
        let found = try ONNXImport.network(bytes, path: "x.onnx", input: .features, steps: original.inputs / 3)
        var integers = try Predictor(original), floats = FloatPredictor(found.graph)
        var random = RandomNumbers(seed: 5)
        for _ in 0..<10 {
            let row = (0..<original.inputs).map { _ in Double(random.below(2000)) / 1000 - 1 }
            let wanted = try integers.predict(row), outputs = try floats.predict(row)
            for (a, b) in zip(outputs, wanted) where !name.hasPrefix("convolution") { #expect((a - b).magnitude < 2e-3) }
        }
    }

    /// As a class token is: it has one row, and the other parts one for each window.
    @Test func constantsAreJoinedToEveryWindow() throws {
        let input = Tensor(.int16, channels: 4, quantisation: Quantisation(scale: 1.0 / 4096, zeroPoint: 0))
        var constant = input, both = input
        (constant.channels, both.channels) = (3, 7)
        let original = Network(
            labels: ["a"], window: 4, hop: 2, bits: 8, inputKind: .features, input: input,
            layers: [
                Layer(.constant([4096, -8192, 2048]), sources: [0], output: constant),
                Layer(.concatenation(axis: 2), sources: [1, 0], output: both),
            ], output: .logits)
        let found = try ONNXImport.network(try ONNXExport.encode(original, name: "x"), path: "x.onnx", input: .features, steps: 1)
        var floats = FloatPredictor(found.graph)
        #expect(try floats.predict([0.5, 1, 2, 3]) == [1, -2, 0.5, 0.5, 1, 2, 3])
    }

    /// A chain of sums of one tensor with itself: each is looked at once.
    @Test func constantsAreFoundInOnePass() throws {
        let tensor = Tensor(.int16, channels: 1, quantisation: Quantisation(scale: 1, zeroPoint: 0)), one = Multiplier(0.5)
        let sums = (1...60).map { Layer(.add(one, one, one), sources: [$0, $0], output: tensor) }
        let network = Network(
            labels: ["a"], window: 4, hop: 2, bits: 8, inputKind: .features, input: tensor,
            layers: [Layer(.constant([3]), sources: [0], output: tensor)] + sums)
        let refused = #expect(throws: Fault.self) { try ONNXExport.encode(network, name: "x") }
        #expect(refused?.message == "no operators of ONNX are written for an output that is constant")
    }

    @Test func whatHasNoOperatorIsNamedAtOnce() throws {
        let refused = #expect(throws: Fault.self) { try TFLiteExport.encode(try network("dense-3")) }
        #expect(refused?.code == .usage)
        #expect(refused?.message == "LiteRT has no operator for layer 1 (lookup), layer 3 (lookup), layer 5 (lookup), layer 7 (lookup)")
        let clipped = #expect(throws: Fault.self) { try ONNXExport.encode(try network("lstm-1"), name: "x") }
        #expect(clipped?.message == "no operators of ONNX are written for layer 0 (lstm with a limit of its cell)")
    }

    /// What the other runtimes would refuse, or compute otherwise, is refused here.
    @Test func poolsThatOthersDoNotHaveAreRefused() throws {
        func pool(_ isAverage: Bool, _ window: KernelShape, width: Int) throws -> Network {
            let input = Tensor(.int16, width: 20, channels: 3, quantisation: Quantisation(scale: 1.0 / 4096, zeroPoint: 0))
            var output = input
            output.width = width
            return Network(
                labels: ["a"], window: 20, hop: 10, bits: 8, input: input,
                layers: [Layer(isAverage ? .averagePool(window) : .maxPool(window), sources: [0], output: output)])
        }
        var wide = KernelShape(height: 1, width: 3), padded = wide
        wide.dilationWidth = 2
        (padded.left, padded.strideWidth) = (3, 2)
        let dilated = try pool(true, wide, width: 16), beyond = try pool(false, padded, width: 11)
        #expect(throws: Fault.self) { try ONNXExport.encode(dilated, name: "x") }
        #expect(throws: Fault.self) { try ONNXExport.encode(beyond, name: "x") }
        #expect(throws: Fault.self) { try TFLiteExport.encode(dilated) }
        #expect(throws: Fault.self) { try TFLiteExport.encode(try pool(false, wide, width: 16)) }
        _ = try ONNXExport.encode(try pool(false, wide, width: 16), name: "x")
    }

    /// Every kind of field behind one root, as the reader finds it.
    @Test func flatBuffersAreReadAsTheyWereWritten() throws {
        let inner: [Int: FlatBufferWriter.Value] = [0: .number(Int8(-3)), 3: .number(Int64.min), 5: .flag(true)]
        let bytes = FlatBufferWriter.file(
            [
                0: .text("walking"), 2: .numbers([UInt16(1), 65535]), 4: .tables([inner, [:], inner]), 6: .table(inner), 7: .float(-0.5),
                9: .numbers([Int64(1) << 40]), 10: .vector(count: 3, element: 1, bytes: [7, 8, 9]),
            ], identifier: "TEST")
        let root = try FlatBuffer(bytes: bytes, path: "x").root(identifier: "TEST")
        #expect(try root.text(0) == "walking")
        #expect(try root.numbers(2, as: UInt16.self) == [1, 65535])
        #expect(try root.numbers(9, as: Int64.self) == [1 << 40])
        #expect(try root.float(7, default: 0) == -0.5)
        #expect(try root.number(8, default: Int32(12)) == 12)
        let data = try root.vector(10, element: 1)
        #expect(Array(bytes[data]) == [7, 8, 9])
        #expect(data.lowerBound % 16 == 0)
        for table in [try root.tables(4)[0], try root.tables(4)[2], try #require(try root.table(6))] {
            #expect(try table.number(0, default: Int8(0)) == -3)
            #expect(try table.number(3, default: Int64(0)) == .min)
            #expect(try table.number(5, default: UInt8(0)) == 1)
            #expect(try table.number(1, default: Int16(4)) == 4)
        }
        #expect(try root.tables(4)[1].number(0, default: Int8(5)) == 5)
    }
}
