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
            throw Fault(.usage, "the network takes \(network.inputs) features, not windows", remedy: "See `gaitway model predict`.")
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

    /// On whole recordings, with just the windows that `gaitway run` decides on: those that lie inside one labelled stretch of
    /// the six activities count; and with what the loop shows after smoothing.
    ///
    /// - Throws: those of ``HAPTRecordings``; `.usage` when a subject is unknown.
    package static func recordings(
        _ directory: String, subjects: Set<Int>, network: Network, smoothing: Smoothing = Smoothing()
    ) throws(Fault) -> (windows: ConfusionMatrix, events: EventScore) {
        let playback = try Playback(directory: directory, network: network), source = playback.source
        let known = Set(source.recordings.map(\.subject))
        if let unknown = subjects.subtracting(known).min() {
            throw Fault(
                .usage, "there is no subject \(unknown)", remedy: "There are: \(known.sorted().map(String.init).joined(separator: ", ")).")
        }
        let classes = try Classes(network)
        var matrix = ConfusionMatrix(labels: network.labels), events = EventScore()
        for recording in source.recordings where subjects.isEmpty || subjects.contains(recording.subject) {
            let (segments, decisions) = try playback.play(recording)
            for decision in decisions {
                let range = decision.end - network.window..<decision.end
                guard
                    let segment = segments.first(where: { $0.range.contains(range.lowerBound) && $0.range.upperBound >= range.upperBound })
                else { continue }
                matrix.count(truth: try classes.index(of: segment.activity, where: directory), decided: decision.label)
            }
            events.take(truth: EventScore.truth(segments), shown: Playback.shown(decisions, network, smoothing), unknown: Smoothing.unknown)
        }
        return (matrix, events)
    }

    /// One recording as it was and as it was shown.
    package struct Played: Sendable {
        package var name: String
        package var truth: [EventScore.Stretch]
        /// After smoothing, at each window's end (samples at 50 Hz).
        package var shown: [(label: String, end: Int)]
    }

    /// The first recording of a person.
    ///
    /// - Throws: those of ``HAPTRecordings``; `.usage` when there is none.
    package static func play(
        _ directory: String, firstOf subject: Int, network: Network, smoothing: Smoothing = Smoothing()
    ) throws(Fault) -> Played {
        let playback = try Playback(directory: directory, network: network)
        guard let recording = playback.source.recordings.first(where: { $0.subject == subject }) else {
            throw Fault(.usage, "there is no subject \(subject)")
        }
        let (segments, decisions) = try playback.play(recording)
        return Played(
            name: "\(recording.number) of subject \(recording.subject)", truth: EventScore.truth(segments),
            shown: Playback.shown(decisions, network, smoothing))
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
