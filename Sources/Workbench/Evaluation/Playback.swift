internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// Recorded streams as the loop decides on them.
struct Playback {
    let network: Network

    /// What came of a stream.
    struct Outcome {
        /// Every window's decision, piece by piece.
        var pieces: [[Decision]] = []
        /// What is known in the end of how the sensor is worn.
        var orientation: Orientation?
    }

    /// A piece begins as after a gap, with what was learnt before of how the sensor is worn.
    ///
    /// - Parameter orientation: learnt before the first piece.
    func decisions(_ stream: LabelledStream, orientation: Orientation? = nil) throws(Fault) -> Outcome {
        let longest = stream.pieces.map { $0.samples.count / 3 }.max() ?? 0
        var recogniser = try Recogniser(network, rate: stream.rate, block: max(1, longest)), outcome = Outcome()
        if let orientation { recogniser.use(orientation) }
        for piece in stream.pieces {
            var decisions: [Decision] = []
            if !outcome.pieces.isEmpty { recogniser.reset() }
            recogniser.push(piece.samples, count: piece.samples.count / 3) { decisions.append($0) }
            outcome.pieces.append(decisions)
        }
        outcome.orientation = recogniser.orientation
        return outcome
    }

    /// Windows of walking that last half a minute.
    private static let halfMinute = 23

    /// The place of the body that is found from the first half a minute of what is labelled as walking, with nothing known before; nil
    /// where nobody walks as long.
    func placement(_ stream: LabelledStream) throws(Fault) -> String? {
        let block = max(1, network.hop * stream.rate / 50_000)
        var recogniser = try Recogniser(network, rate: stream.rate, block: block), placement: String?
        for piece in stream.pieces {
            for stretch in piece.stretches where stretch.labels == ["WALKING"] {
                recogniser.reset()
                for first in Swift.stride(from: stretch.range.lowerBound, to: stretch.range.upperBound, by: block) {
                    let some = Array(piece.samples[first * 3..<min(stretch.range.upperBound, first + block) * 3])
                    recogniser.push(some, count: some.count / 3) { placement = $0.placement }
                    if (recogniser.orientation?.windows ?? 0) >= Self.halfMinute { return placement }
                }
            }
        }
        return nil
    }

    /// On samples at 50 Hz, Q3.12 g; and what is known in the end of how the sensor is worn.
    static func decided(
        _ samples: [Int16], _ network: Network, orientation: Orientation? = nil
    ) throws(Fault) -> (decisions: [Decision], orientation: Orientation?) {
        var decisions: [Decision] = [], recogniser = try Recogniser(network, rate: 50_000, block: samples.count / 3)
        if let orientation { recogniser.use(orientation) }
        recogniser.push(samples, count: samples.count / 3) { decisions.append($0) }
        return (decisions, recogniser.orientation)
    }

    /// What smoothing shows of decisions, at each window's end.
    static func shown(_ decisions: [Decision], _ network: Network, _ smoothing: Smoothing) -> [(label: String, end: Int)] {
        var tracker = ActivityTracker(labels: network.labels, smoothing: smoothing)
        return decisions.map { (tracker.take($0).smoothed, Int($0.end)) }
    }
}

extension EventScore {
    /// What a label covers, at 50 Hz, under the label's own name.
    static func truth(_ piece: LabelledStream.Piece, of stream: LabelledStream) -> [Stretch] {
        piece.stretches.compactMap { stretch in
            stretch.labels.map { Stretch(label: $0.joined(separator: "|"), range: stretch.range.at50Hz(stream.rate)) }
        }.filter { !$0.label.isEmpty }
    }
}
