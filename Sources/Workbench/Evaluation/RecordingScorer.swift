internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// Holds decisions on recordings against their labels.
struct RecordingScorer {
    private let network: Network
    private let smoothing: Smoothing
    private(set) var score: RecordingScore
    private var scales = SetScales()

    init(_ network: Network, _ smoothing: Smoothing) {
        (self.network, self.smoothing) = (network, smoothing)
        score = RecordingScore(labels: network.labels)
    }

    /// - Parameter pieces: the decisions on each of the stream's pieces.
    mutating func take(_ stream: LabelledStream, of set: String, _ name: String, _ pieces: [[Decision]]) {
        if network.trainedOn.contains("\(set)/\(stream.person)"), !score.trainedOn.contains(stream.person) {
            score.trainedOn.append(stream.person)
        }
        scales.take(stream, of: set)
        for (number, (piece, decisions)) in zip(stream.pieces, pieces).enumerated() {
            let shown = Playback.shown(decisions, network, smoothing), truth = EventScore.truth(piece, of: stream)
            // Nobody finds what the network does not know.
            let known = truth.filter { stretch in network.labels.contains { RecordingScore.agree($0, stretch.label) } }
            score.events.take(truth: known, shown: shown, unknown: Smoothing.unknown)
            var played = Evaluation.Played(name: name, truth: truth, shown: shown)
            if stream.pieces.count > 1 { played.name += ", part \(number + 1)" }
            let labelled = piece.stretches.map { (range: $0.range.at50Hz(stream.rate), labels: $0.labels) }
            for (decision, shown) in zip(decisions, shown) {
                if let orientation = decision.orientation {
                    score.unoriented = score.unoriented ?? RecordingScore.Share(name: "unoriented")
                    score.unoriented?.take(orientation == .unknown)
                }
                if network.first != nil {
                    score.asked = score.asked ?? RecordingScore.Share(name: "asked")
                    score.asked?.take(!decision.isByFirst)
                }
                let end = Int(decision.end), first = end - network.window
                guard let stretch = labelled.first(where: { $0.range.contains(first) && $0.range.upperBound >= end }),
                    let labels = stretch.labels
                else { continue }
                take(decision, shown.label, labels, stream, set, &played)
            }
            score.timelines.append(played)
        }
    }

    /// Once all recordings are taken.
    mutating func judgeScales() { score.misscaled = scales.misscaled }

    /// - Parameter place: of the body, as it was found.
    mutating func takePlacement(_ place: String, _ stream: LabelledStream) {
        score.placed = score.placed ?? RecordingScore.Share(name: "placement")
        score.placed?.take(RecordingScore.agree(place, stream.placement))
        score.places[stream.placement, default: [:]][place, default: 0] += 1
    }

    private mutating func take(
        _ decision: Decision, _ shown: String, _ labels: [String], _ stream: LabelledStream, _ set: String,
        _ played: inout Evaluation.Played
    ) {
        let joint = labels.joined(separator: "|")
        let truth =
            network.labels.firstIndex(of: joint) ?? network.labels.firstIndex(where: labels.contains)
            ?? network.labels.firstIndex { RecordingScore.agree($0, joint) }
        if decision.orientation != .unknown, let novelty = novelty(decision) { score.distances.take(novelty, isKnown: truth != nil) }
        guard let truth else {
            score.foreign.take(shown == Smoothing.unknown)
            return
        }
        // Before it knows which way is up it tells walking alone: the share of those windows is told beside.
        guard decision.orientation != .unknown, let decided = decision.label else { return }
        // Either of those that cannot be told apart there is right.
        let isRight = truth == decided || RecordingScore.agree(joint, network.labels[decided])
        score.count(truth: truth, decided: isRight ? truth : decided, stream, of: set)
        score.reliability.take(decision.probabilities[decided], isRight: isRight)
        played.windows.take(isRight)
    }

    // Networks without prototypes are unsure of what they do not know, at best.
    private func novelty(_ decision: Decision) -> Int32? {
        decision.novelty ?? decision.label.map { Int32(Int16.max) - Int32(decision.probabilities[$0]) }
    }
}
