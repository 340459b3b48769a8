import Agent
import ArgumentParser
import Sensing
import Support

/// Where labelled recordings are kept.
struct RecordingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Directory of labelled recordings. (default: the configuration's, else \"recordings\")", valueName: "dir"))
    var recordings: String?
    @OptionGroup var place: ConfigurationOptions

    func settings() throws(Fault) -> Configuration {
        var configuration = try place.load()
        try configuration.override(.recordings, recordings)
        return configuration
    }

    func directory(_ configuration: Configuration) -> String { configuration[.recordings]?.text ?? "recordings" }

    /// Errors: `.noInput` when there is none yet.
    func store() throws(Fault) -> RecordingStore { try RecordingStore(directory: directory(try settings())) }
}
