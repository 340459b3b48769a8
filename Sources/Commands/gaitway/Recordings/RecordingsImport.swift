import ArgumentParser
import Sensing
import Support

struct RecordingsImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over recordings from elsewhere.",
        discussion: """
            Swift-HAR's files of an iPhone (its signs are turned to Linux's), Edge Impulse's acquisition JSON, CSV with time,x,y,z in \
            seconds and g, and another board's files with --format gaitway. The label is what stands in the file's name before the \
            last "_" (JSON: before the first "."), unless --label says it. All files are read before the first is kept.
            """)

    @Argument(help: "Files to take over.")
    var files: [String]
    @Option(help: ArgumentHelp("What they show.", valueName: "label"))
    var label: String?
    @Option(help: ArgumentHelp("iphone, edge-impulse, csv or gaitway. (default: as the file begins)", valueName: "format"))
    var format: RecordingFormat?
    @OptionGroup var place: RecordingsOptions

    func run() throws {
        var found: [Recording] = []
        for path in files {
            let bytes = try Files.read(path, limit: 64 << 20)
            guard let format = format ?? RecordingFormat.guess(bytes) else {
                throw Fault(
                    .badData, "\(path) is not a recording that is known",
                    remedy: "Known are \(RecordingFormat.allCases.map(\.rawValue).joined(separator: ", ")); name one with --format.")
            }
            found.append(try format.decode(bytes, label: label ?? format.label(ofFile: path), path: path))
        }
        let store = try RecordingStore(making: place.directory(try place.settings()))
        for recording in found { try store.check(recording.label) }
        for (path, recording) in zip(files, found) {
            let kept = try store.add(recording, at: CalendarTime(nanoseconds: try Files.modified(path)))
            if let warning = RestCheck.warning(path, [recording.samples], rate: recording.rate) { Console.note(warning) }
            try Console.print("\(path): \(Decimals.text(recording.seconds, places: 1)) s of \(recording.label), now \(kept)")
        }
    }
}
