import ArgumentParser
import Logging
import NeuralNetwork
import Settings
import Support
import Updates

/// Which model a verb uses.
struct ModelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The network to run.", discussion: "Without it: the configuration's, else the model that came with gaitway.",
            valueName: "file"),
        completion: .file()
    )
    var model: String?

    /// - Throws: `.noInput`, `.permission`, `.badData`.
    func load(_ settings: Settings) throws(Fault) -> Network {
        guard let model else { return try BaseModel.load(settings) }
        return try NetworkFile.load(model, trusting: try settings.verifyingKey())
    }

    /// For the service: a board whose configured model was spoilt goes on with one that it has.
    func load(_ settings: Settings, _ log: Logger) throws(Fault) -> Network {
        guard model == nil else { return try load(settings) }
        return try BaseModel.loadOrKept(settings) { log.error("\($0)") }
    }

    /// For verbs without settings of their own.
    func load() throws(Fault) -> Network { try load(try Settings()) }
}
