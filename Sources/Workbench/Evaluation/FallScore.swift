package import Recognition
package import Support
internal import Sensing

/// How well falls are found, and how often something else is taken for one.
package struct FallScore: Sendable {
    /// Trials of one kind: how many, how many with an alarm, alarms and hours.
    package struct Part: Sendable, Equatable {
        package var trials = 0, withAlarm = 0, alarms = 0
        package var hours = 0.0

        mutating func add(_ trial: FallTrials.Trial) {
            trials += 1
            withAlarm += trial.alarms.isEmpty ? 0 : 1
            alarms += trial.alarms.count
            hours += trial.hours
        }

        /// Percent of the trials with an alarm, and without.
        package var found: Double { trials == 0 ? 0 : Double(withAlarm) / Double(trials) * 100 }
        package var silent: Double { trials == 0 ? 0 : 100 - found }
        package var perHour: Double { hours == 0 ? 0 : Double(alarms) / hours }
    }

    package private(set) var falls = Part(), daily = Part(), endToEnd = Part(), gaits = Part()
    /// By "set, placement": the daily trials.
    package private(set) var dailyByPlace: [String: Part] = [:]
    /// Seconds from the strongest blow of a found fall to its alarm, in order.
    package private(set) var delays: [Double] = []
    /// People that the model was trained on among those measured.
    package private(set) var trainedOn: [String] = []

    package init(_ trials: FallTrials, model: FallModel) {
        for trial in trials.trials {
            switch trial.kind {
            case .fall:
                falls.add(trial)
                if let first = trial.alarms.first { delays.append(Double(first.at - trial.strongest) / 50) }
            case .daily:
                daily.add(trial)
                if trial.isGait { gaits.add(trial) }
                dailyByPlace["\(trial.set), \(trial.placement)", default: Part()].add(trial)
            case .endToEnd: endToEnd.add(trial)
            }
        }
        delays.sort()
        let known = Set(model.trainedOn)
        trainedOn = Set(trials.trials.map { "\($0.set)/\($0.person)" }).intersection(known).sorted()
    }

    /// The median; nil where no fall was found.
    package var delay: Double? { delays.isEmpty ? nil : delays[delays.count / 2] }
}

extension Evaluation {
    /// Plays recording sets through the program's own search for falls.
    ///
    /// - Throws: those of ``RecordingSet``; `.usage` for people that are in none.
    package static func falls(
        _ directories: [String], people: Set<String>, placements: Set<String>, turned: UInt64?, _ detection: FallDetection
    ) throws(Fault) -> FallScore {
        let sets = try RecordingSet.all(directories)
        var trials = FallTrials()
        _ = try RecordingSet.entries(of: sets, people: people, placements: placements)
        for set in sets {
            try trials.add(set, people: people, placements: placements, turned: turned, model: detection)
        }
        return FallScore(trials, model: detection.model)
    }
}
