package import Sensing
package import Support

/// One person's labelled recordings, wherever they come from.
package enum PersonalRecordings {
    /// One's own, of `gaitway record`; of several directories, those that are there.
    ///
    /// - Throws: `.noInput` when none is.
    package static func own(_ directories: [String]) throws(Fault) -> [LabelledStream] {
        let found = directories.filter(Files.isDirectory)
        guard !found.isEmpty else {
            throw Fault(
                .noInput, "there are no recordings in \(directories.joined(separator: " or "))",
                remedy: "Record some: gaitway record WALKING; or say what you do while gaitway runs: gaitway label WALKING.")
        }
        // flatMap would lose the errors' type.
        return try found.map { directory throws(Fault) in try own(directory) }.flatMap { $0 }
    }

    private static func own(_ directory: String) throws(Fault) -> [LabelledStream] {
        let store = try RecordingStore(directory: directory)
        return try store.entries().map { entry throws(Fault) in
            let recording = try store.read(entry), whole = 0..<recording.count
            return LabelledStream(
                name: entry.name, person: "", placement: "", rate: recording.rate,
                pieces: [
                    .init(
                        samples: recording.samples,
                        stretches: [.init(range: whole, activity: entry.label, labels: [entry.label])])
                ])
        }
    }

    /// Those of one person with the sensor at one place, out of recording sets.
    ///
    /// - Throws: `.usage` when there are several people or places.
    package static func person(_ directories: [String], _ people: Set<String>, _ placements: Set<String>) throws(Fault) -> [LabelledStream]
    {
        let sets = try directories.map { directory throws(Fault) in try RecordingSet(directory: directory) }
        let streams = try RecordingSet.entries(of: sets, people: people, placements: placements).map { (set, entry) throws(Fault) in
            try set.stream(of: entry)
        }
        let found = Set(streams.map(\.person)), places = Set(streams.map(\.placement))
        guard found.count == 1, places.count == 1 else {
            throw Fault(
                .usage,
                "these are recordings of \(found.count) people at \(places.count) places of the body: a model is adapted to one person",
                remedy: "Choose: --people NAME --placement PLACE.")
        }
        return streams
    }
}
