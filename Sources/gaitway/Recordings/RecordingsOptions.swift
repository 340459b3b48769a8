import Agent
import ArgumentParser
import Models
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

    /// What a verb's --model names, else what `gaitway train` made of one's own recordings, else the configuration's.
    func network(_ model: ModelOptions, _ configuration: Configuration) throws(Fault) -> Network {
        let own = TrainedModel.path(directory(configuration))
        return model.model == nil && Files.exists(own) ? try NetworkFile.load(own, trusting: try configuration.trustedKey()) : try model.load(configuration)
    }

    /// Errors: `.noInput` when there is none yet.
    func store() throws(Fault) -> RecordingStore { try RecordingStore(directory: directory(try settings())) }
}
