import Support
import Testing

@testable import Conversion
@testable import Evaluation
@testable import Training

@Suite struct SequenceTests {
    private static let steps = 4, batch = 3, window = 16

    private func inputs(_ random: inout RandomNumbers) -> Rows {
        var rows = SequenceNetwork.inputs(windows: Self.steps * Self.batch, length: Self.window)
        for row in 0..<rows.windows { for offset in 0..<Self.window * 3 { rows.values[rows.start(row) + offset] = Float(random.normal()) } }
        return rows
    }

    /// The loss of the same network run by the float runner, window after window: another forward pass than the learner's.
    private func loss(_ network: SequenceNetwork, _ inputs: Rows, _ targets: SequenceNetwork.Targets) -> Double {
        let runner = FloatRunner(network.graph(scale: 1))
        let all = targets.labels.count { $0 != -1 }, firsts = targets.labels.prefix(Self.batch).count { $0 != -1 }
        var sum = 0.0
        for sequence in 0..<Self.batch {
            var state = FloatRunner.State()
            for step in 0..<Self.steps {
                let row = step * Self.batch + sequence, label = targets.labels[row]
                let scores =
                    runner.run(Array(inputs.values[inputs.start(row)..<inputs.start(row) + Self.window * 3]), &state).tensors.last ?? []
                guard label != -1 else { continue }
                let shares = Learner.softmax(scores.map { Double($0) }), spread = label == -2 ? 1 : Double(targets.smoothing)
                let weight = 1 / Double(all) + (step == 0 ? Double(targets.first) / Double(firsts) : 0)
                for (column, share) in shares.enumerated() {
                    sum -= weight * ((column == label ? 1 - spread : 0) + spread / Double(shares.count)) * Exponential.log(share)
                }
            }
        }
        return sum
    }

    @Test func gradientsAreFiniteDifferences() {
        var random = RandomNumbers(seed: 11)
        let sizes = SequenceNetwork.Sizes(channels: [16, 16], head: .init(dense: 7, units: 8))
        var network = SequenceNetwork(window: Self.window, classes: 3, sizes: sizes, &random)
        let rows = inputs(&random), labels = [0, 1, 2, 1, -1, 0, 2, -2, 1, 0, 0, 2]
        let targets = SequenceNetwork.Targets(labels: labels, smoothing: 0.1, first: 0.3)
        network.takeGradients(rows, steps: Self.steps, targets, dropout: 0, &random)
        let layers: [(String, WritableKeyPath<SequenceNetwork, TrainableLayer>)] = [
            ("first convolution", \.convolutions[0].learnt), ("second convolution", \.convolutions[1].learnt), ("dense", \.head.dense),
            ("lstm", \.head.lstm.input),
            ("recurrent", \.head.lstm.recurrent), ("last", \.head.last),
        ]
        for (name, path) in layers {
            var checked = 0
            let layer = network[keyPath: path]
            for _ in 0..<60 {
                let row = random.below(layer.weights.rows), column = random.below(layer.weights.columns), step: Float = 1e-3
                var up = network, down = network
                up[keyPath: path].weights[row, column] += step
                down[keyPath: path].weights[row, column] -= step
                let slope = (loss(up, rows, targets) - loss(down, rows, targets)) / Double(2 * step),
                    gradient = Double(layer.weightMoments.gradient[row, column])
                // A ReLU or a maximum that changes over within the step bends the line.
                #expect(abs(slope - gradient) < 2e-3 + 0.05 * abs(gradient), "\(name) \(row), \(column): \(slope), not \(gradient)")
                checked += abs(slope) > 5e-4 ? 1 : 0
            }
            #expect(checked >= 5, "\(name)")
            var up = network, down = network
            up[keyPath: path].bias[0, 1] += 1e-3
            down[keyPath: path].bias[0, 1] -= 1e-3
            if name != "recurrent" {
                let slope = (loss(up, rows, targets) - loss(down, rows, targets)) / 2e-3
                #expect(abs(slope - Double(layer.biasMoments.gradient[0, 1])) < 2e-3 + 0.05 * abs(slope), "\(name)'s bias")
            }
        }
    }

    @Test func learnsAndGivesTheSameBits() throws {
        let set = try TrainingSet(directory: try simulatedRecordings())
        var options = TrainingOptions()
        (options.epochs, options.augment) = (160, true)
        let first = try SequenceTrainer(set, options).train(leavingOut: [2])
        #expect(try #require(first.fixed).accuracy > 0.9 && first.floatAccuracy! > 0.9)
        #expect(first.network.isSequential && first.network.bits == 8)
        options.epochs = 2
        #expect(
            try SequenceTrainer(set, options).train(leavingOut: [2]).network == SequenceTrainer(set, options).train(leavingOut: [2]).network
        )
        #expect(throws: Fault.self) { _ = try SequenceTrainer(set, options).train(leavingOut: [9]) }
        #expect(throws: Fault.self) { _ = try SequenceTrainer(set, options).train(leavingOut: [1, 2, 3, 4, 5]) }
    }

    /// Windows longer than every recording, and windows of one sample.
    @Test func lengthsAtTheEnds() throws {
        let directory = try simulatedRecordings()
        var options = TrainingOptions()
        (options.epochs, options.augment) = (1, true)
        #expect(throws: Fault.self) { _ = try TrainingSet(directory: directory, window: 1024) }
        let tiny = try SequenceTrainer(try TrainingSet(directory: directory, window: 1), options).train()
        #expect(tiny.network.window == 1 && tiny.network.hop == 1)
    }

    /// Shaken windows are always strange; turned ones unless the turn ends where people wear the sensor.
    @Test func strangeWindows() throws {
        let set = try TrainingSet(directory: try simulatedRecordings()), strange = OutlierWindows(set, subjects: Set(set.subjects))
        var random = RandomNumbers(seed: 1), turned = 0, known = 0
        for _ in 0..<400 {
            var window = ArraySlice<Float>((0..<128).flatMap { _ in [Float(1), 0, 0] })
            let change = strange.change(&random), isStrange = strange.apply(change, to: &window, time: 0, &random)
            if case .shaken = change {
                #expect(isStrange)
            } else {
                turned += 1
                known += isStrange ? 0 : 1
                #expect(abs(window.prefix(3).reduce(0) { $0 + $1 * $1 } - 1) < 1e-5, "a turn keeps lengths")
            }
            #expect(window.allSatisfy { $0.magnitude < 8 })
        }
        #expect(turned > 100 && known > 0 && known < turned / 2)
    }
}

@Suite struct EventScoreTests {
    @Test func stretchesAndDelays() {
        var score = EventScore()
        let truth = [
            EventScore.Stretch(label: "walk", range: 0..<640), .init(label: "sit", range: 700..<1300),
            .init(label: "walk", range: 1300..<1400),
        ]
        // A window every 64 samples: walking is shown to 896, sitting from then to the end.
        let shown = (2...22).map { (label: $0 < 14 ? "walk" : "sit", end: $0 * 64) }
        score.take(truth: truth, shown: shown, unknown: "unknown")
        #expect(score.truths == 3 && score.found == 2 && score.shown == 2 && score.right == 2)
        #expect(score.delays == [128, 196] && score.medianDelay == 196)
        score.take(truth: truth, shown: (2...22).map { (label: "unknown", end: $0 * 64) }, unknown: "unknown")
        #expect(score.truths == 6 && score.found == 2 && score.shown == 2 && score.recall == 1.0 / 3)
        #expect(EventScore().precision == nil && EventScore().medianDelay == nil)
    }

    /// Where two cannot be told apart, either is right, whatever the network and the set call them together.
    @Test func eitherOfTwoIsRight() {
        let shown = (1...8).map { (label: $0 < 5 ? "SITTING" : "LAYING|SITTING", end: $0 * 64) }
        for label in ["SITTING|LAYING", "LAYING|SITTING"] {
            var score = EventScore()
            score.take(truth: [EventScore.Stretch(label: label, range: 0..<640)], shown: shown, unknown: "unknown")
            #expect(score.truths == 1 && score.found == 1 && score.shown == 2 && score.right == 2)
        }
        var other = EventScore()
        other.take(truth: [EventScore.Stretch(label: "STANDING|LYING", range: 0..<640)], shown: shown, unknown: "unknown")
        #expect(other.found == 0 && other.right == 0)
    }
}
