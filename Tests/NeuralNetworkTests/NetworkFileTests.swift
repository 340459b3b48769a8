import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork

@Suite struct NetworkFileTests {
    private func refusal(_ bytes: [UInt8]) -> Fault? {
        do {
            _ = try NetworkFile.decode(bytes, path: "m")
            return nil
        } catch { return error }
    }

    // Changes the content and writes a checksum that fits.
    private func forged(_ change: (inout Safetensors) -> Void) throws -> [UInt8] {
        var file = try Safetensors(try NetworkFile.encode(try exampleNetwork()), path: "m")
        change(&file)
        if file.metadata["gaitway.checksum"] != nil {
            file.metadata["gaitway.checksum"] = NetworkFile.emptyChecksum
            file.metadata["gaitway.checksum"] = Checksum.text(Checksum.crc32(file.encoded()))
        }
        return file.encoded()
    }

    @Test(arguments: NetworkOutput.allCases)
    func roundTrip(_ output: NetworkOutput) throws {
        let network = try exampleNetwork(output: output), bytes = try NetworkFile.encode(network)
        #expect(try NetworkFile.decode(bytes, path: "m") == network)
        #expect(try NetworkFile.encode(network) == bytes, "equal networks give equal files")
        #expect(bytes.count % 8 == (bytes.count - 8) % 8)
    }

    @Test func everyKindOfLayerIsKept() throws {
        let network = try everyLayer(), bytes = try NetworkFile.encode(network)
        #expect(try NetworkFile.decode(bytes, path: "m") == network)
        #expect(Set(network.layers.map(\.kind)).count == 15)
        for count in stride(from: 0, to: bytes.count, by: 7) { #expect(refusal(Array(bytes[..<count]))?.code == .badData) }
    }

    @Test func exemplarsAreKept() throws {
        var network = try exampleNetwork()
        network.exemplars = Exemplars(labels: [0, 2, 1, 1], values: (0..<4).map { row in (0..<5).map { Int16(row * 5 + $0 - 9) } })
        let bytes = try NetworkFile.encode(network)
        #expect(try NetworkFile.decode(bytes, path: "m") == network)
        for wrong in [
            Exemplars(labels: [0, 3], values: [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]), Exemplars(labels: [0], values: [[1, 2, 3, 4]]),
            Exemplars(labels: [0, 1], values: [[1, 2, 3, 4, 5]]),
        ] {
            network.exemplars = wrong
            #expect(throws: Fault.self) { try NetworkFile.encode(network) }
        }
    }

    /// The same weights give the same decisions; one more class has one more output.
    @Test func theLastLayerCanBeReplaced() throws {
        let network = try exampleNetwork()
        var weights = try #require(network.lastWeights)
        let same = network.replacingLast(weights, labels: network.labels, range: -6.6...6.1)
        var old = try CompiledNetwork(network), new = try CompiledNetwork(same), random = RandomNumbers(seed: 5), equal = 0,
            probabilities = [Int16](repeating: 0, count: 4)
        for _ in 0..<500 {
            let input = (0..<12).map { _ in Int16(random.below(60000) - 30000) }
            equal += old.classify(input, &probabilities) == new.classify(input, &probabilities) ? 1 : 0
        }
        #expect(equal > 480, "\(equal)")
        weights.values += [Float](repeating: 0, count: 5)
        weights.bias.append(100)
        weights.outputs = 4
        var wider = try CompiledNetwork(network.replacingLast(weights, labels: network.labels + ["four"], range: -7...100))
        #expect(wider.classify([Int16](repeating: 0, count: 12), &probabilities) == 3)
    }

    @Test func crcIsTheWellKnownOne() { #expect(Checksum.text(Checksum.crc32(Array("123456789".utf8))) == "cbf43926") }

    @Test func everyTruncationIsRefused() throws {
        let bytes = try NetworkFile.encode(try exampleNetwork())
        for length in bytes.indices { #expect(refusal(Array(bytes[..<length]))?.code == .badData, "\(length) of \(bytes.count) bytes") }
        #expect(refusal(bytes + [0])?.code == .badData, "and so is a longer file")
    }

    @Test func everyFlippedBitIsRefused() throws {
        var bytes = try NetworkFile.encode(try exampleNetwork())
        for index in bytes.indices {
            for bit in 0..<8 {
                bytes[index] ^= 1 << bit
                #expect(refusal(bytes)?.code == .badData, "byte \(index), bit \(bit)")
                bytes[index] ^= 1 << bit
            }
        }
    }

    @Test func claimedSizesAreNotBelieved() {
        for size: UInt64 in [2 << 30, .max, 1 << 20, 100] {
            let header = (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * UInt64($0))) }
            let found = refusal(header + Array("{}".utf8))
            #expect(found?.code == .badData && found?.message.contains("claims") == true)
        }
    }

    @Test func whatDoesNotFitIsNamed() throws {
        typealias Change = (inout Safetensors) -> Void
        let changes: [(String, Change)] = [
            ("takes 12", { $0.metadata["window"] = "5" }),
            ("outputs for 2 labels", { $0.metadata["labels"] = "[\"a\",\"b\"]" }),
            ("the same", { $0.metadata["labels"] = "[\"a\",\"b\",\"a\"]" }),
            ("control characters", { $0.metadata["labels"] = "[\"a\",\"b\",\"c\\u001b\"]" }),
            ("not the JSON", { $0.metadata["labels"] = "a,b,c" }),
            ("this program reads \"2\"", { $0.metadata["gaitway.format"] = "1" }),
            ("and it does not scale its input", { $0.metadata["gaitway.format"] = "3" }),
            ("and it scales its input", { $0.metadata["input_exponents"] = "0 1" }),
            (
                "is not one of features",
                { ($0.metadata["gaitway.format"], $0.metadata["input_exponents"]) = ("3", String(repeating: "1 ", count: 12)) }
            ),
            (
                "12 numbers within -64",
                {
                    ($0.metadata["gaitway.format"], $0.metadata["input"]) = ("3", "features")
                    $0.metadata["input_exponents"] = String(repeating: "65 ", count: 12)
                }
            ),
            ("of its input and no exponents", { $0.tensors["input.offsets"] = .init([Float](), shape: [0]) }),
            ("of its input and no exponents", { $0.tensors["input.columns"] = .init([Int32](), shape: [0]) }),
            (
                "its offsets are not 12 finite numbers",
                {
                    ($0.metadata["gaitway.format"], $0.metadata["input"]) = ("3", "features")
                    $0.metadata["input_exponents"] = String(repeating: "1 ", count: 12)
                    $0.tensors["input.offsets"] = .init([Float](repeating: .infinity, count: 12), shape: [12])
                }
            ),
            (
                // Six of each, where there are thresholds as well.
                "\"input_exponents\" are not 6 numbers",
                {
                    ($0.metadata["gaitway.format"], $0.metadata["input"]) = ("3", "features")
                    $0.metadata["input_exponents"] = String(repeating: "1 ", count: 12)
                    $0.tensors["input.thresholds"] = .init([Float](), shape: [0])
                    $0.tensors["input.starts"] = .init([Int32](repeating: 0, count: 13), shape: [13])
                }
            ),
            ("no \"gaitway.checksum\"", { $0.metadata["gaitway.checksum"] = nil }),
            ("\"bits\" is \"17\"", { $0.metadata["bits"] = "17" }),
            ("what 4 bits hold", { $0.metadata["bits"] = "4" }),
            ("longer than its window", { $0.metadata["hop"] = "6" }),
            ("golden pair", { $0.metadata["golden_output"] = "1 2 3" }),
            ("golden pair does not fit", { $0.metadata["golden_input"] = "1 2 3" }),
            ("not a row of Int16", { $0.metadata["golden_input"] = "1 2 40000" }),
            ("input_scale", { $0.metadata["input_scale"] = "-1" }),
            ("single precision", { $0.metadata["input_scale"] = "1e-320" }),
            (
                "scale or zero point out of range",
                {
                    let layers = $0.metadata["layers"] ?? ""
                    $0.metadata["layers"] = layers.replacing(#/"scale":[0-9.e-]+/#, with: "\"scale\":1e308")
                }
            ),
            ("tensor 1.shift is missing", { $0.tensors["1.shift"] = nil }),
            ("does not compute", { $0.tensors["1.bias"] = nil }),
            ("its layers have 8", { $0.tensors["x"] = .init([Int8(0)], shape: [1]) }),
            ("not I8 of rank 2", { $0.tensors["0.weight"]?.shape = [60] }),
            ("not I32 of rank 1", { $0.tensors["0.bias"] = .init([Int8](repeating: 0, count: 5), shape: [5]) }),
            ("5 outputs, with 4 biases", { $0.tensors["0.bias"] = .init([Int32](repeating: 0, count: 4), shape: [4]) }),
            ("do not fit each other", { $0.tensors["1.weight"] = .init([Int8](repeating: 1, count: 12), shape: [3, 4]) }),
            ("out of range", { $0.tensors["0.multiplier"] = .init([Int32](repeating: 5, count: 5), shape: [5]) }),
            ("which this program does not know", { $0.metadata["layers"] = $0.metadata["layers"]?.replacing("dense", with: "magic") }),
            (
                "which is not what comes before it",
                { $0.metadata["layers"] = $0.metadata["layers"]?.replacing("\"sources\":[0]", with: "\"sources\":[1]") }
            ),
            (
                "has the limits",
                { $0.metadata["layers"] = $0.metadata["layers"]?.replacing("\"limits\":[-128,127]", with: "\"limits\":[9,8]") }
            ),
            ("has the shape", { $0.metadata["layers"] = $0.metadata["layers"]?.replacing("\"shape\":[1,1,5]", with: "\"shape\":[1,0,5]") }),
            ("has no \"rounding\"", { $0.metadata["layers"] = $0.metadata["layers"]?.replacing("\"rounding\":\"once\",", with: "") }),
            ("\"state\" is \"gone\"", { $0.metadata["state"] = "gone" }),
            ("\"input_shape\"", { $0.metadata["input_shape"] = "12" }),
            ("-127", { $0.tensors["0.weight"]?.bytes[0] = 0x80 }),
        ]
        for (complaint, change) in changes {
            let found = refusal(try forged(change))
            #expect(found?.code == .badData && found?.message.contains(complaint) == true, "\(complaint): \(String(describing: found))")
        }
    }

    @Test func overlapsAndHolesAreRefused() throws {
        let bytes = try NetworkFile.encode(try exampleNetwork())
        let length = Int(bytes[0]) | Int(bytes[1]) << 8
        let header = String(decoding: bytes[8..<8 + length], as: UTF8.self)
        for (old, new) in [
            ("\"data_offsets\":[0,20]", "\"data_offsets\":[0,24]"), ("\"data_offsets\":[0,20]", "\"data_offsets\":[0,19]"),
            ("\"shape\":[5,12]", "\"shape\":[5,13]"), ("\"shape\":[5,12]", "\"shape\":[9223372036854775807,12]"),
            ("\"shape\":[5,12]", "\"shape\":[-5,-12]"),
        ] {
            #expect(header.contains(old))
            let changed = Array(header.replacing(old, with: new).utf8)
            let prefix = (0..<8).map { UInt8(truncatingIfNeeded: changed.count >> (8 * $0)) }
            #expect(refusal(prefix + changed + bytes[(8 + length)...])?.code == .badData, "\(new)")
        }
    }
}
