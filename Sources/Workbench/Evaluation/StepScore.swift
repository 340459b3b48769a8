internal import Recognition
internal import Sensing
package import Support

/// Steps that were counted in recordings, beside the true ones.
package struct StepScore: Sendable, Equatable {
    package struct Recording: Sendable, Equatable {
        package var name: String
        package var person: String
        package var placement: String
        package var counted: Int64
        package var truth: Int
    }

    package var recordings: [Recording] = []

    package var placements: [String] { Set(recordings.map(\.placement)).sorted() }

    /// The mean over recordings of |counted - true| / true, percent.
    ///
    /// - Parameter placement: nil for all.
    package func error(of placement: String? = nil) -> Double {
        let errors = recordings.filter { placement == nil || $0.placement == placement }.map { recording in
            abs(Double(recording.counted) - Double(recording.truth)) / Double(max(1, recording.truth)) * 100
        }
        return errors.reduce(0, +) / Double(max(1, errors.count))
    }
}

extension Evaluation {
    /// Counts the steps of each wearing of a set whose `steps.csv` has the true ones.
    ///
    /// - Throws: those of ``RecordingSet``; `.usage` when a person or placement is unknown.
    package static func steps(_ directory: String, people: Set<String>, placements: Set<String>) throws(Fault) -> StepScore {
        let set = try RecordingSet(directory: directory), truth = try RecordingSet.steps(in: directory)
        var score = StepScore()
        for (_, entry) in try RecordingSet.entries(of: [set], people: people, placements: placements) {
            var counter = try MovementWatch(rate: set.rate)
            for piece in try set.stream(of: entry).pieces {
                counter.push(piece.samples[...])
                counter.interrupt()
            }
            let known = truth[entry.name] ?? []
            score.recordings.append(
                .init(
                    name: entry.name, person: entry.person, placement: entry.placement, counted: counter.steps,
                    truth: known.filter { step in entry.ranges.contains { $0.contains(step) } }.count))
        }
        return score
    }
}
