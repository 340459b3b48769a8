import Support
import Testing

@testable import NeuralNetwork
@testable import Recognition

@Suite struct FallModelTests {
    @Test func theShippedOneIsReadBack() throws {
        let model = try FallModel.shipped.get()
        #expect(try FallModel(model.encoded, path: "m") == model && model.trees > 0)
    }

    /// A bit of any table, and of the limit.
    @Test func whatWasDamagedIsNoModel() throws {
        let model = try FallModel.shipped.get()
        for change in 0..<4 {
            var damaged = model
            switch change {
            case 0: damaged.features[3] ^= 1
            case 1: damaged.thresholds[5] ^= 256
            case 2: damaged.leaves[7] ^= 2
            default: damaged.limit += 1
            }
            // Its tables beside the checksum of the right ones.
            var file = try Safetensors(damaged.encoded, path: "m")
            file.metadata["gaitway.crc32"] = try Safetensors(model.encoded, path: "m").metadata["gaitway.crc32"]
            let fault = #expect(throws: Fault.self) { try FallModel(file.encoded(), path: "m") }
            #expect(fault?.code == .badData && fault?.message.contains("checksum") == true)
        }
    }

    @Test(arguments: ["16777216", "-16777216", "a", ""]) func aLimitThatCannotBe(text: String) throws {
        var file = try Safetensors(try FallModel.shipped.get().encoded, path: "m")
        file.metadata["gaitway.limit"] = text
        #expect(throws: Fault.self) { try FallModel(file.encoded(), path: "m") }
    }
}
