import Agent
import ArgumentParser
import Logging
import Sensing
import Support

/// Where samples come from.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where samples come from. (default: the first accelerometer, else a simulated wearer)", valueName: "source"))
    var source: String?

    /// What the user names; nil for whatever there is.
    func wish(_ configuration: Configuration) throws(Fault) -> SourceSpecification? {
        try configuration[.source].map { value throws(Fault) in try SourceSpecification(value.text) }
    }

    /// For verbs that listen once: log and signals as the configuration has them, then the source.
    func start(_ configuration: Configuration) throws(Fault) -> any SampleSource {
        var configuration = configuration
        try configuration.override(.source, source)
        ConsoleLog.start(level: configuration[.logLevel]?.text ?? "notice")
        Interruption.watch()
        return try open(configuration, Logger(label: "gaitway"))
    }

    /// Errors: those of the source.
    private func open(_ configuration: Configuration, _ log: Logger) throws(Fault) -> any SampleSource {
        try choose(configuration, log).open(cancellation: Interruption.cancellation, log: log)
    }

    /// What the user names, else what there is.
    func choose(_ configuration: Configuration, _ log: Logger) throws(Fault) -> SourceSpecification {
        if let named = try wish(configuration) { named } else { try present(log) }
    }

    private func present(_ log: Logger) throws(Fault) -> SourceSpecification {
        if try !Accelerometer.find().isEmpty { return .iio(device: nil, uri: nil) }
        log.notice("no accelerometer found, so this is a simulated wearer (see `gaitway doctor`)")
        return .simulated(.endless)
    }
}
