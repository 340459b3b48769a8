internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// Recordings of the HAPT layout as the loop decides on them.
struct Playback {
    let source: HAPTRecordings
    let network: Network

    init(directory: String, network: Network) throws(Fault) {
        source = try HAPTRecordings(directory: directory)
        self.network = network
    }

    /// Labelled stretches of the six activities, and every window's decision.
    func play(_ recording: HAPTRecordings.Entry) throws(Fault) -> (segments: [HAPTRecordings.Segment], decisions: [Decision]) {
        let samples = try RecordedSource.q12(try source.counts(of: recording))
        let segments = source.segments.filter { $0.recording == recording.number && $0.activity <= HAPTRecordings.activities.count }
        return (segments, try Self.decisions(samples, network))
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
    static func truth(_ segments: [HAPTRecordings.Segment]) -> [Stretch] {
        segments.map { Stretch(label: HAPTRecordings.activities[$0.activity - 1], range: $0.range) }
    }
}
