import ArgumentParser
import Sensing
import Support

struct RecordingsDelete: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete recordings for good.")

    @Argument(help: "Names, as `gaitway recordings list` gives them.")
    var names: [String] = []
    @Option(help: ArgumentHelp("All recordings of this label.", valueName: "label"))
    var label: String?
    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var place: RecordingsOptions

    func validate() throws {
        guard names.isEmpty != (label == nil) else { throw ValidationError("give either names or --label") }
    }

    func run() throws {
        let store = try place.store()
        var entries: [RecordingStore.Entry] = []
        if let label {
            entries = try store.entries().filter { $0.label == label }
            guard !entries.isEmpty else {
                throw Fault(
                    .noInput, "\(store.directory) has no recording of \(label)",
                    remedy: "There are: \(try store.labels().joined(separator: ", ")).")
            }
        }
        for name in names { entries.append(try store.entry(name)) }
        guard try yes || Console.confirms("Delete \(entries.count == 1 ? entries[0].name : "\(entries.count) recordings")?") else {
            throw Fault(.failure, "nothing was deleted")
        }
        for entry in entries {
            try store.delete(entry)
            try Console.print("deleted \(entry.name)")
        }
    }
}
