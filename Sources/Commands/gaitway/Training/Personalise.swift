import ArgumentParser
import NeuralNetwork
import Runtime
import Sensing
import Settings
import Support
import Training
import Upload

struct Personalise: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "personalise", abstract: "Adapt a model to one person, from ten seconds of each activity.",
        discussion: """
            Learns from one's own recordings (`gaitway record`), from what was labelled with `gaitway label` while `gaitway run` ran, or \
            from one person of a recording set. The activities stay those of the model, and only its last layer changes, as far as the \
            examples of other people that the model carries are decided as well as before. `gaitway train --from` teaches it other \
            activities.
            """)

    @OptionGroup var model: ModelOptions
    @Option(
        help: ArgumentHelp(
            "Directory of labelled recordings, or recording sets. (default: the configuration's, and what was labelled)",
            valueName: "dir"), completion: .directory)
    var recordings: [String] = []
    @OptionGroup var place: ConfigurationOptions
    @Option(help: ArgumentHelp("The person of a recording set.", valueName: "person"))
    var people = NameList()
    @OptionGroup var worn: WearingOptions
    @Option(help: ArgumentHelp("Of each activity, the first seconds that are learnt from.", valueName: "seconds"))
    var seconds = 10
    @Option(help: "Version to write into the model. (default: one more than the model's)")
    var modelVersion: Int?
    @Option(
        help: ArgumentHelp("Where to write the model. (default: personal.safetensors beside one's own recordings)", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var format: OutputOptions

    // Of the windows that are learnt from: below that, something else than the person is probably new to the model.
    private static let doubtful = 0.5

    func validate() throws {
        guard (3...3600).contains(seconds) else { throw ValidationError("--seconds takes 3 to 3600") }
    }

    func run() throws {
        var settings = try place.load()
        try settings.override(\.recordings, recordings.first)
        try worn.override(&settings)
        let network = try model.load(settings), isSet = recordings.contains(where: RecordingSet.isOne)
        guard isSet || people.names.isEmpty && recordings.count <= 1 else {
            throw Fault(.usage, "--people and several directories belong to recording sets; one's own recordings lie in one directory")
        }
        guard !isSet || output != nil else { throw Fault(.usage, "where shall the model go?", remedy: "Add --output FILE.") }
        let (streams, person) =
            isSet
            ? try PersonalRecordings.person(recordings, people.names, worn.placement.map { [$0] } ?? [])
            : (try PersonalRecordings.own(settings.recordings, labelled: recordings.isEmpty ? LabelledWindows.place : nil), [])
        let path = output ?? TrainedModel.personalPath(Files.isDirectory(settings.recordings) ? settings.recordings : ".")
        let known = WearingKnowledge(
            configured: try ConfiguredWearing(settings, for: network), learnt: isSet ? nil : OrientationFile.latest())
        let version = modelVersion ?? (network.version == .max ? .max : network.version + 1)
        if isSet {
            var scales = SetScales()
            for stream in streams { scales.take(stream, of: "these") }
            if let warning = SetScales.warning(scales.misscaled) { Console.note("gaitway: warning: \(warning)") }
        }
        let result = try Personalisation(network, seconds: seconds).learn(from: streams, of: person, known: known, version: version)
        try NetworkFile.save(result.network, to: path)
        if result.before < Self.doubtful {
            Console.note(
                """
                gaitway: warning: the model decided only \(Units.percent(result.before)) of these windows right: is the sensor worn as it \
                says (placement, up), and are the labels what was done?
                """)
        }
        try Console.print(format.json ? PersonaliseText.json(result, path).text : PersonaliseText.text(result, path))
    }
}
