import ArgumentParser
import Logging
import Runtime
import Sensing
import Settings
import Support

/// Where samples come from.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where samples come from. (default: the first accelerometer; without one, gaitway run takes a simulated wearer)",
            valueName: "source"))
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
        Interruption.watch(hangUpStops: true)
        var request = SensorRequest()
        (request.rate, request.range) = (rate, settings.range)
        return try open(settings, request, Logger(label: "gaitway"))
    }

    /// - Throws: those of the source; where there is no sensor, a simulated one has to be asked for: what is captured is kept.
    private func open(_ settings: Settings, _ request: SensorRequest, _ log: Logger) throws(Fault) -> any SampleSource {
        guard let chosen = try present(settings) else {
            throw Fault(
                .sensorUnavailable, "there is no accelerometer on this machine",
                remedy: "What is there: gaitway devices. To try without one: --source simulated")
        }
        return try SharedSensor.open(chosen, cancellation: Interruption.stop, log: log, asking: request)
    }

    /// What the user names, else what there is.
    func choose(_ settings: Settings, _ log: Logger) throws(Fault) -> SourceSpecification {
        if let chosen = try present(settings) { return chosen }
        log.notice("no accelerometer found, so this is a simulated wearer (see `gaitway doctor`)")
        return .simulated(.endless)
    }

    // nil where none is named and this machine has no sensor.
    private func present(_ settings: Settings) throws(Fault) -> SourceSpecification? {
        if let named = try named(settings) { return named }
        return try Accelerometer.find().isEmpty ? nil : .iio(device: nil, uri: nil)
    }
}
