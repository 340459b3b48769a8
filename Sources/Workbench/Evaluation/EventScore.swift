/// How well shown activities follow the true ones, stretch by stretch instead of window by window.
///
/// A true stretch is found when its activity is shown for at least half of it; a shown stretch is right when at least half of it
/// (of what a label covers) lies in true stretches of its activity. The delay runs from the start of a true stretch to the end of
/// the first window with which its activity is shown inside it. Of several activities that a label names, each is right. What no label
/// covers counts for nobody.
package struct EventScore: Sendable, Equatable {
    package private(set) var truths = 0, found = 0, shown = 0, right = 0
    /// Samples at 50 Hz, of each change that was followed.
    package private(set) var delays: [Int] = []

    /// A label over a range of samples at 50 Hz.
    package struct Stretch: Sendable, Equatable {
        package var label: String
        package var range: Range<Int>

        package init(label: String, range: Range<Int>) { (self.label, self.range) = (label, range) }
    }

    package init() {}

    package var precision: Double? { shown == 0 ? nil : Double(right) / Double(shown) }
    package var recall: Double? { truths == 0 ? nil : Double(found) / Double(truths) }

    /// Of the delays, in samples; nil without one.
    package var medianDelay: Int? { delays.isEmpty ? nil : delays.sorted()[delays.count / 2] }

    /// Takes one recording: its true stretches, and what was shown from each window's end on.
    package mutating func take(truth: [Stretch], shown decisions: [(label: String, end: Int)], unknown: String) {
        let runs = Self.stretches(decisions)
        truths += truth.count
        for stretch in truth {
            let same = runs.filter { RecordingScore.agree($0.label, stretch.label) }
            if 2 * Self.overlap(stretch.range, same) >= stretch.range.count { found += 1 }
            // What is shown already when the stretch begins is no change that was followed.
            if let first = same.first(where: { $0.range.overlaps(stretch.range) }) {
                delays.append(max(0, first.range.lowerBound - stretch.range.lowerBound))
            }
        }
        for run in runs where run.label != unknown {
            let labelled = Self.overlap(run.range, truth)
            guard labelled > 0 else { continue }
            shown += 1
            if 2 * Self.overlap(run.range, truth.filter { RecordingScore.agree($0.label, run.label) }) >= labelled { right += 1 }
        }
    }

    /// What was shown, from the end of the window that showed it first to that of the next one.
    package static func stretches(_ decisions: [(label: String, end: Int)]) -> [Stretch] {
        var runs: [Stretch] = []
        for (index, decision) in decisions.enumerated() {
            let until =
                index + 1 < decisions.count
                ? decisions[index + 1].end : decision.end + (index > 0 ? decision.end - decisions[index - 1].end : 0)
            if let last = runs.last, last.label == decision.label {
                runs[runs.count - 1].range = last.range.lowerBound..<until
            } else {
                runs.append(Stretch(label: decision.label, range: decision.end..<until))
            }
        }
        return runs
    }

    private static func overlap(_ range: Range<Int>, _ others: [Stretch]) -> Int {
        others.reduce(0) { $0 + $1.range.clamped(to: range).count }
    }
}
