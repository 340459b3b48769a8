import ArgumentParser
import Sensing
import Support

struct RecordingsImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over recordings from elsewhere.",
        discussion: """
            Swift-HAR's files of an iPhone (its signs are turned to Linux's), Edge Impulse's acquisition JSON, CSV with time,x,y,z in \
            seconds and g, and another board's files with --format gaitway. The label is what stands in the file's name before the \
            last "_" (JSON: before the first "."), unless --label says it. Of a recording set (a directory with set.csv, index.csv, \
            labels.csv and .i16 files, or one of the HAPT data set) every labelled stretch of three seconds or longer becomes a \
            recording. All files are read before the first is kept.
            """)

    @Argument(help: "Files, or directories of recording sets, to take over.")
    var files: [String]
    @Option(help: ArgumentHelp("What they show.", valueName: "label"))
    var label: String?
    @Option(help: ArgumentHelp("iphone, edge-impulse, csv or gaitway. (default: as the file begins)", valueName: "format"))
    var format: RecordingFormat?
    @Option(help: ArgumentHelp("Of recording sets, these people alone, as 1,3,5 or s01,s07.", valueName: "people"))
    var people = NameList()
    @Option(help: ArgumentHelp("Of recording sets, all people but these.", valueName: "people"))
    var leaveOut = NameList()
    @Option(help: ArgumentHelp("Of recording sets, these places of the body alone, as waist,pocket.", valueName: "placements"))
    var placement = NameList()
    @OptionGroup var place: RecordingsOptions

    func run() throws {
        let directories = files.filter(Files.isDirectory), others = files.filter { !directories.contains($0) }
        if let unknown = directories.first(where: { !RecordingSet.isOne($0) }) {
            throw Fault(
                .noInput, "\(unknown) is no recording set: it has no index.csv", remedy: "Name the files in it, or another directory.")
        }
        guard others.isEmpty || people.names.isEmpty && leaveOut.names.isEmpty && placement.names.isEmpty else {
            throw Fault(.usage, "\(others[0]) is no recording set: it has no people and places of the body to choose from")
        }
        guard directories.isEmpty || label == nil && format == nil else {
            throw Fault(.usage, "a recording set has labels and a format of its own", remedy: "Leave out --label and --format.")
        }
        let found = try others.map { path throws(Fault) in try read(path) }, taken = try readSets(directories)
        let store = try RecordingStore(making: place.directory(try place.settings()))
        Interruption.watch(hangUpStops: true)
        let added = try store.add(found + taken.recordings) { Interruption.stop.isRaised }
        for (path, (recording, added)) in zip(others, zip(found.map(\.recording), added)) {
            if let warning = RestCheck.warning(path, [recording.samples], rate: recording.rate) { Console.note(warning) }
            let what = "\(Decimals.text(recording.seconds, places: 1)) s of \(recording.label)"
            try Console.print("\(path): \(what), \(added.isNew ? "now" : "already there as") \(added.path)")
        }
        if !directories.isEmpty { try show(taken, known: added.dropFirst(others.count).count { !$0.isNew }, in: store) }
    }

    private func read(_ path: String) throws(Fault) -> (recording: Recording, moment: CalendarTime) {
        let bytes = try Files.read(path, limit: 64 << 20)
        guard let format = format ?? RecordingFormat.guess(bytes) else {
            throw Fault(
                .badData, "\(path) is not a recording that is known",
                remedy: "Known are \(RecordingFormat.allCases.map(\.rawValue).joined(separator: ", ")); name one with --format.")
        }
        let recording = try format.decode(bytes, label: label ?? format.label(ofFile: path), path: path)
        return (recording, CalendarTime(nanoseconds: try Files.modified(path)))
    }

    private func readSets(_ directories: [String]) throws(Fault) -> RecordingSet.Taken {
        let sets = try RecordingSet.all(directories)
        var taken = RecordingSet.Taken(), scales = SetScales()
        let wanted = try RecordingSet.entries(
            of: sets, people: people.names, leavingOut: leaveOut.names, placements: placement.names)
        guard directories.isEmpty || !wanted.isEmpty else {
            throw Fault(.usage, "no recording is left of these people and places of the body")
        }
        for (set, entry) in wanted {
            try set.add(entry, to: &taken) { scales.take($0, of: set.name) }
        }
        if let warning = SetScales.warning(scales.misscaled) { Console.note(warning) }
        guard directories.isEmpty || !taken.recordings.isEmpty else {
            throw Fault(.badData, "no stretch of these has a label and lasts three seconds: \(leftOut(taken))")
        }
        return taken
    }

    private func leftOut(_ taken: RecordingSet.Taken) -> String {
        [("without a label", taken.unlabelled), ("shorter than three seconds", taken.short)].filter { $0.1 > 0 }.map {
            "\($0.1) \($0.1 == 1 ? "stretch" : "stretches") \($0.0)"
        }.joined(separator: ", ")
    }

    private func show(_ taken: RecordingSet.Taken, known: Int, in store: RecordingStore) throws {
        var seconds: [String: Double] = [:]
        for (recording, _) in taken.recordings { seconds[recording.label, default: 0] += recording.seconds }
        let activities = seconds.sorted { $0.key < $1.key }.map { "\(Decimals.text($0.value / 60, places: 1)) min of \($0.key)" }
        try Console.print("\(taken.recordings.count) recordings, now in \(store.directory): \(activities.joined(separator: ", "))")
        if known > 0 { Console.note("\(known) of them were there already") }
        let left = leftOut(taken)
        if !left.isEmpty { Console.note("left out: \(left)") }
    }
}
