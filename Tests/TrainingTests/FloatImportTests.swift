import Support
import Testing

@testable import Models
@testable import Training

private func file(_ tensors: [String: Safetensors.Tensor]) -> [UInt8] {
    var file = Safetensors()
    file.tensors = tensors
    return file.encoded()
}

private func tensor(_ shape: [Int], _ value: (Int) -> Float) -> Safetensors.Tensor { .init((0..<shape.reduce(1, *)).map(value), shape: shape) }

private func layers(_ tensors: [String: Safetensors.Tensor]) throws(Fault) -> [FloatLayer] {
    try FloatImport.layers(file(tensors), path: "x.safetensors", activation: .relu)
}

@Suite struct FloatImportTests {
    @Test func layersComeInTheOrderOfTheirNumbers() throws {
        let found = try layers([
            "0.weight": tensor([3, 2]) { Float($0) }, "0.bias": tensor([3]) { Float($0) }, "2.weight": tensor([4, 3]) { _ in 2 }, "10.weight": tensor([5, 4]) { _ in 10 },
            "10.bias": tensor([5]) { _ in 1 },
        ])
        #expect(found.map(\.inputs) == [2, 3, 4] && found.map(\.outputs) == [3, 4, 5])
        #expect(found.map(\.activation) == [.relu, .relu, .linear])
        #expect(found[0].weights == [0, 1, 2, 3, 4, 5] && found[0].bias == [0, 1, 2] && found[1].bias == [0, 0, 0, 0])
    }

    @Test func whatCannotBeUsedIsNamed() throws {
        let good = tensor([3, 2]) { _ in 1 }
        for (tensors, word) in [
            ([:], "0 dense layers"), (["0.weight": good, "1.weight": good], "1.weight takes 2"), (["0.weight": good, "0.bias": tensor([2]) { _ in 0 }], "0.bias"),
            (["0.weight": good, "lstm.h": good], "lstm.h"), (["0.weight": tensor([3, 2]) { $0 == 4 ? .nan : 1 }], "not finite"),
            (["0.weight": .init([Int8](repeating: 1, count: 6), shape: [3, 2])], "0.weight is not F32"), (["0.weight": tensor([6]) { _ in 1 }], "rank 2"),
        ] as [([String: Safetensors.Tensor], String)] {
            do {
                _ = try layers(tensors)
                Issue.record("\(word): not refused")
            } catch {
                #expect(error.code == .badData && error.message.contains(word), "\(error)")
            }
        }
        var half = file(["0.weight": good])
        let place = try #require(half.indices.first { half[$0...].starts(with: Array("F32".utf8)) })
        half.replaceSubrange(place..<place + 3, with: Array("F16".utf8))
        #expect(throws: Fault.self) { try FloatImport.layers(half, path: "x", activation: .relu) }
        do { _ = try FloatImport.layers(half, path: "x", activation: .relu) } catch { #expect(error.message.contains("the type F16")) }
    }

    @Test(arguments: [LayerActivation.relu, .sigmoid]) func fixedPointDecidesAsFloat(_ activation: LayerActivation) throws {
        var random = RandomNumbers(seed: 5)
        let float = FloatNetwork(inputs: 384, hidden: 24, outputs: 3, &random).layers(undoing: Normalisation())
        var bytes: [String: Safetensors.Tensor] = [:]
        for (index, layer) in float.enumerated() {
            bytes["\(index).weight"] = .init(layer.weights, shape: [layer.outputs, layer.inputs])
            bytes["\(index).bias"] = .init(layer.bias, shape: [layer.outputs])
        }
        let found = try FloatImport.layers(file(bytes), path: "x", activation: activation)
        let directory = try simulatedRecordings()
        let result = try FloatCalibration(found, labels: ["WALKING", "B", "C"], recordings: directory, bits: 8, hop: 64)
        #expect(result.windows > 150 && Double(result.equal) >= 0.97 * Double(result.windows), "\(result.equal) of \(result.windows)")
        #expect(result.network.golden != nil && result.network.window == 128)
        #expect(throws: Fault.self) { try FloatCalibration(found, labels: ["A"], recordings: directory, bits: 8, hop: 64) }
    }
}
