import ArgumentParser

struct Upload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Look after recorded windows on their way to a bucket.",
        discussion: """
            `gaitway run` records windows where [upload] enabled = true, and sends them where upload.bucket is set. These commands work \
            beside it and without it.
            """,
        subcommands: [
            UploadStatus.self, UploadList.self, UploadNow.self, UploadRetry.self, UploadOpen.self, UploadClear.self,
            UploadDeleteRemote.self,
        ],
        defaultSubcommand: UploadStatus.self)
}

/// What all of its verbs take.
struct UploadOptions: ParsableArguments {
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions
}
