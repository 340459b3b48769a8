import FoundationEssentials
import Glibc
import SwiftHAR
import Testing

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/swift-har"

private func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(fixtures)/\(name)"))) }

private func floats(_ name: String) throws -> [Float] {
    let bytes = try bytes("\(name).f32")
    return (0..<bytes.count / 4).map { at in Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[4 * at + $1]) << (8 * UInt32($1)) }) }
}

// Swift-HAR's windows of a recording of ten seconds at 100 Hz, written once more here: shifted axis by axis.
private func windows(_ name: String) throws -> [[Float]] {
    let bytes = try bytes("\(name).i16")
    let samples = (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    let axes = (0..<3).map { axis -> [Float] in
        let values = (0..<1000).map { -Float(samples[$0 * 3 + axis]) / 4096 }
        let least = values.min() ?? 0, most = values.max() ?? 0
        return values.map { $0 + (most >= 0 ? -least : -most) }
    }
    return stride(from: 0, to: 900, by: 10).map { start in axes.flatMap { $0[start..<start + 100] } }
}

@Suite struct NeuralNetTests {
    /// As an iOS program of 2017 used it; the weights are those of a re-implementation in numpy (Tests/Vectors/swift_har.py).
    @Test func weightsAfterAnEpochAreNumpys() throws {
        let structure = try NeuralNet.Structure(inputs: 300, hidden: 12, outputs: 3)
        let config = try NeuralNet.Configuration(
            hiddenActivation: .rectifiedLinear, outputActivation: .sigmoid, cost: .meanSquared, learningRate: 0.4, momentum: 0.2)
        let network = try NeuralNet(structure: structure, config: config, weights: try floats("start"))
        var inputs: [[Float]] = [], labels: [[Float]] = [], lateInputs: [[Float]] = [], lateLabels: [[Float]] = []
        for (index, name) in ["walk", "stand", "curl"].enumerated() {
            let all = try windows(name), label: [Float] = (0..<3).map { $0 == index ? 1 : 0 }
            inputs += all[..<70]
            labels += all[..<70].map { _ in label }
            lateInputs += all[70...]
            lateLabels += all[70...].map { _ in label }
        }
        let data = try NeuralNet.Dataset(
            trainInputs: inputs, trainLabels: labels, validationInputs: lateInputs, validationLabels: lateLabels)
        let weights = try network.train(data, errorThreshold: 1e-9, maxEpochs: 1), expected = try floats("epoch1")
        #expect(weights.count == expected.count && zip(weights, expected).allSatisfy { abs($0 - $1) < 1e-4 })
        // By hand, step by step: the same.
        let other = try NeuralNet(structure: structure, config: config, weights: try floats("start"))
        for (input, label) in zip(inputs, labels) {
            try other.infer(input)
            try other.backpropagate(label)
        }
        #expect(other.allWeights() == weights)
    }

    @Test func aSavedNetworkInfersTheSame() throws {
        let network = try NeuralNet(structure: .init(inputs: 300, hidden: 7, outputs: 2), config: .init())
        let url = URL(fileURLWithPath: "/tmp/gaitway-\(getpid())-neuralnet.json"), window = [Float](repeating: 0.25, count: 300)
        defer { unlink(url.path) }
        try network.save(to: url)
        let read = try NeuralNet(url: url)
        #expect(try read.infer(window) == network.infer(window) && read.structure == network.structure)
        let text = try String(contentsOf: url, encoding: .utf8)
        for count in stride(from: 0, to: text.utf8.count, by: 509) {
            try Data(text.utf8.prefix(count)).write(to: url)
            #expect(throws: NeuralNet.Error.self) { try NeuralNet(url: url) }
        }
    }

    @Test func whatDoesNotFitIsAnError() throws {
        let network = try NeuralNet(structure: .init(inputs: 3, hidden: 2, outputs: 1), config: .init())
        #expect(throws: NeuralNet.Error.self) { try network.backpropagate([1]) }
        #expect(throws: NeuralNet.Error.self) { try network.infer([1, 2]) }
        try network.infer([1, 2, 3])
        #expect(throws: NeuralNet.Error.self) { try network.backpropagate([1, 0]) }
        #expect(throws: NeuralNet.Error.self) { try network.setWeights([1]) }
        #expect(throws: NeuralNet.Error.self) { try NeuralNet.Structure(inputs: 0, hidden: 2, outputs: 1) }
        #expect(throws: NeuralNet.Error.self) { try NeuralNet.Configuration(hiddenActivation: .sigmoid) }
        #expect(throws: NeuralNet.Error.self) { try NeuralNet.Configuration(momentum: -1) }
        let data = try NeuralNet.Dataset(trainInputs: [[1, 2]], trainLabels: [[1]], validationInputs: [], validationLabels: [])
        #expect(throws: NeuralNet.Error.self) { try network.train(data, errorThreshold: 0.1) }
        #expect(throws: NeuralNet.Error.self) { try network.train(data, errorThreshold: 0) }
        #expect(throws: NeuralNet.Error.self) {
            try NeuralNet.Dataset(trainInputs: [[1]], trainLabels: [], validationInputs: [], validationLabels: [])
        }
    }
}
