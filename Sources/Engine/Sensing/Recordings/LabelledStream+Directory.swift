package import Support

extension LabelledStream {
    /// Reads the labelled recordings of a directory, one after the other: those of a recording set, else one's own, whose person has no
    /// name.
    ///
    /// - Throws: those of reading them, and what `body` throws.
    package static func each(in directory: String, _ body: (LabelledStream) throws(Fault) -> Void) throws(Fault) {
        if RecordingSet.isOne(directory) {
            let set = try RecordingSet(directory: directory)
            for entry in set.entries { try body(try set.stream(of: entry)) }
            return
        }
        let store = try RecordingStore(directory: directory)
        for entry in try store.entries() {
            let recording = try store.read(entry)
            let stretch = Stretch(range: 0..<recording.count, activity: recording.label, labels: [recording.label])
            try body(
                LabelledStream(
                    name: entry.name, person: "", placement: "", rate: recording.rate,
                    pieces: [Piece(samples: recording.samples, stretches: [stretch])]))
        }
    }
}
