import Glibc
import Recognition
import Sensing
import Support
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import Training

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/swift-har"
private let names = ["walk", "stand", "curl"]

private func recording(_ name: String) throws -> Recording {
    let bytes = try Files.read("\(fixtures)/\(name).i16", limit: 1 << 20)
    return Recording(
        label: name, rate: 100_000,
        samples: (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) })
}

private func floats(_ name: String) throws -> [Float] {
    let bytes = try Files.read("\(fixtures)/\(name).f32", limit: 1 << 20)
    return (0..<bytes.count / 4).map { at in Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[4 * at + $1]) << (8 * UInt32($1)) }) }
}

private func store(_ recordings: [Recording]) throws -> RecordingStore {
    let store = try RecordingStore(making: "/tmp/gaitway-\(getpid())-swift-har-\(UInt32.random(in: 0 ... .max))")
    for (index, recording) in recordings.enumerated() {
        try store.add(recording, at: CalendarTime(year: 2017, month: 5, day: 7, hour: 9, minute: 30, second: index))
    }
    return store
}

/// Against a re-implementation of the 2017 trainer in numpy: Tests/Vectors/swift_har.py.
@Suite struct SwiftHARTests {
    @Test func weightCounts() {
        #expect(SwiftHARNetwork.count(inputs: 300, hidden: 200, outputs: 3) == 60_803)
        #expect(SwiftHARNetwork.count(inputs: 300, hidden: 240, outputs: 3) == 72_963)
    }

    @Test(arguments: [1, 2]) func weightsAfterAnEpochAreNumpys(_ epochs: Int) throws {
        let trainer = try SwiftHARTrainer(store: try store(try names.map(recording)))
        #expect(trainer.labels == names)
        var start = try SwiftHARNetwork(hidden: 12, labels: names, weights: try floats("start"))
        // One epoch after the other, whatever the cost says.
        for _ in 1..<epochs { start = trainer.train(start, epochs: 1).network }
        let result = trainer.train(start, epochs: 1), expected = try floats("epoch\(epochs)")
        let worst = zip(result.network.weights, expected).map { abs($0 - $1) }.max() ?? 1
        #expect(result.network.weights.count == expected.count && worst < 1e-4, "\(worst)")
        if epochs == 2 {
            let lines = String(decoding: try Files.read("\(fixtures)/outputs.txt", limit: 4096), as: UTF8.self).split(separator: "\n")
            for (name, line) in zip(names, lines) {
                let expected = line.split(separator: " ").compactMap { Float($0) },
                    (label, outputs) = try SwiftHARTrainer.guess(try recording(name), result.network)
                #expect(
                    zip(outputs, expected).allSatisfy { abs($0 - $1) < 1e-4 }
                        && label == names[expected.indices.max { expected[$0] < expected[$1] } ?? 0])
            }
        }
    }

    @Test func slowerRecordingsAreHeld() throws {
        let fast = try recording("walk")
        let slow = Recording(label: "walk", rate: 50_000, samples: (0..<500).flatMap { Array(fast.samples[$0 * 6..<$0 * 6 + 3]) })
        let axes = try SwiftHARWindows.axes(slow, path: "slow")
        #expect(axes.allSatisfy { $0.count == 1000 } && axes[0][0] == axes[0][1] && axes[0][998] == axes[0][999])
        #expect(axes[2].min() == 0)
        // A chip has the rates that it has.
        let faster = Recording(label: "a", rate: 200_000, samples: (0..<2000).flatMap { Array(fast.samples[$0 / 2 * 3..<$0 / 2 * 3 + 3]) })
        #expect(try SwiftHARWindows.axes(faster, path: "faster") == SwiftHARWindows.axes(fast, path: "fast"))
        #expect(throws: Fault.self) {
            try SwiftHARWindows.axes(Recording(label: "a", rate: 100_000, samples: Array(fast.samples.prefix(2997))), path: "bad")
        }
        // All below zero: the largest becomes zero.
        let below = Recording(label: "a", rate: 100_000, samples: (0..<3000).map { Int16($0 % 7 + 1) })
        #expect(try SwiftHARWindows.axes(below, path: "below").allSatisfy { $0.max() == 0 })
    }

    @Test func weightsAreKept() throws {
        let network = SwiftHARNetwork(hidden: 5, labels: ["a", "b"], seed: 3), path = "/tmp/gaitway-\(getpid())-swift-har.json"
        try SwiftHARWeights.save(network, to: path)
        #expect(try SwiftHARWeights.load(path) == network)
        let text = String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
        for key in [
            "\"inputs\":300", "\"hiddenActivation\":\"ReLU\"", "\"outputActivation\":\"sigmoid\"", "\"costFunction\":\"meanSquared\"",
            "\"learningRate\":0.4",
        ] { #expect(text.contains(key)) }
        for count in stride(from: 0, to: text.utf8.count, by: 301) {
            try Files.write(Array(text.utf8.prefix(count)), to: path + ".cut")
            #expect(throws: Fault.self) { try SwiftHARWeights.load(path + ".cut") }
        }
        #expect(throws: Fault.self) { try SwiftHARNetwork(hidden: 5, labels: ["a"], weights: network.weights) }
    }

    /// The saved network on windows as the loop has them gives what it gives on Swift-HAR's, held sample by sample.
    @Test func theSavedNetworkRunsOnTheLoopsWindows() throws {
        let network = SwiftHARNetwork(hidden: 20, labels: ["a", "b", "c"], seed: 9), path = "/tmp/gaitway-\(getpid())-import-swift-har.json"
        try SwiftHARWeights.save(network, to: path)
        let file = try SwiftAIFile(try Files.read(path, limit: 1 << 20), path: path)
        #expect(file.labels == network.labels && file.graph.output == .independent)
        var predictor = FloatPredictor(file.graph), random = RandomNumbers(seed: 4)
        for round in 0..<20 {
            // Around zero, all above it, all below it, and as far as a sensor goes.
            let (middle, width) = [(0, 4096), (6000, 3000), (-6000, 3000), (0, 65536)][round % 4]
            let window = (0..<150).map { _ in Int16(clamping: middle + random.below(width) - width / 2) }
            let row = WindowInput.row(window, .shifted)
            let axes = (0..<3).map { axis -> [Float] in
                let values: [Float] = (0..<100).map { -Float(window[$0 / 2 * 3 + axis]) / 4096 }
                let least: Float = values.min() ?? 0, most: Float = values.max() ?? 0
                let shift: Float = most >= 0 ? -least : -most, limit: Float = 32767.0 / 4096
                return values.map { (value: Float) -> Float in max(-8, min(limit, value + shift)) }
            }
            #expect(row.count == 150 && row[0] == Int16((axes[0][0] * 4096).rounded()) && row[149] == Int16((axes[2][99] * 4096).rounded()))
            let expected = network.infer(axes.flatMap { $0 })
            let found = try predictor.predict(row.map { Double($0) / 4096 })
            #expect(zip(found, expected).allSatisfy { abs($0 - Double($1)) < 1e-4 }, "\(found) \(expected)")
        }
        for (name, wrong) in [("\"hidden\":20", "\"hidden\":21"), ("\"inputs\":300", "\"inputs\":150"), ("sigmoid", "softmax")] {
            let text = String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self).replacing(name, with: wrong)
            #expect(throws: Fault.self) { try SwiftAIFile(Array(text.utf8), path: path) }
        }
    }

    @Test func trainsUntilItIsEnough() throws {
        let trainer = try SwiftHARTrainer(store: try store(try ["walk", "stand"].map(recording)))
        let result = trainer.train(SwiftHARNetwork(hidden: 240, labels: trainer.labels, seed: 1))
        #expect(result.isEnough && result.accuracy == 1 && result.epochs <= 31)
        #expect(throws: Fault.self) { try SwiftHARTrainer(store: try store([try recording("walk")])) }
    }
}
