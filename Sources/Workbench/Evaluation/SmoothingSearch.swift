package import NeuralNetwork
package import Recognition
internal import Sensing
package import Support

/// What every choice of smoothing would have shown on labelled recordings.
///
/// A false alarm is a shown stretch that is not right (``EventScore``). The network runs once; only what follows it is tried out.
package struct SmoothingSearch: Sendable {
    package struct Choice: Sendable {
        package var smoothing: Smoothing
        package var score: EventScore
        /// Shown stretches that are wrong, for each labelled hour.
        package var falseAlarms: Double
        /// Share of the true stretches that were not found.
        package var missed: Double
        /// From a change of activity inside a recording until it is shown: median, s; nil where no change was.
        package var delay: Double?
    }

    package let choices: [Choice]
    package let hours: Double
    /// From one activity to another without a break, which alone show a delay.
    package let changes: Int

    package static let agreements = 1...6
    /// Q0.15, of 0.3 ... 0.9.
    package static let thresholds: [Int16] = (3...9).map { Int16($0 * 32768 / 10) }

    /// - Throws: those of the recordings; `.badData` when they show nothing that the network knows.
    package init(directory: String, subjects: Set<String>, network: Network) throws(Fault) {
        let recordings =
            RecordingSet.isOne(directory) ? try Self.people(directory, subjects, network) : [try Self.own(directory, network)]
        let labelled = recordings.reduce(0) { $0 + $1.truth.reduce(0) { $0 + $1.range.count } }
        guard labelled > 0 else {
            throw Fault(.badData, "\(directory) has no labelled stretch of what the model knows: \(network.labels.joined(separator: ", "))")
        }
        let hours = Double(labelled) / 50 / 3600
        self.hours = hours
        let changed = recordings.map { Self.changes($0.truth) }
        changes = changed.reduce(0) { $0 + $1.count }
        guard changes > 0 else {
            throw Fault(
                .badData, "no recording in \(directory) goes from one activity that the model knows to another: no change, no delay",
                remedy: "Take recordings in which people change what they do, as HAPT's, or several of one's own.")
        }
        choices = Self.agreements.flatMap { agreement in
            Self.thresholds.map { threshold in
                let smoothing = Smoothing(agreement: agreement, threshold: threshold)
                var score = EventScore(), delays: [Int] = []
                for (recording, changes) in zip(recordings, changed) {
                    let shown = Playback.shown(recording.decisions, network, smoothing)
                    score.take(truth: recording.truth, shown: shown, unknown: Smoothing.unknown)
                    delays += Self.delays(of: changes, EventScore.stretches(shown))
                }
                return Choice(
                    smoothing: smoothing, score: score, falseAlarms: Double(score.shown - score.right) / hours,
                    missed: 1 - (score.recall ?? 0),
                    delay: delays.isEmpty ? nil : Double(delays.sorted()[delays.count / 2]) / 50)
            }
        }
    }

    // Samples at 50 Hz between two activities, as of sitting down, that are a change still.
    private static let longestBetween = 500

    // The stretches that another activity is before.
    private static func changes(_ truth: [EventScore.Stretch]) -> [EventScore.Stretch] {
        zip(truth, truth.dropFirst()).compactMap { before, after in
            before.label != after.label && after.range.lowerBound - before.range.upperBound <= longestBetween ? after : nil
        }
    }

    // What is shown before it begins was not shown because of it.
    private static func delays(of changes: [EventScore.Stretch], _ shown: [EventScore.Stretch]) -> [Int] {
        changes.compactMap { change in
            let first = shown.first { RecordingScore.agree($0.label, change.label) && $0.range.overlaps(change.range) }
            return first.flatMap { $0.range.lowerBound < change.range.lowerBound ? nil : $0.range.lowerBound - change.range.lowerBound }
        }
    }

    /// Those that no other beats in false alarms, missed stretches and delay at once, the quickest first.
    package var frontier: [Choice] {
        choices.filter { one in
            !choices.contains { other in
                let pairs = [
                    (other.falseAlarms, one.falseAlarms), (other.missed, one.missed), (other.delay ?? .infinity, one.delay ?? .infinity),
                ]
                return pairs.allSatisfy { $0.0 <= $0.1 } && pairs.contains { $0.0 < $0.1 }
            }
        }.sorted { ($0.delay ?? .infinity, $0.falseAlarms) < ($1.delay ?? .infinity, $1.falseAlarms) }
    }

    /// The one with the fewest false alarms and missed stretches whose median delay is at most this many seconds; nil without one.
    package func best(within delay: Double) -> Choice? {
        func cost(_ choice: Choice) -> Double { choice.falseAlarms * hours + choice.missed * Double(choice.score.truths) }
        return choices.filter { $0.delay.map { $0 <= delay } ?? false }.min { (cost($0), $0.delay ?? 0) < (cost($1), $1.delay ?? 0) }
    }

    private typealias Decided = (truth: [EventScore.Stretch], decisions: [Decision])

    private static func people(_ directory: String, _ subjects: Set<String>, _ network: Network) throws(Fault) -> [Decided] {
        let set = try RecordingSet(directory: directory), playback = Playback(network: network)
        var all: [Decided] = []
        for (_, entry) in try RecordingSet.entries(of: [set], people: subjects, placements: []) {
            let stream = try set.stream(of: entry)
            // How the sensor is worn is known, as after some minutes on a board.
            let known = try playback.decisions(stream).orientation
            for (piece, decisions) in zip(stream.pieces, try playback.decisions(stream, orientation: known).pieces) {
                all.append((EventScore.truth(piece, of: stream).filter { network.labels.contains($0.label) }, decisions))
            }
        }
        return all
    }

    // One's own recordings one behind the other, as if they had been one.
    private static func own(_ directory: String, _ network: Network) throws(Fault) -> Decided {
        let store = try RecordingStore(directory: directory)
        var samples: [Int16] = [], truth: [EventScore.Stretch] = []
        for entry in try store.entries() {
            let recording = try store.read(entry), filtered = try FrontEnd.filtered(recording.samples, rate: recording.rate)
            let range = samples.count / 3..<(samples.count + filtered.count) / 3
            if let last = truth.last, last.label == entry.label, last.range.upperBound == range.lowerBound {
                truth[truth.count - 1].range = last.range.lowerBound..<range.upperBound
            } else if network.labels.contains(entry.label) {
                truth.append(EventScore.Stretch(label: entry.label, range: range))
            }
            samples += filtered
        }
        let known = try Playback.decided(samples, network).orientation
        return (truth, try Playback.decided(samples, network, orientation: known).decisions)
    }
}
