package import NeuralNetwork
internal import Recognition
package import Sensing
package import Support

/// Labelled recordings through the fixed-point front end: those of several people, or one's own.
package struct TrainingSet: Sendable {
    /// One filtered recording.
    struct Stream: Sendable {
        var subject: Int
        /// Q3.12 g, x, y, z interleaved.
        var samples: [Int16]
    }

    /// A labelled stretch that holds at least one window.
    struct Segment: Sendable {
        var stream: Int
        var label: Int
        var range: Range<Int>
        /// Whether it is kept to measure on, where recordings are split in time.
        var isTest = false
    }

    /// Where a window starts.
    struct Position: Sendable {
        var segment: Int
        var start: Int
    }

    package let labels: [String]
    /// Samples at 50 Hz.
    package let window: Int
    /// Samples between two windows of a network that is trained on this: half a window.
    package var hop: Int { max(1, window / 2) }
    private(set) var streams: [Stream] = []
    private(set) var segments: [Segment] = []

    /// Reads a directory in the HAPT layout and filters it. Transitions (activities 7 to 12) are left out.
    ///
    /// - Throws: those of ``HAPTRecordings``; `.badData` when a label lies outside its recording.
    package init(directory: String, window: Int = 128) throws(Fault) {
        labels = HAPTRecordings.activities
        self.window = window
        let source = try HAPTRecordings(directory: directory)
        for recording in source.recordings {
            let samples = try RecordedSource.q12(try source.counts(of: recording))
            let filtered = FrontEnd.filtered(samples)
            for segment in source.segments where segment.recording == recording.number {
                guard segment.range.upperBound <= samples.count / 3 else {
                    throw Fault(
                        .badData,
                        "a label of recording \(recording.number) ends at sample \(segment.range.upperBound) of \(samples.count / 3)")
                }
                // The filter's last sample is missing: its median looks one ahead.
                let range = segment.range.clamped(to: 0..<filtered.count / 3)
                guard segment.activity <= labels.count, range.count >= window else { continue }
                segments.append(Segment(stream: streams.count, label: segment.activity - 1, range: range))
            }
            streams.append(Stream(subject: recording.subject, samples: filtered))
        }
        guard !segments.isEmpty else { throw Fault(.badData, "\(directory) has no labelled stretch as long as a window") }
    }

    /// Reads one's own recordings; labels are in the order of their first one. Each gives its first 70 % to learn from and the
    /// rest to measure on: no window lies in both. One too short for two windows is learnt from as a whole.
    ///
    /// - Parameter fewest: labels that there must be.
    /// - Throws: those of ``RecordingStore``; `.badData` when there are too few labels or a recording is shorter than a window.
    package init(store: RecordingStore, window: Int, fewest: Int = 2) throws(Fault) {
        labels = try store.labels()
        self.window = window
        let entries = try store.entries()
        guard !entries.isEmpty else {
            throw Fault(.noInput, "\(store.directory) has no recordings", remedy: "Make some: gaitway record --label walking")
        }
        guard labels.count >= fewest else {
            throw Fault(
                .badData, "all recordings in \(store.directory) show \"\(labels[0])\": there is nothing to tell apart",
                remedy: "Record a second activity.")
        }
        for (index, entry) in entries.enumerated() {
            let recording = try store.read(entry), filtered = try FrontEnd.filtered(recording.samples, rate: recording.rate),
                count = filtered.count / 3
            // Filters begin at zero: their first third of a second is not the wearer's.
            let range = min(Self.settling, count)..<count, parting = range.lowerBound + range.count * 7 / 10
            guard range.count >= window else {
                let seconds = Decimals.text(recording.seconds, places: 1),
                    least = Decimals.text(window + Self.settling, over: 50, places: 2)
                throw Fault(
                    .badData, "\(entry.path) lasts \(seconds) s; one window takes \(least) s", remedy: "Record longer, or delete it.")
            }
            let label = labels.firstIndex(of: entry.label) ?? 0,
                isSplit = parting - range.lowerBound >= window && range.upperBound - parting >= window
            segments.append(Segment(stream: index, label: label, range: isSplit ? range.lowerBound..<parting : range))
            if isSplit { segments.append(Segment(stream: index, label: label, range: parting..<range.upperBound, isTest: true)) }
            streams.append(Stream(subject: 0, samples: filtered))
        }
    }

    /// Reads a recording set; labels are in the order of their first stretch. What may be one of several activities is left out.
    ///
    /// - Throws: those of ``RecordingSet``; `.badData` when no labelled stretch is as long as a window.
    package init(set: RecordingSet, window: Int) throws(Fault) {
        self.window = window
        var labels: [String] = []
        let people = set.people
        for entry in set.entries {
            let wearing = try set.stream(of: entry)
            for piece in wearing.pieces {
                let samples = try FrontEnd.filtered(piece.samples, rate: wearing.rate)
                for stretch in piece.stretches where stretch.labels?.count == 1 {
                    let range = stretch.range.at50Hz(wearing.rate).clamped(to: min(Self.settling, samples.count / 3)..<samples.count / 3)
                    guard range.count >= window, let name = stretch.labels?.first else { continue }
                    if !labels.contains(name) { labels.append(name) }
                    segments.append(Segment(stream: streams.count, label: labels.firstIndex(of: name) ?? 0, range: range))
                }
                streams.append(Stream(subject: people.firstIndex(of: wearing.person) ?? 0, samples: samples))
            }
        }
        self.labels = labels
        guard !segments.isEmpty else { throw Fault(.badData, "\(set.name) has no labelled stretch as long as a window") }
    }

    /// Several people's recordings, as a set or in the HAPT layout, or one's own.
    ///
    /// - Throws: those of the three.
    package static func recordings(in directory: String, window: Int = 128) throws(Fault) -> TrainingSet {
        if HAPTRecordings.areIn(directory) { return try TrainingSet(directory: directory, window: window) }
        if RecordingSet.isOne(directory) { return try TrainingSet(set: try RecordingSet(directory: directory), window: window) }
        return try TrainingSet(store: try RecordingStore(directory: directory), window: window, fewest: 1)
    }

    private static let settling = 16

    package var subjects: [Int] { Set(streams.map(\.subject)).sorted() }

    /// - Throws: `.usage` when there is no such subject.
    func requireSubjects(_ wanted: Set<Int>) throws(Fault) {
        guard let unknown = wanted.subtracting(subjects).min() else { return }
        throw Fault(.usage, "there is no subject \(unknown)", remedy: "There are: \(subjects.map(String.init).joined(separator: ", ")).")
    }

    func subject(of segment: Segment) -> Int { streams[segment.stream].subject }

    /// Windows every `hop` samples from the start of each labelled stretch, as the official ones.
    func positions(of subjects: Set<Int>, hop: Int) -> [Position] { positions(hop) { subjects.contains(subject(of: $0)) } }

    /// The same of the parts that are kept to measure on, or of the others.
    func positions(areTest: Bool, hop: Int) -> [Position] { positions(hop) { $0.isTest == areTest } }

    private func positions(_ hop: Int, where isWanted: (Segment) -> Bool) -> [Position] {
        segments.indices.filter { isWanted(segments[$0]) }.flatMap { index in
            stride(from: segments[index].range.lowerBound, through: segments[index].range.upperBound - window, by: hop)
                .map { Position(segment: index, start: $0) }
        }
    }

    func label(of position: Position) -> Int { segments[position.segment].label }

    /// The window's samples, Q3.12 g.
    func samples(at position: Position) -> ArraySlice<Int16> {
        streams[segments[position.segment].stream].samples[position.start * 3..<(position.start + window) * 3]
    }

    /// What networks take of a window, Q3.12.
    func row(at position: Position, _ input: NetworkInput) -> [Int16] { WindowInput.row(Array(samples(at: position)), input) }

    /// What networks take of one person's labelled windows, a hop apart, Q3.12.
    package func rows(of subject: Int, _ input: NetworkInput) -> [(label: Int, row: [Int16])] {
        positions(of: [subject], hop: hop).map { (label(of: $0), row(at: $0, input)) }
    }
}
