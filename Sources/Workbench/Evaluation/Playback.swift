internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// Recorded streams as the loop decides on them.
struct Playback {
    let network: Network

    /// Every window's decision, piece by piece; a piece begins as after a gap, with what was learnt before of how the sensor is worn.
    ///
    /// - Parameter orientation: learnt before the first piece.
    /// - Returns: also what is known in the end.
    func decisions(
        _ stream: LabelledStream, orientation: Orientation? = nil
    ) throws(Fault) -> (pieces: [[Decision]], orientation: Orientation?) {
        let longest = stream.pieces.map { $0.samples.count / 3 }.max() ?? 0
        var recogniser = try Recogniser(network, rate: stream.rate, block: max(1, longest)), pieces: [[Decision]] = []
        if let orientation { recogniser.use(orientation) }
        for piece in stream.pieces {
            var decisions: [Decision] = []
            if !pieces.isEmpty { recogniser.reset() }
            recogniser.push(piece.samples, count: piece.samples.count / 3) { decisions.append($0) }
            pieces.append(decisions)
        }
        return (pieces, recogniser.orientation)
    }

    /// On samples at 50 Hz, Q3.12 g.
    static func decisions(_ samples: [Int16], _ network: Network) throws(Fault) -> [Decision] {
        var decisions: [Decision] = [], recogniser = try Recogniser(network, rate: 50_000, block: samples.count / 3)
        recogniser.push(samples, count: samples.count / 3) { decisions.append($0) }
        return decisions
    }

    /// What smoothing shows of decisions, at each window's end.
    static func shown(_ decisions: [Decision], _ network: Network, _ smoothing: Smoothing) -> [(label: String, end: Int)] {
        var tracker = ActivityTracker(labels: network.labels, smoothing: smoothing)
        return decisions.map { (tracker.take($0).smoothed, $0.end) }
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
