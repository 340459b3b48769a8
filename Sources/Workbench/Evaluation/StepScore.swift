package import NeuralNetwork
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
        /// Instants that were found and are true, of all found and of all true ones; within 0.3 s.
        package var matched = 0, found = 0
        /// Hours of it.
        package var hours = 0.0
    }

    /// Steps counted where nobody walks: sitting, standing, lying, cycling, by what the recording calls it.
    package struct Rest: Sendable, Equatable {
        package var steps: Int64 = 0
        package var hours = 0.0

        package var perHour: Double { hours > 0 ? Double(steps) / hours : 0 }
    }

    /// Of sets that have the true steps.
    package var recordings: [Recording] = []
    /// Of any set, by "activity, placement".
    package var rest: [String: Rest] = [:]

    package var placements: [String] { Set(recordings.map(\.placement)).sorted() }

    /// All times without steps together.
    package var allRest: Rest {
        rest.values.reduce(into: Rest()) { sum, part in
            sum.steps += part.steps
            sum.hours += part.hours
        }
    }

    /// The mean over recordings of |counted - true| / true, percent.
    ///
    /// - Parameter placement: nil for all.
    package func error(of placement: String? = nil) -> Double {
        let errors = recordings.filter { placement == nil || $0.placement == placement }.map { recording in
            abs(Double(recording.counted) - Double(recording.truth)) / Double(max(1, recording.truth)) * 100
        }
        return errors.reduce(0, +) / Double(max(1, errors.count))
    }

    /// The harmonic mean of how many instants that were found are true, and how many true ones were found.
    package func agreement(of placement: String? = nil) -> Double {
        let chosen = recordings.filter { placement == nil || $0.placement == placement }
        let matched = chosen.reduce(0) { $0 + $1.matched }, all = chosen.reduce(0) { $0 + $1.found + $1.truth }
        return all == 0 ? 0 : 2 * Double(matched) / Double(all)
    }
}

extension Evaluation {
    /// Counts the steps of each wearing of a set, as `gaitway run` does: those of a set whose `steps.csv` has the true ones beside them,
    /// and those in which nobody walks.
    ///
    /// - Throws: those of ``RecordingSet``; `.usage` when a person or placement is unknown; `.badData` when there are neither.
    package static func steps(
        _ directories: [String], people: Set<String>, placements: Set<String>, network: Network
    ) throws(Fault) -> StepScore {
        let sets = try RecordingSet.all(directories)
        // Who or what is wanted has to be in one of them.
        _ = try RecordingSet.entries(of: sets, people: people, placements: placements)
        var score = StepScore()
        for (set, directory) in zip(sets, directories) {
            let entries = set.entries.filter {
                (people.isEmpty || people.contains($0.person)) && (placements.isEmpty || placements.contains($0.placement))
            }
            try count(set, directory, entries, StepPlayback(network: network), in: &score)
        }
        guard !score.recordings.isEmpty || !score.rest.isEmpty else {
            throw Fault(
                .badData, "these recordings have neither true steps nor rows in which nobody walks",
                remedy: "steps.csv names the samples of true steps; labels.csv has SITTING, STANDING, LAYING or CYCLING.")
        }
        return score
    }

    private static func count(
        _ set: RecordingSet, _ directory: String, _ entries: [RecordingSet.Entry], _ counter: StepPlayback, in score: inout StepScore
    ) throws(Fault) {
        let truth = Files.exists("\(directory)/steps.csv") ? try set.steps(in: directory) : [:]
        for entry in entries {
            let stream = try set.stream(of: entry), outcomes = try counter.play(stream)
            for (piece, outcome) in zip(stream.pieces, outcomes) {
                guard let stretch = piece.stretches.first, piece.stretches.count == 1, let labels = stretch.labels, !labels.isEmpty,
                    StepPlayback.resting.isSuperset(of: labels)
                else { continue }
                let key = "\(labels.joined(separator: "|")), \(entry.placement)"
                score.rest[key, default: .init()].steps += outcome.steps
                score.rest[key, default: .init()].hours += Double(piece.samples.count / 3) / Double(set.rate) / 3.6
            }
            let known = (truth[entry.name] ?? []).filter { step in entry.ranges.contains { $0.contains(step) } }
            guard !known.isEmpty else { continue }
            var recording = StepScore.Recording(
                name: entry.name, person: entry.person, placement: entry.placement, counted: outcomes.reduce(0) { $0 + $1.steps },
                truth: known.count)
            for (range, outcome) in zip(entry.ranges, outcomes) {
                let expected = known.filter(range.contains).map { Double($0 - range.lowerBound) / Double(set.rate) * 1000 }
                recording.found += outcome.instants.count
                recording.matched += StepPlayback.matches(outcome.instants.map { Double($0) / 50 }, expected)
            }
            score.recordings.append(recording)
        }
    }
}
