import Support
import Testing

@testable import Conversion
@testable import NeuralNetwork

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/tflite"

private let names = [
    "dense-0", "dense-3", "dense-7", "convolution-1", "convolution-2", "convolution-3", "lstm-0-fresh", "lstm-1", "lstm-3", "dense-16x8-1",
    "convolution-16x8-3",
    "lstm-16x8-0-fresh", "lstm-16x8-3",
]

/// Of today's Keras, by Tests/Vectors/keras_models.py.
private let ofKeras = ((try? Files.list(fixtures)) ?? []).filter { $0.hasPrefix("keras-") && $0.hasSuffix(".tflite") }.map {
    String($0.dropLast(7))
}
.sorted()

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(fixtures)/\(name).tflite", limit: 1 << 20) }

private func rows(_ name: String) throws -> [[Int16]] {
    String(decoding: try Files.read("\(fixtures)/\(name)", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: ",").compactMap { Int16($0) }
    }
}

private func imported(_ bytes: [UInt8], input: NetworkInput = .features, labels: [String]? = nil) throws(Fault) -> Network {
    guard
        case .integers(let network) = try TFLiteImport.network(
            TFLiteFile(bytes, path: "x.tflite"), ImportOptions(input: input, labels: labels))
    else {
        throw Fault(.badData, "floats")
    }
    return network
}

/// Made by Tests/Vectors/tflite_models.py --rows 12 --largest 20.
@Suite struct ImportTests {
    @Test(arguments: names) func theOraclesOutputsBitForBit(_ name: String) throws {
        let network = try imported(try bytes(name))
        var prediction = try Predictor(network)
        for (input, output) in zip(try rows("\(name).inputs.csv"), try rows("\(name).outputs.csv")) {
            if name.hasSuffix("fresh") { prediction.reset() }
            #expect(try prediction.predict(integers: input) == output)
        }
        // What is saved and loaded says the same.
        #expect(try NetworkFile.decode(try NetworkFile.encode(network), path: "m") == network)
    }

    @Test func kerasIsThere() { #expect(ofKeras.count >= 30) }

    @Test(arguments: ofKeras) func networksOfKerasBitForBit(_ name: String) throws {
        var prediction = try Predictor(try imported(try bytes(name)))
        for (input, output) in zip(try rows("\(name).inputs.csv"), try rows("\(name).outputs.csv")) {
            prediction.reset()
            #expect(try prediction.predict(integers: input) == output)
        }
    }

    @Test func realNumbersAreQuantisedAndBack() throws {
        let network = try imported(try bytes("dense-3"))
        var prediction = try Predictor(network)
        let row = try #require(try rows("dense-3.inputs.csv").first), reals = row.map { network.input.quantisation.real($0) }
        let integers = try prediction.predict(integers: row)
        #expect(try prediction.predict(reals) == integers.map { network.result.quantisation.real($0) })
        #expect(throws: Fault.self) { try prediction.predict(reals + [0]) }
        #expect(throws: Fault.self) { try prediction.predict([Double](repeating: .nan, count: prediction.inputs)) }
    }

    @Test(arguments: names) func everyTruncationIsAFault(_ name: String) throws {
        let whole = try bytes(name)
        for count in stride(from: 0, to: whole.count, by: 3) {
            #expect(throws: Fault.self, "\(count) bytes") { try imported(Array(whole.prefix(count))) }
        }
    }

    /// A changed byte gives another network or a fault; it never traps, hangs or takes much memory.
    @Test(arguments: names) func changedBytesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: UInt64(whole.count))
        for place in whole.indices {
            for value in [0, 0xff, UInt8(random.below(256))] where value != whole[place] {
                var changed = whole
                changed[place] = value
                _ = try? imported(changed)
            }
        }
    }

    /// Files that ended in a crash.
    @Test(arguments: ["split-of-a-scalar", "batch-to-space"]) func whatWasDamagedIsRefused(_ name: String) {
        #expect(throws: Fault.self) {
            try TFLiteImport.network("\(fixtures)-damaged/\(name).tflite", ImportOptions(input: .features))
        }
    }

    /// keras-dense-int8 with a RESHAPE behind its soft-max that reads what it gives.
    @Test func aCircleIsAFault() throws { #expect(throws: Fault.self) { try imported(try bytes("circle")) } }

    @Test func whatCannotBeRunIsNamed() throws {
        // The code of FULLY_CONNECTED becomes that of another, in both places where the schema has it.
        let whole = try bytes("dense-0")
        var refused: [String] = []
        for place in whole.indices where whole[place] == 9 {
            var changed = whole
            changed[place] = 24
            do { _ = try imported(changed) } catch { refused.append(error.message) }
        }
        #expect(refused.contains { $0.contains("has operators that cannot be run: RNN") }, "\(refused)")
    }

    /// Changed bytes of files whose batch is open: what is computed of their shapes is bounded.
    @Test(arguments: ["keras-open-rows-int8", "keras-open-dilated-int8"]) func changedShapesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: 1)
        for place in whole.indices {
            var changed = whole
            changed[place] = [0x7f, 0xff, UInt8(random.below(256))][place % 3]
            _ = try? imported(changed)
        }
    }

    @Test(arguments: [
        ("a.keras", "model.export"), ("a.h5", "model.export"), ("a.pt", "torch.onnx.export"), ("a.pkl", "to_onnx"),
        ("a.txt", "convert_lightgbm"),
        ("a.ubj", "save_model"), ("a.mlpackage", "neuralnetwork"), ("a", "save_model"),
    ]) func whatCannotBeReadIsToBeExported(_ path: String, _ how: String) throws {
        let fault = #expect(throws: Fault.self) { _ = try ImportedNetwork(path, ImportOptions(), activation: nil, steps: 128) }
        #expect(fault?.code == .usage && fault?.remedy?.contains(how) == true)
    }

    @Test func labelsAndWindowsMustFit() throws {
        let network = try imported(try bytes("dense-3"))
        #expect(network.labels == (0..<network.outputs).map { "\($0)" })
        #expect(throws: Fault.self) { try imported(try bytes("dense-3"), labels: ["one too few"]) }
        #expect(throws: Fault.self) { try TFLiteImport.network("/no/such.tflite", ImportOptions()) }
        for name in names {
            let inputs = try imported(try bytes(name)).inputs
            do {
                let raw = try imported(try bytes(name), input: .raw)
                #expect(inputs % 3 == 0 && raw.window == inputs / 3)
            } catch let fault as Fault {
                #expect(fault.code == .usage && (inputs % 3 != 0 || fault.message.contains("three signals")))
            }
        }
    }
}
