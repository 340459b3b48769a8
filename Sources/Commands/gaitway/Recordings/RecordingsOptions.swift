import Updates
import ArgumentParser
import NeuralNetwork
import Sensing
import Settings
import Support
import Training

/// Where labelled recordings are kept.
struct RecordingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Directory of labelled recordings. (default: the configuration's, else \"recordings\")", valueName: "dir"),
        completion: .directory)
    var recordings: String?
    @OptionGroup var place: ConfigurationOptions

    func settings() throws(Fault) -> Settings {
        var settings = try place.load()
        try settings.override(\.recordings, recordings)
        return settings
    }

    func directory(_ settings: Settings) -> String { settings.recordings }

    /// What a verb's --model names, else what `gaitway train` made of one's own recordings, else the configuration's.
    func network(_ model: ModelOptions, _ settings: Settings) throws(Fault) -> Network {
        let own = TrainedModel.path(directory(settings))
        return model.model == nil && Files.exists(own)
            ? try NetworkFile.load(own, trusting: try settings.verifyingKey()) : try model.load(settings)
    }

    /// - Throws: `.noInput` when there is none yet.
    func store() throws(Fault) -> RecordingStore { try RecordingStore(directory: directory(try settings())) }
}
