package import Sensing
package import Support

/// One person's labelled recordings, wherever they come from.
package enum PersonalRecordings {
    /// What was labelled while the loop ran, the newest first, then one's own recordings (`gaitway record`).
    ///
    /// - Parameter labelled: its recordings were filtered before they were kept.
    /// - Throws: `.noInput` when neither directory is there.
    package static func own(_ directory: String, labelled: String?) throws(Fault) -> [LabelledStream] {
        let said = labelled.flatMap { Files.isDirectory($0) ? $0 : nil }
        guard said != nil || Files.isDirectory(directory) else {
            throw Fault(
                .noInput, "there are no recordings in \(directory)",
                remedy: "Record some: gaitway record --label WALKING; or say what you do while gaitway runs: gaitway label WALKING.")
        }
        var streams: [LabelledStream] = []
        if let said { streams += try Array(recordings(in: said, isFiltered: true).reversed()) }
        if Files.isDirectory(directory) { streams += try recordings(in: directory, isFiltered: false) }
        return streams
    }

    private static func recordings(in directory: String, isFiltered: Bool) throws(Fault) -> [LabelledStream] {
        let store = try RecordingStore(directory: directory)
        return try store.entries().map { entry throws(Fault) in
            let recording = try store.read(entry), whole = 0..<recording.count
            var stream = LabelledStream(
                name: entry.name, person: "", placement: "", rate: recording.rate,
                pieces: [
                    .init(
                        samples: recording.samples,
                        stretches: [.init(range: whole, activity: entry.label, labels: [entry.label])])
                ])
            stream.isFiltered = isFiltered && recording.rate == 50_000
            return stream
        }
    }

    /// Those of one person with the sensor at one place, out of recording sets.
    ///
    /// - Returns: also that person as a model names it, "set/person".
    /// - Throws: `.usage` when there are several people or places.
    package static func person(
        _ directories: [String], _ people: Set<String>, _ placements: Set<String>
    ) throws(Fault) -> (streams: [LabelledStream], people: [String]) {
        let sets = try RecordingSet.all(directories)
        let entries = try RecordingSet.entries(of: sets, people: people, placements: placements)
        let streams = try entries.map { (set, entry) throws(Fault) in try set.stream(of: entry) }
        let found = Set(streams.map(\.person)), places = Set(streams.map(\.placement))
        guard found.count == 1, places.count == 1 else {
            throw Fault(
                .usage,
                """
                these are recordings of \(found.count) people at \(places.count) places of the body: a model is adapted to one person
                """,
                remedy: "Choose: --people NAME --placement PLACE.")
        }
        return (streams, Set(entries.map { "\($0.set.name)/\($0.entry.person)" }).sorted())
    }
}
