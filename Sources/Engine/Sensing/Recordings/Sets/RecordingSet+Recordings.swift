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
    /// Samples of a file that can be read again (64 MiB); longer stretches become several.
    private static let most = 1 << 20

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
            guard Double(stretch.range.count) * 1000 >= Self.shortest * Double(rate) else {
                taken.short += 1
                continue
            }
            for part in stride(from: 0, to: stretch.range.count, by: Self.most) {
                let first = stretch.range.lowerBound + part, end = min(first + Self.most, stretch.range.upperBound)
                let later = Int64((Double(start + part) * 1e12 / Double(rate)).rounded())
                taken.recordings.append(
                    (
                        Recording(label: labels.joined(separator: "|"), rate: rate, samples: Array(piece.samples[first * 3..<end * 3])),
                        CalendarTime(nanoseconds: written + later)
                    ))
            }
        }
    }
}
