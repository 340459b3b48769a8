package import Support

extension RecordingSet {
    /// Labelled stretches as recordings of one's own.
    package struct Taken: Sendable {
        package var recordings: [(recording: Recording, moment: CalendarTime)] = []
        /// Stretches that have no label, and those that are too short for a window.
        package var unlabelled = 0, short = 0

        package init() {}
    }

    /// A window of 2.56 s and what filters take to settle.
    private static let shortest = 3.0

    /// Adds those of an entry; each has the time of its file, later by where it begins.
    ///
    /// - Parameter look: is given the whole stream.
    /// - Throws: those of ``stream(of:)``.
    package func add(_ entry: Entry, to taken: inout Taken, look: (LabelledStream) -> Void) throws(Fault) {
        let stream = try stream(of: entry)
        look(stream)
        let written = try Files.modified(entry.path), starts = entry.ranges.map(\.lowerBound)
        let stretches = stream.pieces.flatMap { piece in piece.stretches.map { (piece, $0) } }
        for ((piece, stretch), start) in zip(stretches, starts) {
            guard let labels = stretch.labels, !labels.isEmpty else {
                taken.unlabelled += 1
                continue
            }
            let samples = piece.samples[stretch.range.lowerBound * 3..<stretch.range.upperBound * 3]
            let recording = Recording(label: labels.joined(separator: "|"), rate: rate, samples: Array(samples))
            guard recording.seconds >= Self.shortest else {
                taken.short += 1
                continue
            }
            let later = Int64((Double(start) * 1e12 / Double(rate)).rounded())
            taken.recordings.append((recording, CalendarTime(nanoseconds: written + later)))
        }
    }
}
