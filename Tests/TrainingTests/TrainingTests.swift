import Glibc
import Sensing
import Support
import Testing

@testable import Evaluation
@testable import NeuralNetwork
@testable import Training

/// A directory in the public archive's text layout, walked by simulated wearers: five subjects, six activities.
func simulatedRecordings() throws -> String {
    let directory = "/tmp/gaitway-\(getpid())-simulated-\(UInt32.random(in: 0 ... .max))" // tests run side by side
    mkdir(directory, 0o755)
    mkdir("\(directory)/RawData", 0o755)
    var labels = ""
    let names = ["walk", "upstairs", "downstairs", "sit", "stand", "lie"]
    for subject in 1...5 {
        let script = "seed=\(subject)," + names.map { "\($0)=12" }.joined(separator: ",")
        var block = SampleBlock(capacity: 72 * 50)
        _ = try SimulatedWearer(try SimulatedWearer.Script(script)).read(into: &block)
        let lines = stride(from: 0, to: block.samples.count, by: 3).map { i in
            block.samples[i..<i + 3].map { "\(Double($0) / 4096)" }.joined(separator: " ")
        }
        try Files.write(
            Array((lines.joined(separator: "\n") + "\n").utf8), to: "\(directory)/RawData/acc_exp0\(subject)_user0\(subject).txt")
        for activity in 1...6 { labels += "\(subject) \(subject) \(activity) \((activity - 1) * 600 + 100) \(activity * 600)\n" }
    }
    try Files.write(Array(labels.utf8), to: "\(directory)/RawData/labels.txt")
    return directory
}

@Suite struct TrainerTests {
    @Test func learnsAndGivesTheSameBits() throws {
        let set = try TrainingSet(directory: try simulatedRecordings())
        #expect(set.subjects == [1, 2, 3, 4, 5])
        var options = TrainingOptions()
        (options.hidden, options.epochs, options.augment) = (16, 12, true)
        let first = try Trainer(set, options).train(leavingOut: [2])
        #expect(try #require(first.fixed).accuracy > 0.9 && first.floatAccuracy! > 0.9)
        #expect(!first.validation.contains(2))
        #expect(try Trainer(set, options).train(leavingOut: [2]).network == first.network)
        options.seed = 2
        #expect(try Trainer(set, options).train(leavingOut: [2]).network != first.network)
        let path = "/tmp/gaitway-\(getpid())-model"
        try NetworkFile.save(first.network, to: path)
        #expect(try NetworkFile.load(path) == first.network)

        // The loop's evaluation sees the same recordings.
        var measuring = Evaluation.Options()
        measuring.people = ["2"]
        let score = try Evaluation.recordings([try simulatedRecordings()], measuring, network: first.network)
        #expect(score.windows.windows > 30 && score.windows.accuracy > 0.9)
        #expect(score.events.truths == 6 && score.events.recall! >= 0.5)
        #expect(throws: Fault.self) { _ = try Trainer(set, options).train(leavingOut: [9]) }
        #expect(throws: Fault.self) { _ = try Trainer(set, options).train(leavingOut: [1, 2, 3, 4]) }
    }

    @Test(arguments: [NetworkInput.features17, .features80, .rawAndFeatures17]) func learnsOnFeatures(_ input: NetworkInput) throws {
        let directory = try simulatedRecordings(), set = try TrainingSet(directory: directory)
        var options = TrainingOptions()
        (options.hidden, options.epochs, options.augment, options.input) = (24, 200, false, input)
        let result = try Trainer(set, options).train(leavingOut: [2])
        #expect(
            try #require(result.fixed).accuracy > 0.85 && abs(result.fixed!.accuracy - result.floatAccuracy!) < 0.05,
            "\(result.fixed!.accuracy) \(result.floatAccuracy!) \(result.epochs)")
        #expect(result.network.inputKind == input && result.network.inputs == input.count(window: 128))
        let path = "/tmp/gaitway-\(getpid())-\(input.rawValue)"
        try NetworkFile.save(result.network, to: path)
        #expect(try NetworkFile.load(path) == result.network)
        // The loop makes the same numbers of a window.
        var measuring = Evaluation.Options()
        measuring.people = ["2"]
        #expect(try Evaluation.recordings([directory], measuring, network: result.network).windows.accuracy > 0.8)
        #expect(throws: Fault.self) { _ = try Trainer(try TrainingSet(directory: directory, window: 15), options) }
    }

    /// The gradient of one step, against finite differences of the loss, through what the step does to the weights: Adam's first
    /// step moves each weight by the rate against the sign of its gradient.
    @Test func theFirstStepFollowsTheGradient() throws {
        var random = RandomNumbers(seed: 3)
        let network = FloatNetwork(inputs: 6, hidden: 5, outputs: 3, &random)
        var inputs = Matrix(4, 6)
        for row in 0..<4 { for column in 0..<6 { inputs[row, column] = Float(random.normal()) } }
        let labels = [0, 1, 2, 1]
        func loss(_ network: FloatNetwork) -> Double {
            var learner = Learner(network, batch: 4)
            let scores = learner.evaluate(inputs, rows: 4).scores
            return labels.enumerated().reduce(0) { sum, pair in
                sum - Exponential.log(Learner.softmax((0..<3).map { Double(scores[pair.offset, $0]) })[pair.element])
            }
        }
        var learner = Learner(network, batch: 4)
        learner.step(inputs, labels: labels[...], rate: 0.01, decay: 0, smoothing: 0)
        var checked = 0
        for layer in 0..<2 {
            for row in 0..<network.weights[layer].rows {
                for column in 0..<network.weights[layer].columns {
                    var up = network, down = network
                    up.weights[layer][row, column] += 0.01
                    down.weights[layer][row, column] -= 0.01
                    let slope = loss(up) - loss(down)
                    guard abs(slope) > 1e-3 else { continue }
                    let moved = learner.network.weights[layer][row, column] - network.weights[layer][row, column]
                    #expect(abs(Double(moved) + (slope > 0 ? 0.01 : -0.01)) < 1e-4, "layer \(layer), \(row), \(column)")
                    checked += 1
                }
            }
        }
        #expect(checked > 25)
    }

    @Test func exponentialAndLogarithm() {
        for x in stride(from: -30.0, through: 5, by: 0.37) { #expect(abs(Exponential.exp(x) / exp(x) - 1) < 1e-12) }
        for x in [1e-9, 0.01, 0.7, 1, 1.5, 2, 1234] { #expect(abs(Exponential.log(x) - log(x)) < 1e-12) }
    }

    @Test func earlyStopTakesTheLastGoodEpoch() {
        var stop = EarlyStop()
        for loss in [1.0, 0.6, 0.4, 0.3, 0.3, 0.3, 0.3] + [Double](repeating: 0.9, count: 9) { stop.take(loss: loss) }
        #expect(stop.epoch == 7)
        #expect(EarlyStop().epoch == 1)
    }

    @Test func confusion() {
        var matrix = ConfusionMatrix(labels: ["a", "b"])
        for (truth, decided, times) in [(0, 0, 8), (0, 1, 2), (1, 1, 5)] {
            for _ in 0..<times { matrix.count(truth: truth, decided: decided) }
        }
        #expect(matrix.windows == 15 && matrix.right == 13 && matrix.recall(0) == 0.8 && matrix.precision(1) == 5.0 / 7)
        #expect(ConfusionMatrix(labels: ["a"]).accuracy == 0 && ConfusionMatrix(labels: ["a"]).recall(0) == nil)
    }
}

/// The recordings of real people: only where they are. `board/test` says by name that these did not run elsewhere.
@Suite(.enabled(if: Recordings.directory != nil, "the recordings are not here: set GAITWAY_DATA"))
struct RecordingsTests {
    /// The integer front end makes the official windows: every row whose place is proved, within 2 LSB of Q3.12.
    @Test func windowsEqualTheOfficialOnes() throws {
        let data = try #require(Recordings.directory)
        let set = try TrainingSet(directory: "\(data)/hapt")
        let table = String(decoding: try Files.read("\(data)/uci-har/train.csv", limit: 1 << 20), as: UTF8.self).split(separator: "\n")
            .dropFirst().map { $0.split(separator: ",") }
        let windows = try WindowFile(path: "\(data)/uci-har/train.i16", labels: "\(data)/uci-har/train.csv", window: 128)
        var found = 0, wanted = 0
        for (index, row) in table.enumerated() where row[4] == "1" {
            wanted += 1
            let window = windows.window(index), subject = Int(row[1])!
            // WindowFile rounds 1/8192 g to Q3.12, which takes up to half of one of the two LSB.
            found += set.streams.contains { $0.subject == subject && $0.samples.contains(window: window, within: 2) } ? 1 : 0
        }
        #expect(wanted == 5855 && found == wanted)
    }
}

enum Recordings {
    static var directory: String? {
        let path = getenv("GAITWAY_DATA").map { String(cString: $0) } ?? "../shared/data"
        return Files.isDirectory("\(path)/hapt") ? path : nil
    }
}

extension [Int16] {
    func contains(window: [Int16], within tolerance: Int) -> Bool {
        stride(from: 0, through: count - window.count, by: 3).contains { start in
            window.indices.allSatisfy { abs(Int(self[start + $0]) - Int(window[$0])) <= tolerance }
        }
    }
}
