internal import Evaluation
package import Recognition
internal import Sensing
package import Support

/// Learns which blows are falls: from the falls and the daily life of one set, and the daily life of others.
///
/// Where a fall begins with jogging only one of its blows is the fall: first the strongest one, then the one that models of other people
/// find most like a fall. The limit is as high as finds nearly all falls of people left out.
package struct FallTrainer {
    package struct Result: Sendable {
        package var model: FallModel
        /// Blows that were learnt from, and how many of them are falls.
        package var blows: Int, falls: Int
        /// With the limit, on people left out: percent of falls found and of daily trials silent, false alarms an hour of daily life end to
        /// end, false alarms in so many hours of walking, stairs and running.
        package var found: Double, silent: Double, perHour: Double
        package var gaitAlarms: Int, gaitHours: Double
    }

    private static let folds = 5
    // Blows within so many samples before the fall count for neither.
    private static let apart: Int64 = 150
    // Share of the falls of people left out that the limit may miss.
    private static let missed = 0.016

    private let trials: [FallTrials.Trial]
    // Which fifth of the people of its set somebody is in, by trial.
    private let fold: [Int]
    // Whether a trial is learnt from only: a turned copy, or one that is never measured.
    private let isTurned: [Bool]
    private let falling: String

    /// - Parameters:
    ///   - directories: of recording sets; falls are those of the first one.
    ///   - leftOut: people who take no part.
    /// - Throws: those of ``RecordingSet``; `.badData` when the first set has no falls.
    package init(_ directories: [String], leavingOut leftOut: Set<String> = [], progress: (String) -> Void = { _ in }) throws(Fault) {
        let sets = try RecordingSet.all(directories)
        var all = FallTrials(), turned = FallTrials()
        guard let first = sets.first, first.hasFalls else {
            throw Fault(.badData, "\(directories.first ?? "") has no falls", remedy: "The first directory is one with the label FALL.")
        }
        _ = try RecordingSet.entries(of: sets, people: leftOut, placements: [])
        falling = first.name
        var places: [String: Int] = [:]
        for (index, set) in sets.enumerated() {
            progress("reading \(set.name)")
            let people = set.people.filter { !leftOut.contains($0) }
            for (number, person) in people.enumerated() { places["\(set.name)/\(person)"] = number % Self.folds }
            guard !people.isEmpty else { continue }
            try all.add(set, people: Set(people))
            if index == 0 { try turned.add(set, people: Set(people), turned: 1001) }
        }
        trials = all.trials + turned.trials
        isTurned = all.trials.map { _ in false } + turned.trials.map { _ in true }
        fold = trials.map { places["\($0.set)/\($0.person)"] ?? 0 }
    }

    /// - Throws: `.badData` when nothing can be told apart.
    package func train(progress: (String) -> Void = { _ in }) throws(Fault) -> Result {
        progress("learning")
        var truth = labels { $0.candidates.map { Int($0.peak) } }
        let first = try outer(truth)
        truth = labels(by: first)
        progress("learning again")
        let scores = try outer(truth)
        var limits: [Int] = []
        for left in 0..<Self.folds {
            progress("choosing the limit, fifth \(left + 1) of \(Self.folds)")
            limits.append(try limit(leaving: left, truth))
        }
        let limit = limits.sorted()[Self.folds / 2]
        let (rows, kinds) = self.rows(truth) { _ in true }
        guard kinds.contains(true), kinds.contains(false) else { throw Fault(.badData, "there are no blows that could be told apart") }
        let trees = BoostedTrees(rows, kinds)
        let model = FallModel(
            features: trees.features, thresholds: trees.thresholds, leaves: trees.leaves, limit: Int32(limit - trees.base),
            trainedOn: Set(trials.map { "\($0.set)/\($0.person)" }).sorted())
        let measured = measure(scores, limits: limits)
        return Result(
            model: model, blows: rows.count, falls: kinds.count { $0 }, found: measured.found, silent: measured.silent,
            perHour: measured.perHour, gaitAlarms: measured.gaitAlarms, gaitHours: measured.gaitHours)
    }

    // What each blow of each trial is: a fall, none, or neither.
    private func labels(_ key: (FallTrials.Trial) -> [Int]) -> [[Bool?]] { labels(by: trials.map(key)) }

    private func labels(by keys: [[Int]]) -> [[Bool?]] {
        trials.indices.map { index in
            let trial = trials[index]
            guard trial.kind == .fall else { return trial.candidates.map { _ in false } }
            guard trial.set == falling, let best = keys[index].max(), let at = keys[index].firstIndex(of: best) else {
                return trial.candidates.map { _ in nil }
            }
            return trial.candidates.enumerated().map { number, candidate in
                if number == at { return true }
                return candidate.impact < trial.candidates[at].impact - Self.apart ? false : nil
            }
        }
    }

    // Of those trials; sets without falls as they were recorded, days end to end only of the set with falls.
    private func rows(_ truth: [[Bool?]], _ isMeant: (Int) -> Bool) -> (rows: [[Int16]], kinds: [Bool]) {
        var rows: [[Int16]] = [], kinds: [Bool] = []
        for (index, trial) in trials.enumerated() where isMeant(index) && (trial.kind != .endToEnd || trial.set == falling) {
            for (candidate, kind) in zip(trial.candidates, truth[index]) {
                guard let kind else { continue }
                rows.append(candidate.numbers)
                kinds.append(kind)
            }
        }
        return (rows, kinds)
    }

    private func scores(leaving left: Set<Int>, of wanted: Int, _ truth: [[Bool?]], into scores: inout [[Int]]) throws(Fault) {
        guard trials.indices.contains(where: { fold[$0] == wanted }) else { return }
        let (rows, kinds) = rows(truth) { !left.contains(fold[$0]) }
        guard kinds.contains(true), kinds.contains(false) else {
            throw Fault(
                .badData, "the blows of too few people are there: each person is judged by models of the others",
                remedy: "Falls of at least three people are needed, and daily life of as many.")
        }
        let trees = BoostedTrees(rows, kinds)
        for index in trials.indices where fold[index] == wanted { scores[index] = trials[index].candidates.map { trees.score($0.numbers) } }
    }

    // Each trial by a model of the other people.
    private func outer(_ truth: [[Bool?]]) throws(Fault) -> [[Int]] {
        var scores = trials.map { _ in [Int]() }
        for left in 0..<Self.folds { try self.scores(leaving: [left], of: left, truth, into: &scores) }
        return scores
    }

    // The limit for a fifth of the people, chosen on the others alone: each by a model that knows neither.
    private func limit(leaving left: Int, _ truth: [[Bool?]]) throws(Fault) -> Int {
        var scores = trials.map { $0.candidates.map { _ in Int.min / 2 } }
        for other in 0..<Self.folds where other != left { try self.scores(leaving: [left, other], of: other, truth, into: &scores) }
        // As high as misses no more than so many of their falls.
        let best = trials.indices.filter { trials[$0].kind == .fall && trials[$0].set == falling && fold[$0] != left && !isTurned[$0] }
            .map { scores[$0].max() ?? Int.min / 2 }.sorted()
        return best.isEmpty ? 0 : max(-1000, best[Int(Double(best.count) * Self.missed)])
    }

    private func measure(
        _ scores: [[Int]], limits: [Int]
    ) -> (found: Double, silent: Double, perHour: Double, gaitAlarms: Int, gaitHours: Double) {
        var falls = (0, 0), daily = (0, 0), gaits = (0, 0.0), days = (0, 0.0)
        for (index, trial) in trials.enumerated() where !isTurned[index] {
            var last: Int64 = -1_000, alarms = 0
            for (candidate, score) in zip(trial.candidates, scores[index])
            where score >= limits[fold[index]] && candidate.impact - last >= 250 {
                alarms += 1
                last = candidate.impact
            }
            if trial.isGait && trial.set != falling { gaits = (gaits.0 + alarms, gaits.1 + trial.hours) }
            guard trial.set == falling else { continue }
            switch trial.kind {
            case .fall: falls = (falls.0 + (alarms > 0 ? 1 : 0), falls.1 + 1)
            case .daily: daily = (daily.0 + (alarms == 0 ? 1 : 0), daily.1 + 1)
            case .endToEnd: days = (days.0 + alarms, days.1 + trial.hours)
            }
        }
        return (
            Double(falls.0) / Double(max(1, falls.1)) * 100, Double(daily.0) / Double(max(1, daily.1)) * 100,
            Double(days.0) / max(0.1, days.1), gaits.0, gaits.1
        )
    }
}
