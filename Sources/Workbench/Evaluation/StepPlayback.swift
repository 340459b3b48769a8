internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// Recorded streams through the loop, for their steps.
struct StepPlayback {
    let network: Network

    struct Outcome {
        var steps: Int64 = 0
        /// Samples at 50 Hz from the piece's beginning, as far as the counter alone knows.
        var instants: [Int64] = []
    }

    /// What somebody does who takes no steps.
    static let resting: Set<String> = ["SITTING", "STANDING", "LAYING", "CYCLING"]

    /// A piece begins as after a gap, with what was learnt before of how the sensor is worn.
    func play(_ stream: LabelledStream) throws(Fault) -> [Outcome] {
        var orientation: Orientation?, outcomes: [Outcome] = []
        for piece in stream.pieces {
            var outcome = Outcome()
            let source = RecordedSource(piece.samples, rate: stream.rate, name: stream.name)
            var loop = try ClassificationLoop(source: source, network: network)
            if let orientation { loop.use(orientation) }
            try loop.run(speed: .max) { activity throws(Fault) in outcome.steps += activity.steps }
            orientation = loop.orientation ?? orientation
            outcome.instants = try instants(piece.samples, stream.rate)
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func instants(_ samples: [Int16], _ rate: Int) throws(Fault) -> [Int64] {
        var watch = try MovementWatch(rate: rate), found: [Int64] = []
        let block = max(1, rate / 1000) * 3
        for start in stride(from: 0, to: samples.count, by: block) {
            watch.push(samples[start..<min(samples.count, start + block)])
            found += watch.instants
        }
        return found
    }

    /// How many of both, in seconds, can be paired within 0.3 s; each counts once.
    static func matches(_ found: [Double], _ expected: [Double]) -> Int {
        var at = 0, matched = 0
        for instant in expected.sorted() {
            while at < found.count, found[at] < instant - 0.3 { at += 1 }
            if at < found.count, found[at] <= instant + 0.3 {
                matched += 1
                at += 1
            }
        }
        return matched
    }
}
