package import NeuralNetwork
package import Recognition
internal import Sensing
package import Support

/// Measures a network on labelled data.
package enum Evaluation {
    /// On windows that are already filtered, in the UCI HAR layout: int16, 1/8192 g, x, y, z interleaved, one after the other,
    /// and a CSV table with a column `activity` (1 to 6) that has a row for each. They need not follow each other: nothing is
    /// remembered from one to the next.
    ///
    /// - Throws: `.noInput`, `.badData` naming file and line.
    package static func windows(_ path: String, labels: String, network: Network) throws(Fault) -> ConfusionMatrix {
        guard network.inputKind != .features else {
            throw Fault(.usage, "the network takes \(network.columns) features, not windows", remedy: "See `gaitway model predict`.")
        }
        guard network.inputKind != .worn else {
            throw Fault(
                .usage, "single windows do not tell how the sensor was worn, which this network needs", remedy: "Measure --recordings.")
        }
        let set = try WindowFile(path: path, labels: labels, window: network.window)
        let classes = try Classes(network)
        var compiled = try CompiledNetwork(network.forgetting), matrix = ConfusionMatrix(labels: network.labels)
        var probabilities = [Int16](repeating: 0, count: network.labels.count)
        for index in 0..<set.count {
            let truth = try classes.index(of: set.activities[index], where: labels)
            matrix.count(truth: truth, decided: compiled.classify(WindowInput.row(set.window(index), network.inputKind), &probabilities))
        }
        return matrix
    }

    /// How recordings are played.
    package struct Options: Sendable, Equatable {
        /// Only these; all where none are named.
        package var people: Set<String> = [], placements: Set<String> = []
        /// But not these.
        package var leftOut: Set<String> = []
        /// Seed of an order of activities that no protocol has (``LifeStream``); nil: as recorded.
        package var life: UInt64?
        /// Seed of a random rotation of each wearing; nil: as recorded.
        package var turned: UInt64?
        /// Whether a network that learns how the sensor is worn is scored while it does; otherwise every wearing is played twice, and the
        /// second time counts.
        package var isCold = false
        package var smoothing = Smoothing()

        package init() {}
    }

    /// On whole recordings, with just the windows that `gaitway run` decides on: those that lie inside one labelled stretch count; and
    /// with what the loop shows after smoothing.
    ///
    /// - Throws: those of ``RecordingSet``; `.usage` when a person or placement is unknown; `.badData` when the network knows none of the
    ///   recordings' activities, or their streams have no order but their own.
    package static func recordings(_ directories: [String], _ options: Options, network: Network) throws(Fault) -> RecordingScore {
        let playback = Playback(network: network)
        var scorer = RecordingScorer(network, options.smoothing), random = RandomNumbers(seed: options.turned ?? 0)
        var played = 0, hasKnown = false
        let sets = try RecordingSet.all(directories)
        let wanted = try RecordingSet.entries(
            of: sets, people: options.people, leavingOut: options.leftOut, placements: options.placements)
        guard !wanted.isEmpty else { throw Fault(.usage, "no recording is left of these people and places of the body") }
        for (set, entry) in wanted {
            var stream = try set.stream(of: entry)
            let rotation = random.rotation()
            if options.turned != nil { stream = stream.turned(rotation) }
            if let seed = options.life {
                guard let life = LifeStream.chained(stream, seed: seed) else { continue }
                stream = life
            }
            played += 1
            hasKnown = hasKnown || stream.labels.contains(where: network.labels.contains)
            var outcome = try playback.decisions(stream)
            if network.inputKind == .worn, let place = try playback.placement(stream) { scorer.takePlacement(place, stream) }
            if network.inputKind == .worn, !options.isCold {
                outcome = try playback.decisions(stream, orientation: outcome.orientation)
            }
            scorer.take(stream, of: set.name, entry.name, outcome.pieces)
        }
        guard played > 0 else {
            throw Fault(.badData, "no recording has two activities to put in another order", remedy: "Leave out --life.")
        }
        scorer.judgeScales()
        guard scorer.score.windows.windows > 0 else {
            guard !hasKnown else {
                if let some = scorer.score.misscaled.firstAndCount {
                    throw Fault(
                        .badData, "nobody is found to walk, and at rest the sensor measures not 1 g: \(some)",
                        remedy: "Check counts_per_g in set.csv.")
                }
                throw Fault(
                    .badData, "no window is decided on: nobody walks in these recordings, or too briefly, to show how the sensor is worn",
                    remedy: "Set up and forward where they are known, or record half a minute of walking as well.")
            }
            throw Fault(
                .badData, "the model knows none of the data set's activities: its labels are \(network.labels.joined(separator: ", "))")
        }
        return scorer.score
    }

    /// One recording as it was and as it was shown.
    package struct Played: Sendable {
        package var name: String
        package var truth: [EventScore.Stretch]
        /// After smoothing, at each window's end (samples at 50 Hz).
        package var shown: [(label: String, end: Int)]
        /// Windows that were decided on, and those that were right.
        package var windows = RecordingScore.Share(name: "windows")
    }

    /// The first recording of a person.
    ///
    /// - Throws: those of ``HAPTRecordings``; `.usage` when there is none.
    package static func play(
        _ directory: String, firstOf subject: Int, network: Network, smoothing: Smoothing = Smoothing()
    ) throws(Fault) -> Played {
        let set = try RecordingSet(directory: directory)
        guard let entry = try RecordingSet.entries(of: [set], people: ["\(subject)"], placements: []).first?.entry else {
            throw Fault(.usage, "there is no subject \(subject)")
        }
        let stream = try set.stream(of: entry), decisions = try Playback(network: network).decisions(stream).pieces
        return Played(
            name: "\(entry.name) of subject \(entry.person)", truth: stream.pieces.first.map { EventScore.truth($0, of: stream) } ?? [],
            shown: Playback.shown(decisions.first ?? [], network, smoothing))
    }

    /// The data set's activity numbers to the network's outputs.
    private struct Classes {
        private var indices: [Int: Int] = [:]

        init(_ network: Network) throws(Fault) {
            for (offset, name) in HAPTRecordings.activities.enumerated() { indices[offset + 1] = network.labels.firstIndex(of: name) }
            guard !indices.isEmpty else {
                throw Fault(
                    .badData, "the model knows none of the data set's activities: its labels are \(network.labels.joined(separator: ", "))")
            }
        }

        func index(of activity: Int, where place: String) throws(Fault) -> Int {
            if let index = indices[activity] { return index }
            let name = HAPTRecordings.activities.indices.contains(activity - 1) ? HAPTRecordings.activities[activity - 1] : "\(activity)"
            throw Fault(.badData, "\(place) has the activity \(name), which the model does not know")
        }
    }
}
