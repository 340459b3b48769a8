package import Recognition
package import Sensing
package import Support

/// Recordings of falls and of daily life, cut into trials: every row of a set, and all daily rows of a wearing one after the other.
package struct FallTrials: Sendable {
    package enum Kind: Sendable, Equatable {
        /// One alarm anywhere in it is right.
        case fall
        /// Every alarm is false.
        case daily
        /// All daily trials of one wearing, end to end: the same, for hours.
        case endToEnd
    }

    package struct Trial: Sendable {
        package var set: String
        package var person: String
        package var placement: String
        package var activity: String
        package var kind: Kind
        /// Whether its wearer walks, climbs stairs or runs.
        package var isGait: Bool
        /// Samples at 50 Hz, and those of the strongest blow.
        package var samples: Int64, strongest: Int64
        package var candidates: [FallCandidate]
        /// What a model told of it.
        package var events: [FallEvent]

        package var alarms: [FallEvent] { events.filter { $0.kind == .impact } }
        package var hours: Double { Double(samples) / 180_000 }
    }

    package private(set) var trials: [Trial] = []

    private static let gaits: Set<String> = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "RUNNING"]

    package init() {}

    /// Reads a set, and finds every blow in it.
    ///
    /// - Parameters:
    ///   - people: only these; all when empty. So are the places of the body.
    ///   - turned: the seed of a random rotation of each trial, and of each wearing end to end; nil as recorded.
    ///   - model: judges the blows; nil: nobody does.
    /// - Throws: those of ``RecordingSet``.
    package mutating func add(
        _ set: RecordingSet, people: Set<String> = [], placements: Set<String> = [], turned: UInt64? = nil, model: FallDetection? = nil
    ) throws(Fault) {
        var random = RandomNumbers(seed: turned ?? 0)
        let hasFalls = set.hasFalls
        for entry in set.entries where people.isEmpty || people.contains(entry.person) {
            guard placements.isEmpty || placements.contains(entry.placement) else { continue }
            let stream = try set.stream(of: entry)
            var day: [Int16] = []
            let wearing = random.rotation()
            for piece in stream.pieces {
                let stretch = piece.stretches.first, isFall = stretch?.labels == ["FALL"]
                var samples = piece.samples
                if turned != nil { samples = LabelledStream.turned(samples, random.rotation()) }
                let labels = Set(piece.stretches.flatMap { $0.labels ?? [] })
                try add(
                    Trial(
                        set: set.name, person: entry.person, placement: entry.placement, activity: stretch?.activity ?? "",
                        kind: isFall ? .fall : .daily, isGait: !isFall && !labels.isEmpty && labels.isSubset(of: Self.gaits), samples: 0,
                        strongest: 0, candidates: [], events: []), samples, rate: set.rate, model)
                if !isFall { day += turned == nil ? samples : LabelledStream.turned(piece.samples, wearing) }
            }
            guard hasFalls, !day.isEmpty else { continue }
            try add(
                Trial(
                    set: set.name, person: entry.person, placement: entry.placement, activity: "", kind: .endToEnd, isGait: false,
                    samples: 0,
                    strongest: 0, candidates: [], events: []), day, rate: set.rate, model)
        }
    }

    private mutating func add(_ trial: Trial, _ samples: [Int16], rate: Int, _ model: FallDetection?) throws(Fault) {
        var trial = trial
        var watch = try MovementWatch(
            rate: rate, falls: model?.model, sensitivity: model?.sensitivity ?? .normal, confirm: model?.confirmSeconds ?? 10)
        watch.place(trial.placement)
        // A block holds at most one blow that was judged: the next one comes half a second later.
        let block = max(1, rate / 2500) * 3
        for start in stride(from: 0, to: samples.count, by: block) {
            watch.push(samples[start..<min(samples.count, start + block)])
            if let candidate = watch.candidate { trial.candidates.append(candidate) }
            while let event = watch.takeFall() { trial.events.append(event) }
        }
        trial.samples = watch.moved.samples
        var strongest: Int64 = 0
        for at in stride(from: 0, to: samples.count - 2, by: 3) {
            let square = (0..<3).reduce(Int64(0)) { $0 + Int64(samples[at + $1]) * Int64(samples[at + $1]) }
            if square > strongest { (strongest, trial.strongest) = (square, Int64(at / 3) * 50_000 / Int64(rate)) }
        }
        trials.append(trial)
    }
}
