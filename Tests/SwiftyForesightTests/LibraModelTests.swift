import FoundationEssentials
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import SwiftyForesight
@testable import Updates

private let tflite = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/tflite"

/// Bytes by name, as a server has them.
private final class Shelf: ModelSource {
    private let files: Mutex<[String: [UInt8]]>

    init(_ files: [String: [UInt8]]) { self.files = Mutex(files) }

    func put(_ bytes: [UInt8], _ name: String) { files.withLock { $0[name] = bytes } }

    func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        guard let bytes = files.withLock({ $0[name] }) else { throw Fault(.noInput, "\(name) is not there") }
        return bytes
    }
}

private func localPath() -> String { "/tmp/gaitway-libra-\(UInt64.random(in: 0...UInt64.max)).mlmodel" }

@Suite struct LibraModelTests {
    /// The calls of SwiftyForesight's README pages and of its demo, as they are written there; what can fail is tried.
    @Test func theREADMEsCallsCompileAndWork() async throws {
        let manager = DirectoryModelSource(coreMLFixtures), modelURL = URL(filePath: localPath())
        let myModel = FeedforwardModel(modelClass: MLModel(), numInputFeatures: 5, localFilepath: modelURL, withManager: manager)
        #expect(!myModel.compiled)
        try myModel.setFeatureNames(to: ["input1", "output1"])
        let inputs = try numberRows("\(coreMLFixtures)/relu.inputs.csv"), outputs = try numberRows("\(coreMLFixtures)/relu.outputs.csv")
        try await myModel.fetchFromRemote(withRemoteFilename: "relu.mlmodel")
        #expect(myModel.compiled)
        for (input, expected) in zip(inputs, outputs) {
            let prediction = try myModel.predict(forInputs: input, availableGPU: true)
            #expect(prediction.shape == [3] && prediction.count == 3 && prediction[2].doubleValue == prediction.values[2])
            #expect(zip(prediction.values, expected).allSatisfy { abs($0 - $1) < 2e-6 }, "\(prediction.values) \(expected)")
        }
        // After a restart.
        let again = FeedforwardModel(numInputFeatures: 5, localFilepath: modelURL.path, withManager: manager)
        try again.load()
        #expect(try again.predict(forInputs: inputs[0]) == myModel.predict(forInputs: inputs[0], availableGPU: false))
    }

    @Test func aSequenceIsFedFeatureByFeature() async throws {
        let manager = DirectoryModelSource(coreMLFixtures)
        let sequence = SequentialModel(
            modelClass: MLModel(), numInputFeatures: 4, localFilepath: URL(filePath: localPath()), withManager: manager)
        try sequence.setFeatureNames(to: ["input1", "lstm_1_h_in", "lstm_1_c_in", "output1"])
        try sequence.setOutputNames(to: ["lstm_1_h_out", "lstm_1_c_out"])
        let inputs = try numberRows("\(coreMLFixtures)/lstm-1.inputs.csv"), outputs = try numberRows("\(coreMLFixtures)/lstm-1.outputs.csv")
        sequence.calibration = inputs.flatMap { row in stride(from: 0, to: row.count, by: 4).map { Array(row[$0..<$0 + 4]) } }
        try await sequence.fetchFromRemote(withRemoteFilename: "lstm-1.mlmodel")
        for (input, expected) in zip(inputs, outputs) {
            let features = (0..<4).map { feature in stride(from: feature, to: input.count, by: 4).map { input[$0] } }
            let prediction = try sequence.predict(forInputs: features, availableGPU: true)
            #expect(zip(prediction.values, expected).allSatisfy { abs($0 - $1) < 2e-6 }, "\(prediction.values) \(expected)")
            // As a board would.
            sequence.predictsInIntegers = true
            let integers = try sequence.predict(forInputs: features)
            #expect(zip(integers.values, expected).allSatisfy { abs($0 - $1) < 0.01 }, "\(integers.values) \(expected)")
            sequence.predictsInIntegers = false
        }
        #expect(throws: Fault.self) { try sequence.predict(forInputs: [[], [], [], []]) }
        #expect(throws: Fault.self) { try sequence.predict(forInputs: [[1], [1], [1, 2], [1]]) }
        #expect(throws: Fault.self) { try sequence.predict(forInputs: [[1], [1]]) }
    }

    /// A .tflite LSTM over many steps fed one step at a time gives what it gives at once.
    @Test func stepByStepIsTheWholeWindow() async throws {
        let bytes = try Files.read("\(tflite)/lstm-0-fresh.tflite", limit: 1 << 20)
        guard case .integers(let network) = try TFLiteImport.network(TFLiteFile(bytes, path: "x"), ImportOptions(input: .features)) else {
            throw Fault(.badData, "floats")
        }
        var whole = try Predictor(network)
        let width = network.input.channels,
            model = SequentialModel(numInputFeatures: width, localFilepath: localPath(), withManager: Shelf(["m.tflite": bytes]))
        try await model.fetchFromRemote(withRemoteFilename: "m.tflite")
        var random = RandomNumbers(seed: 2)
        for _ in 0..<20 {
            let row = (0..<network.inputs).map { _ in network.input.quantisation.real(Int16(random.below(256) - 128)) }
            whole.reset()
            let features = (0..<width).map { feature in stride(from: feature, to: row.count, by: width).map { row[$0] } }
            #expect(try model.predict(forInputs: features).values == whole.predict(row))
        }
    }

    @Test func aBadModelLeavesTheOldOneInUse() async throws {
        let good = try Files.read("\(coreMLFixtures)/relu.mlmodel", limit: 1 << 20), shelf = Shelf(["m": good])
        let model = FeedforwardModel(numInputFeatures: 5, localFilepath: localPath(), withManager: shelf)
        #expect(throws: Fault.self) { try model.predict(forInputs: [1, 2, 3, 4, 5]) }
        try await model.fetchFromRemote(withRemoteFilename: "m")
        let before = try model.predict(forInputs: [1, 1, 1, 1, 1])
        for bad in [
            Array(good.prefix(good.count / 2)), [], Array("<html>404</html>".utf8),
            try Files.read("\(coreMLFixtures)/tanh.mlmodel", limit: 1 << 20),
        ] {
            shelf.put(bad, "m")
            await #expect(throws: Fault.self) { try await model.fetchFromRemote(withRemoteFilename: "m") }
            #expect(try model.compiled && model.predict(forInputs: [1, 1, 1, 1, 1]) == before)
        }
        await #expect(throws: Fault.self) { try await model.fetchFromRemote(withRemoteFilename: "not there") }
        #expect(try Files.read(model.localFilepath, limit: 1 << 20) == good, "the good one stays on disk")
    }

    @Test func namesAndNumbersMustFit() async throws {
        let manager = DirectoryModelSource(coreMLFixtures),
            model = FeedforwardModel(numInputFeatures: 0, localFilepath: localPath(), withManager: manager)
        #expect(model.numInputFeatures == 1, "as SwiftyForesight has it")
        let five = FeedforwardModel(numInputFeatures: 5, localFilepath: localPath(), withManager: manager)
        #expect(throws: Fault.self) { try five.setFeatureNames(to: ["one"]) }
        try five.setFeatureNames(to: ["input1", "result"])
        await #expect(throws: Fault.self) { try await five.fetchFromRemote(withRemoteFilename: "relu.mlmodel") }
        try five.setFeatureNames(to: ["input1", "output1"])
        try await five.fetchFromRemote(withRemoteFilename: "relu.mlmodel")
        #expect(throws: Fault.self) { try five.setFeatureNames(to: ["input1", "result"]) }
        #expect(throws: Fault.self) { try five.predict(forInputs: [1, 2, 3, 4]) }
        #expect(try five.predict(forInputs: [1, 2, 3, 4, 9]).count == 3)
        five.predictsInIntegers = true
        #expect(throws: Fault.self) { try five.predict(forInputs: [1, 2, 3, 4, 9]) }
        five.predictsInIntegers = false
        #expect(throws: Fault.self) { try five.predict(forInputs: [1, 2, 3, 4, .nan]) }
        await #expect(throws: Fault.self) { try await manager.model(named: "../tflite/dense-0.tflite", limit: 1000) }
        let sequence = SequentialModel(numInputFeatures: 5, localFilepath: localPath(), withManager: manager)
        await #expect(throws: Fault.self) { try await sequence.fetchFromRemote(withRemoteFilename: "relu.mlmodel") }
        #expect(throws: Fault.self) { try sequence.setFeatureNames(to: ["a", "b", "c"]) }
        #expect(throws: Fault.self) { try sequence.setOutputNames(to: ["a"]) }
    }

    private static let demo =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/shared/data/foresight/softmax.mlmodel"

    /// Vector 2 of SwiftyForesight's demo: its own model, which is no part of this project.
    @Test(.enabled(if: Files.exists(demo), "not run: ../shared/data/foresight/softmax.mlmodel is not there"))
    func theDemosModelToSevenDigits() async throws {
        let source = DirectoryModelSource(Self.demo.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
        let model = FeedforwardModel(numInputFeatures: 5, localFilepath: localPath(), withManager: source)
        try await model.fetchFromRemote(withRemoteFilename: "softmax.mlmodel")
        for (input, expected) in [(0.0, [7.05087e-07, 1.943082e-06, 0.9999974]), (1, [8.8478e-09, 3.21278e-08, 1])] {
            let found: MLMultiArray = try model.predict(forInputs: [Double](repeating: input, count: 5))
            for (value, wanted) in zip(found.values, expected) {
                #expect(abs(value - wanted) < 1e-5 * wanted, "\(found.values)")
            }
        }
        // One object a model, two in one program.
        let other = FeedforwardModel(numInputFeatures: 5, localFilepath: localPath(), withManager: DirectoryModelSource(coreMLFixtures))
        try await other.fetchFromRemote(withRemoteFilename: "relu.mlmodel")
        let mixed = [0.5, -1, 2, 0, 1]
        #expect(try other.predict(forInputs: mixed) != model.predict(forInputs: mixed))
        #expect(abs(try model.predict(forInputs: mixed).values.reduce(0, +) - 1) < 1e-12)
    }

    @Test func completionIsTold() async throws {
        let manager = DirectoryModelSource(coreMLFixtures)
        for (name, works) in [("relu.mlmodel", true), ("no.mlmodel", false)] {
            let model = FeedforwardModel(
                numInputFeatures: 5, localFilepath: "/tmp/gaitway-libra-\(UInt64.random(in: 0...UInt64.max))/\(name)", withManager: manager)
            let told = await withCheckedContinuation { continuation in model.fetch(completion: { continuation.resume(returning: $0) }) }
            #expect(!told, "its directory does not exist")
            let placed = FeedforwardModel(numInputFeatures: 5, localFilepath: localPath(), withManager: manager)
            let fetched = await withCheckedContinuation { continuation in
                placed.fetchFromRemote(withRemoteFilename: name, completion: { continuation.resume(returning: $0) })
            }
            #expect(fetched == works && placed.compiled == works)
        }
    }
}
