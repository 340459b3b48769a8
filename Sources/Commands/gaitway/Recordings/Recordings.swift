import ArgumentParser

struct Recordings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings", abstract: "Look after labelled recordings.",
        subcommands: [RecordingsList.self, RecordingsShow.self, RecordingsDelete.self, RecordingsImport.self, RecordingsExport.self],
        defaultSubcommand: RecordingsList.self)
}
