import ArgumentParser
import Sensing
import Support

struct RecordingsExport: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "export", abstract: "Write recordings for other programs.")

    @Argument(help: "Names, as `gaitway recordings list` gives them; all without one.")
    var names: [String] = []
    @Option(help: ArgumentHelp("iphone (Swift-HAR), edge-impulse, csv or gaitway.", valueName: "format"))
    var format: RecordingFormat
    @Option(help: ArgumentHelp("Directory to write into.", valueName: "dir"), completion: .directory)
    var output: String
    @OptionGroup var place: RecordingsOptions

    func run() throws {
        let store = try place.store()
        var entries: [RecordingStore.Entry] = []
        for name in names { entries.append(try store.entry(name)) }
        if names.isEmpty { entries = try store.entries() }
        try Files.makeDirectory(output)
        for entry in entries {
            // Edge Impulse takes the label from what stands before the first dot.
            let stem = entry.name.dropLast(4), name = format == .edgeImpulse ? "\(entry.label).\(stem)" : String(stem)
            let path = "\(output)/\(name).\(format.fileExtension)"
            try Files.write(format.encode(try store.read(entry)), to: path)
            try Console.print(path)
        }
    }
}
