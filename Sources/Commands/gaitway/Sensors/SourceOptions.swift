import ArgumentParser
import Logging
import Runtime
import Sensing
import Settings
import Support

/// Where samples come from.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where samples come from. (default: the first accelerometer, else a simulated wearer)", valueName: "source"))
    var source: String?

    /// What the user names; nil for whatever there is.
    func named(_ settings: Settings) throws(Fault) -> SourceSpecification? {
        try settings.source.map { text throws(Fault) in try SourceSpecification(text) }
    }

    /// For verbs that capture once: log and signals as the configuration has them, then the source.
    ///
    /// - Parameter rate: that a sensor is asked for, mHz.
    func start(_ settings: Settings, rate: Int = SamplingRates.usual) throws(Fault) -> any SampleSource {
        var settings = settings
        try settings.override(\.source, source)
        ConsoleLog.start(level: settings.logLevel.rawValue)
        Interruption.watch()
        return try open(settings, rate, Logger(label: "gaitway"))
    }

    /// - Throws: those of the source.
    private func open(_ settings: Settings, _ rate: Int, _ log: Logger) throws(Fault) -> any SampleSource {
        try SharedSensor.open(try choose(settings, log), cancellation: Interruption.stop, log: log, rate: rate)
    }

    /// What the user names, else what there is.
    func choose(_ settings: Settings, _ log: Logger) throws(Fault) -> SourceSpecification {
        if let named = try named(settings) { named } else { try present(log) }
    }

    private func present(_ log: Logger) throws(Fault) -> SourceSpecification {
        if try !Accelerometer.find().isEmpty { return .iio(device: nil, uri: nil) }
        log.notice("no accelerometer found, so this is a simulated wearer (see `gaitway doctor`)")
        return .simulated(.endless)
    }
}
