import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import Training

private func file(_ tensors: [String: Safetensors.Tensor]) -> [UInt8] {
    var file = Safetensors()
    file.tensors = tensors
    return file.encoded()
}

private func tensor(_ shape: [Int], _ value: (Int) -> Float) -> Safetensors.Tensor {
    .init((0..<shape.reduce(1, *)).map(value), shape: shape)
}

private func graph(_ tensors: [String: Safetensors.Tensor], steps: Int = 10) throws(Fault) -> FloatGraph {
    try SafetensorsImport.graph(file(tensors), path: "x.safetensors", activation: .relu, steps: steps)
}

extension FloatGraph {
    fileprivate var dense: [FloatWeights] { layers.compactMap { if case .dense(let weights) = $0.operation { weights } else { nil } } }
}

@Suite struct FloatImportTests {
    @Test func layersComeInTheOrderOfTheirNumbers() throws {
        let found = try graph([
            "0.weight": tensor([3, 2]) { Float($0) }, "0.bias": tensor([3]) { Float($0) }, "2.weight": tensor([4, 3]) { _ in 2 },
            "10.weight": tensor([5, 4]) { _ in 10 },
            "10.bias": tensor([5]) { _ in 1 },
        ])
        #expect(found.dense.map(\.inputs) == [2, 3, 4] && found.dense.map(\.outputs) == [3, 4, 5])
        #expect(found.layers.map { $0.operation == .curve(.relu) } == [false, true, false, true, false])
        #expect(found.dense[0].values == [0, 1, 2, 3, 4, 5] && found.dense[0].bias == [0, 1, 2] && found.dense[1].bias == [0, 0, 0, 0])
    }

    @Test func anLSTMComesFirstAndItsLastStepGoesOn() throws {
        let tensors = [
            "lstm.weight_ih_l0": tensor([8, 3]) { Float($0) }, "lstm.weight_hh_l0": tensor([8, 2]) { Float($0) },
            "lstm.bias_ih_l0": tensor([8]) { Float($0) },
            "lstm.bias_hh_l0": tensor([8]) { _ in 1 }, "head.weight": tensor([4, 2]) { Float($0) },
        ]
        let found = try graph(tensors, steps: 7)
        #expect(found.input == FloatShape(width: 7, channels: 3) && found.last.count == 4)
        guard case .lstm(let lstm) = found.layers[0].operation else { throw Fault(.badData, "no LSTM") }
        #expect(lstm.units == 2 && lstm.weights.bias == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(found.layers[1].operation == .slice(first: 6))
        for (name, word) in [("lstm.weight_hh_l0", "shape"), ("head.weight", "takes 3")] {
            var changed = tensors
            changed[name] = tensor([name.hasPrefix("head") ? 4 : 8, 3]) { _ in 1 }
            do {
                _ = try graph(changed)
                Issue.record("\(name)")
            } catch { #expect(error.message.contains(word), "\(error)") }
        }
    }

    @Test func whatCannotBeUsedIsNamed() throws {
        let good = tensor([3, 2]) { _ in 1 }
        for (tensors, word) in [
            ([:], "0 dense layers"), (["0.weight": good, "1.weight": good], "1.weight takes 2"),
            (["0.weight": good, "0.bias": tensor([2]) { _ in 0 }], "0.bias"),
            (["0.weight": good, "lstm.h": good], "lstm.h"), (["0.weight": tensor([3, 2]) { $0 == 4 ? .nan : 1 }], "not finite"),
            (["0.weight": .init([Int8](repeating: 1, count: 6), shape: [3, 2])], "0.weight is not F32"),
            (["0.weight": tensor([6]) { _ in 1 }], "rank 2"),
        ] as [([String: Safetensors.Tensor], String)] {
            do {
                _ = try graph(tensors)
                Issue.record("\(word): not refused")
            } catch {
                #expect(error.code == .badData && error.message.contains(word), "\(error)")
            }
        }
        var half = file(["0.weight": good])
        let place = try #require(half.indices.first { half[$0...].starts(with: Array("F32".utf8)) })
        half.replaceSubrange(place..<place + 3, with: Array("F16".utf8))
        #expect(throws: Fault.self) { try SafetensorsImport.graph(half, path: "x", activation: .relu, steps: 1) }
        do { _ = try SafetensorsImport.graph(half, path: "x", activation: .relu, steps: 1) } catch {
            #expect(error.message.contains("the type F16"))
        }
    }

    @Test(arguments: [Activation.relu, .sigmoid, .tanh]) func fixedPointDecidesAsFloat(_ activation: Activation) throws {
        var random = RandomNumbers(seed: 5)
        let float = FloatNetwork(inputs: 384, hidden: 24, outputs: 3, &random).graph(undoing: Normalisation())
        var bytes: [String: Safetensors.Tensor] = [:]
        for (index, layer) in float.dense.enumerated() {
            bytes["\(index).weight"] = .init(layer.values, shape: [layer.outputs, layer.inputs])
            bytes["\(index).bias"] = .init(layer.bias, shape: [layer.outputs])
        }
        let found = try SafetensorsImport.graph(file(bytes), path: "x", activation: activation, steps: 1)
        let rows = try CalibrationRows(recordings: try simulatedRecordings(), inputs: 384, kind: .raw, window: 128, hop: 64),
            naming = ImportOptions(labels: ["WALKING", "B", "C"])
        let result = try FloatCalibration(found, rows, bits: 8, activations: nil, naming, path: "x")
        #expect(
            result.rows > 150 && Double(result.equal) >= FloatCalibration.enough * Double(result.rows), "\(result.equal) of \(result.rows)")
        #expect(result.network.golden != nil && result.network.window == 128)
        #expect(throws: Fault.self) {
            try FloatCalibration(found, rows, bits: 8, activations: .int8, ImportOptions(labels: ["A"]), path: "x")
        }
    }

    private func rows(_ lines: [String], inputs: Int) throws -> CalibrationRows {
        let path = "\(temporaryDirectory())/rows.csv"
        try Files.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
        return try CalibrationRows(file: path, inputs: inputs)
    }

    @Test func rowsThatAllGiveTheSameAreRefused() throws {
        let found = try graph(["0.weight": tensor([3, 2]) { _ in 0 }])
        let fault = #expect(throws: Fault.self) {
            try FloatCalibration(
                found, try rows(["1,2", "1,2", "1,2"], inputs: 2), bits: 8, activations: nil, ImportOptions(input: .features), path: "x")
        }
        #expect(fault?.message == "x: all 3 rows give the same numbers")
    }

    @Test func anLSTMInFixedPointDecidesAsFloat() throws {
        var random = RandomNumbers(seed: 6)
        func values(_ shape: [Int], _ size: Double) -> Safetensors.Tensor { tensor(shape) { _ in Float(random.normal() * size) } }
        let found = try graph(
            [
                "lstm.weight_ih_l0": values([48, 3], 0.8), "lstm.weight_hh_l0": values([48, 12], 0.3), "lstm.bias_ih_l0": values([48], 0.3),
                "fc.weight": values([3, 12], 1),
                "fc.bias": values([3], 0.1),
            ], steps: 64)
        let rows = try CalibrationRows(recordings: try simulatedRecordings(), inputs: 192, kind: .raw, window: 64, hop: 64),
            naming = ImportOptions(state: .fresh)
        let result = try FloatCalibration(found, rows, bits: 8, activations: nil, naming, path: "x")
        #expect(result.network.isSequential && Double(result.equal) >= 0.98 * Double(result.rows), "\(result.equal) of \(result.rows)")
    }
}
