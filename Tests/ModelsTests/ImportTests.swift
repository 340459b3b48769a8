import Support
import Testing

@testable import Models

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/tflite"

private func bytes(_ number: Int) throws -> [UInt8] { try Files.read("\(fixtures)/\(number).tflite", limit: 1 << 20) }

private func rows(_ name: String) throws -> [[Int8]] {
    String(decoding: try Files.read("\(fixtures)/\(name)", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map { $0.split(separator: ",").compactMap { Int8($0) } }
}

private func imported(_ bytes: [UInt8], input: NetworkInput = .features, labels: [String]? = nil) throws(Fault) -> Network {
    try TFLiteImport.network(TFLiteFile(bytes, path: "x.tflite"), input: input, labels: labels, hop: 64)
}

/// Made by Tests/Vectors/tflite_models.py --count 8 --rows 20 --largest 24.
@Suite struct ImportTests {
    @Test(arguments: 0..<8) func liteRTsOutputsBitForBit(_ number: Int) throws {
        let network = try imported(try bytes(number))
        var prediction = try Prediction(network)
        for (input, output) in zip(try rows("\(number).inputs.csv"), try rows("\(number).outputs.csv")) {
            #expect(try prediction.predict(integers: input) == output)
        }
        // What is saved and loaded says the same.
        let path = "/tmp/gaitway-import-\(number)-\(UInt32.random(in: 0...UInt32.max)).safetensors"
        try NetworkFile.save(network, to: path)
        #expect(try NetworkFile.load(path) == network)
    }

    @Test func realNumbersAreQuantisedAndBack() throws {
        let network = try imported(try bytes(1))
        var prediction = try Prediction(network)
        let row = try #require(try rows("1.inputs.csv").first), reals = row.map { (Double($0) - Double(network.input.zeroPoint)) * network.input.scale }
        let integers = try prediction.predict(integers: row)
        #expect(try prediction.predict(reals) == integers.map { (Double($0) + 128) / 256 })
        #expect(throws: Fault.self) { try prediction.predict(reals + [0]) }
        #expect(throws: Fault.self) { try prediction.predict([Double](repeating: .nan, count: prediction.inputs)) }
    }

    @Test(arguments: 0..<8) func everyTruncationIsAFault(_ number: Int) throws {
        let whole = try bytes(number)
        for count in 0..<whole.count { #expect(throws: Fault.self, "\(count) bytes") { try imported(Array(whole.prefix(count))) } }
    }

    /// A changed byte gives another network or a fault; it never traps, hangs or takes much memory.
    @Test(arguments: 0..<8) func changedBytesNeverTrap(_ number: Int) throws {
        let whole = try bytes(number)
        var random = RandomNumbers(seed: UInt64(number))
        for place in whole.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff, UInt8(random.below(256))] where value != whole[place] {
                var changed = whole
                changed[place] = value
                _ = try? imported(changed)
            }
        }
    }

    @Test func whatCannotBeRunIsNamed() throws {
        // The code of FULLY_CONNECTED becomes that of CONV_2D, in both places where the schema has it.
        let whole = try bytes(1)
        var refused: [String] = []
        for place in whole.indices where whole[place] == 9 {
            var changed = whole
            changed[place] = 3
            do { _ = try imported(changed) } catch { refused.append(error.message) }
        }
        #expect(try imported(whole).layers.count == 2)
        #expect(refused.contains { $0.contains("operator 0, FULLY_CONNECTED, cannot be run") || $0.contains("operator 0, CONV_2D, cannot be run: supported are DEQUANTIZE") }, "\(refused)")
    }

    @Test func labelsAndWindowsMustFit() throws {
        let network = try imported(try bytes(1))
        #expect(network.labels == (0..<network.outputs).map { "\($0)" })
        #expect(throws: Fault.self) { try imported(try bytes(1), labels: ["one too few"]) }
        #expect(throws: Fault.self) { try TFLiteImport.network("/no/such.tflite", input: .raw) }
        for number in 0..<8 {
            let inputs = try imported(try bytes(number)).inputs
            do {
                let raw = try imported(try bytes(number), input: .raw)
                #expect(inputs % 3 == 0 && raw.window == inputs / 3)
            } catch let fault as Fault {
                #expect(inputs % 3 != 0 && fault.code == .usage)
            }
        }
    }
}
