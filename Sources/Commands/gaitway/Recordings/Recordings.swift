import ArgumentParser

struct Recordings: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after labelled recordings.",
        subcommands: [RecordingsList.self, RecordingsShow.self, RecordingsDelete.self, RecordingsImport.self, RecordingsExport.self],
        defaultSubcommand: RecordingsList.self)
}
