import Agent
import ArgumentParser
import Fleet
import Logging
import Models
import Recognition
import Sensing
import Support

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what the wearer does, one line for every window.",
        discussion: """
            Sources: iio (the first accelerometer), iio:NAME, iio:ip:HOST, recording:PATH, simulated, \
            simulated:stand=20,walk=40,lie=20. \
            Stop with Ctrl-C. A sensor that is pulled out is waited for.
            """)

    @OptionGroup var origin: SourceOptions
    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("real or max: the pace at which recordings and the simulated wearer are played.", valueName: "pace"))
    var speed = Speed.real
    @Option(help: ArgumentHelp("Stop after so many seconds of samples.", valueName: "seconds"))
    var duration: Double?
    @Option(help: ArgumentHelp("Windows in a row that must agree before the shown activity changes. (default: 2)", valueName: "windows"))
    var agreement: String?
    @Option(help: ArgumentHelp("Below this confidence a window counts as unknown, 0 to 1. (default: 0.5)", valueName: "confidence"))
    var threshold: String?
    @Option(help: ArgumentHelp("The least important messages to show: debug, info, notice, warning, error. (default: notice)", valueName: "level"))
    var logLevel: String?
    @Flag(help: "Tell how it goes, every minute and at the end; with --json as {\"stats\":{...}} lines.")
    var stats = false
    @Flag(help: "Print a line only when the smoothed activity changes.")
    var changes = false
    @Flag(help: "Wait for a sensor that is not there yet, as a service does.")
    var wait = false
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        if let duration, !(duration > 0 && duration < 1e9) { throw ValidationError("--duration takes a positive number of seconds") }
    }

    func run() throws {
        let configuration = try settings()
        let status = RunStatus(), log = StatusLog.logger(configuration[.logLevel]?.text ?? "notice", status)
        let uploads = try UploadPlan(enabledBy: configuration), client = FleetService.client(log)
        let models = try BoardModels(model, configuration, hub: client, log: log) { status.soon.now() }, network = models.network
        // Configuration and model need code that the loop never does; so does what finds a sensor.
        IdleMemory.giveBack()
        Interruption.watch()
        var notifier = ServiceNotifier()
        let wish = try wait ? origin.wish(configuration) ?? .iio(device: nil, uri: nil) : origin.choose(configuration, log)
        let present = wait ? nil : try wish.open(cancellation: Interruption.cancellation, log: log)
        // A board whose sensor is not there tells so.
        let companions = Companions(
            uploads, models, fleet: client, crowd: CrowdService.make(configuration, fleet: client, log: log), tellsActivities: configuration[.fleetTelemetry]?.text == "true",
            isLive: wish.isLive, waits: !wish.isLive && speed == .max, status: status, log: log)
        defer { companions.stop() }
        let found = if let present { present } else { try sensor(wish, &notifier, log) }
        guard let source = found else { return }
        status.note { $0.source = source.name }
        var loop = try ClassificationLoop(source: source, network: network, smoothing: Smoothing(configuration), keepsWindows: uploads != nil)
        let lines = ActivityLines(json: format.json)
        log.notice("\(source.name), \(Decimals.text(source.rate, over: 1000, places: 1)) Hz; a decision every \(Decimals.text(network.hop, over: 50, places: 2)) s")
        if !format.json { try Console.print(lines.header(labels: loop.labels)) }
        notifier.ready(source.name)
        IdleMemory.giveBack()

        var nextReport = 60.0, shown = ""
        try loop.run(speed: speed, seconds: duration, stopping: { Interruption.requested }) { loop throws(Fault) in
            notifier.progress()
            companions.step(&loop)
            if Interruption.reloadRequested(), let network = reload(&loop, notifier, log, companions) { companions.use(network) }
            if stats && Double(loop.samples) * 1000 >= nextReport * Double(loop.source.rate) {
                nextReport += 60
                try report(Statistics(of: loop))
            }
        } sink: { activity throws(Fault) in
            let changed = activity.smoothed != shown
            companions.saw(activity, rate: source.statistics?.measuredRate, isChange: changed)
            shown = activity.smoothed
            if changed { notifier.status(shown) }
            if changed || !changes { try Console.print(lines.line(activity)) }
        }
        notifier.stopping()
        if loop.windows == 0 && !Interruption.requested {
            log.notice("\(loop.samples) samples are less than one window of \(Decimals.text(network.window, over: 50, places: 2)) s: no decision")
        }
        try report(Statistics(of: loop))
    }

    private func settings() throws(Fault) -> Configuration {
        var configuration = try place.load()
        try configuration.override(.source, origin.source)
        try configuration.override(.model, model.model)
        try configuration.override(.agreement, agreement)
        try configuration.override(.threshold, threshold)
        try configuration.override(.logLevel, logLevel)
        return configuration
    }

    /// nil when asked to stop before there was a sensor.
    private func sensor(_ wish: SourceSpecification, _ notifier: inout ServiceNotifier, _ log: Logger) throws(Fault) -> (any SampleSource)? {
        notifier.ready("waiting for the sensor")
        var complaint = ""
        repeat {
            do throws(Fault) {
                return try wish.open(cancellation: Interruption.cancellation, log: log)
            } catch where error.code == .sensorUnavailable || error.code == .permission {
                if error.message != complaint { log.warning("\(error.message); waiting for it") }
                complaint = error.message
            }
            notifier.progress()
        } while !Interruption.cancellation.isRequested(within: 1000)
        return nil
    }

    // A model or configuration that is wrong leaves the loop as it was.
    private func reload(_ loop: inout ClassificationLoop, _ notifier: borrowing ServiceNotifier, _ log: Logger, _ companions: Companions) -> Network? {
        notifier.reloading()
        defer { notifier.ready(loop.source.name) }
        do throws(Fault) {
            let configuration = try settings(), given = try model.load(configuration)
            // A model that came over the air is newer than the configuration's.
            let network = companions.updates?.proved ?? given
            try loop.use(network, smoothing: Smoothing(configuration))
            companions.updates?.use(network)
            log.notice("configuration and model read again")
            return network
        } catch {
            log.error("reload failed, all stays as it was: \(error)")
            return nil
        }
    }

    private func report(_ statistics: Statistics) throws(Fault) {
        if stats && format.json {
            try Console.print(JSON.object([("stats", statistics.json)]).text)
        } else if stats || statistics.source != nil || !format.json {
            Console.note("gaitway: \(statistics.text)")
        }
    }
}

extension Smoothing {
    init(_ configuration: Configuration) {
        self.init()
        if let text = configuration[.agreement]?.text, let windows = Int(text) { agreement = windows }
        if let text = configuration[.threshold]?.text, let share = Double(text) { threshold = Int16(clamping: Int(share * 32768)) }
    }
}
