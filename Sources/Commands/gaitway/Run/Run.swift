import ArgumentParser
import Doors
import Fleet
import History
import Ledger
import Logging
import NeuralNetwork
import ObjectStores
import ProgramUpdates
import Recognition
import Runtime
import Sensing
import Settings
import Support
import Updates
import Upload

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Say what the wearer does, one line for every window.",
        discussion: """
            Sources: iio (the first accelerometer), iio:NAME, iio:ip:HOST, recording:PATH, simulated, \
            simulated:stand=20,walk=40,lie=20 (also sit, run, upstairs, downstairs, fall; repeat: for ever). \
            Stop with Ctrl-C. A sensor that is pulled out is waited for. Of a sensor that another gaitway reads this one gets the \
            samples from that program; where the other one keeps the same state, it alone records, reports and updates.
            """)

    @OptionGroup var origin: SourceOptions
    @OptionGroup var model: ModelOptions
    @OptionGroup var worn: WearingOptions
    @Option(help: ArgumentHelp("real or max: the pace at which recordings and the simulated wearer are played.", valueName: "pace"))
    var speed = Speed.real
    @Option(
        help: ArgumentHelp(
            "When a recording or the simulated wearer begins, seconds since 1970 as date +%s prints them. (default: now)",
            valueName: "seconds"))
    var began: Int64?
    @Option(help: ArgumentHelp("Stop after so many seconds of samples.", valueName: "seconds"))
    var duration: Double?
    @Option(
        help: ArgumentHelp(
            "Windows in a row that must agree before the shown activity changes. (default: 2; 1 for a worn network)", valueName: "windows"))
    var agreement: String?
    @Option(help: ArgumentHelp("Below this confidence a window counts as unknown, 0 to 1. (default: 0.5)", valueName: "confidence"))
    var threshold: String?
    @Option(
        help: ArgumentHelp(
            "The least important messages to show: debug, info, notice, warning, error. (default: notice)", valueName: "level"))
    var logLevel: String?
    @Flag(help: "Tell how it goes, every minute and at the end; with --json as {\"stats\":{...}} lines.")
    var stats = false
    @Flag(help: "Print a line only when the smoothed activity changes.")
    var changes = false
    @Flag(help: "With --json: when each decision was made, seconds since 1970.")
    var at = false
    @Flag(help: "Wait for a sensor that is not there yet, as a service does.")
    var wait = false
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        if let duration, !(duration > 0 && duration < 1e9) { throw ValidationError("--duration takes a positive number of seconds") }
        if let began, !(0...32_503_680_000).contains(began) { throw ValidationError("--began takes seconds since 1970, before 3000") }
    }

    func run() throws {
        // Arguments and settings need code that nothing does later: the most that is ever resident is less without it.
        IdleMemory.giveBack()
        let settings = try settings()
        IdleMemory.giveBack()
        let status = RunStatus(), log = StatusLog.logger(ConsoleLog(level: settings.logLevel.rawValue), status)
        // Another gaitway with this state records, reports and updates: twice would be wrong.
        let first = FirstProgram(answers: speed != .max, log), isSecond = !first.isFirst
        let client = isSecond ? nil : BackgroundServices.fleetClient(log)
        let plan = isSecond ? nil : try UploadPlan(enabledBy: settings), base = try model.load(settings, log)
        if isSecond { log.notice("another gaitway runs with this state: this one records and reports nothing") }
        let models =
            try model.model == nil && !isSecond
            ? BoardModels(base: base, settings, hub: client, log: log) { status.heartbeat.fire() } : BoardModels(fixed: base)
        let network = models.network
        // Settings and model need code that the loop never does; so does what finds a sensor.
        IdleMemory.giveBack()
        for (variable, meant) in Settings.misspelt { log.warning("\(variable) is no setting; is \(meant) meant?") }
        Interruption.watch()
        var notifier = ServiceNotifier()
        let chosen = try wait ? origin.named(settings) ?? .iio(device: nil, uri: nil) : origin.choose(settings, log)
        let request = request(settings, network, latency: notifier.allow(waits: settings.latency))
        let present = wait ? nil : try open(chosen, request, log)
        // A simulated wearer's days are kept where somebody asks for it.
        let keepsDays = !isSecond && (chosen.isLive || settings.history.directory != nil)
        let begins = began.map { $0 * 1000 } ?? SystemTime.wall / 1_000_000
        let falls = FallWatch(
            in: !keepsDays ? nil : chosen.isLive ? Places.state : settings.history.directory, confirm: settings.falls.confirmSeconds,
            cancel: settings.falls.cancelSeconds,
            now: RunClock(isLive: chosen.isLive, began: begins).moment(at: 0), log: log)
        let ledger = client?.ledger ?? PrivacyLedger()
        var setup = BackgroundServices.Setup(
            models: models, falls: falls, ledger: ledger, isLive: chosen.isLive, began: begins, waits: !chosen.isLive && speed == .max,
            version: Gaitway.configuration.version)
        setup.answers = !isSecond
        if settings.history.enabled, keepsDays {
            setup.history = HistoryService(settings.history.place, days: settings.history.days, isLive: chosen.isLive, log: log)
        }
        setup.uploads = plan.map { plan in (plan, { () throws(Fault) in try AWSStore(settings, plan) }) }
        (setup.fleet, setup.reportsActivities) = (client, settings.fleet.telemetry)
        if !isSecond {
            setup.programs = ProgramUpdateService.make(
                settings, hub: client, log: log, decides: { status.decides }, onChange: { status.heartbeat.fire() })
            setup.home = try MQTTService.make(
                settings, client: client, status: status, falls: falls, updates: models.updates, ledger: ledger,
                version: Gaitway.configuration.version, log: log)
            setup.metrics = MetricsService.make(
                settings, client: client, status: status, falls: falls, spool: plan?.directory, version: Gaitway.configuration.version,
                log: log)
        }
        if !isSecond, settings.crowd.enabled { setup.crowd = CrowdProcess(configuration: place.config, log: log) }
        // A board whose sensor is not there reports that.
        let services = BackgroundServices(setup, status: status, log: log)
        defer {
            services.stop()
            first.end()
        }
        let found = if let present { present } else { try sensor(chosen, request, &notifier, services, status, log) }
        guard let source = found else { return }
        if source.rate < 20_000 {
            log.notice("\(Decimals.text(source.rate, over: 1000, places: 1)) Hz: below 20 Hz activities are often mistaken")
        }
        status.note { ($0.source, $0.interrupts, $0.latency) = (source.name, source.interrupts, Int64(request.latency * 1e9)) }
        services.stream.begin(source)
        services.sleepsAfter = settings.sleepMinutes > 0 ? Int64(settings.sleepMinutes * 60e9) : nil
        var loop = try ClassificationLoop(
            source: source, network: network, smoothing: Smoothing(settings, for: network), keepsWindows: plan != nil,
            falls: try FallDetection(settings))
        let wearing = try ConfiguredWearing(settings, for: network)
        if source.wearing != nil, wearing != ConfiguredWearing() {
            log.notice("up, forward and placement are not used: this source knows how it is worn")
        }
        loop.use(wearing)
        var kept = OrientationFile(of: source, log: log), requests = WearingRequests(status)
        func keep(_ orientation: Orientation?) { if !isSecond { kept?.take(orientation) } }
        // An axis that the command line names is newer.
        if worn.up == nil, let orientation = kept?.load() { loop.use(orientation) }
        defer { keep(loop.orientation) }
        // A recording may be somebody else's.
        let isWorn = if case .recording = chosen { false } else { !isSecond }
        var labelled = LabelledWindows(settings, log: log)
        var lines = ActivityLines(json: format.json, hasTime: at)
        let reported = FallReports(falls)
        log.notice(
            """
            \(source.name), \(Decimals.text(source.rate, over: 1000, places: 1)) Hz; a decision every \
            \(Decimals.text(network.hop, over: 50, places: 2)) s
            """
        )
        if !format.json { try Console.print(lines.header(labels: loop.labels)) }
        notifier.ready(source.name)
        IdleMemory.giveBack()

        var nextReport: Int64 = 60_000, shown = "" // ms
        let before = KernelWork.now(of: source.interrupts)
        try loop.run(speed: speed, seconds: duration, stopping: { Interruption.stop.isRaised }) { loop throws(Fault) in
            notifier.progress(nextIsLate: loop.isStill)
            services.step(&loop)
            for report in reported.take() { try Console.print(lines.line(report)) }
            services.isLabelling = isWorn && labelled.look(isBehind: loop.source.isBehind)
            loop.keepWindows(services.isLabelling || plan != nil)
            requests.apply(to: &loop)
            if kept?.isDue == true { keep(loop.orientation) }
            if Interruption.reloadRequested(), let network = reload(&loop, notifier, log, services) { services.use(network) }
            if stats && loop.samples * 1_000_000 >= nextReport * Int64(loop.source.rate) {
                nextReport += 60_000
                try report(Statistics(of: loop, since: before))
            }
        } sink: { activity throws(Fault) in
            let changed = activity.smoothed != shown
            services.take(activity, rate: source.statistics?.measuredRate, isChange: changed)
            shown = activity.smoothed
            if isWorn && !activity.isStill { labelled.take(activity) }
            kept?.note(activity.orientation)
            requests.note(activity.orientation)
            if changed { notifier.status(shown) }
            if changed || !changes || activity.isStill { try Console.print(lines.line(activity)) }
        }
        notifier.stopping()
        if loop.windows == 0 && !Interruption.stop.isRaised {
            log.notice(
                "\(loop.samples) samples are less than one window of \(Decimals.text(network.window, over: 50, places: 2)) s: no decision")
        }
        try report(Statistics(of: loop, since: before))
    }

    private func settings() throws(Fault) -> Settings {
        var settings = try place.load()
        try settings.override(\.source, origin.source)
        try settings.override(\.model, model.model)
        try settings.override(\.agreement, agreement)
        try settings.override(\.threshold, threshold)
        try settings.override(\.logLevel, logLevel)
        try worn.override(&settings)
        return settings
    }

    // One block is one hop: the processor wakes once for a decision.
    private func request(_ settings: Settings, _ network: Network, latency: Double) -> SensorRequest {
        var request = SensorRequest()
        (request.range, request.seconds, request.latency) = (settings.range, Double(network.hop) / 50, latency)
        return request
    }

    private func open(_ chosen: SourceSpecification, _ request: SensorRequest, _ log: Logger) throws(Fault) -> any SampleSource {
        try SharedSensor.open(chosen, cancellation: Interruption.stop, log: log, asking: request)
    }

    /// nil when asked to stop before there was a sensor.
    private func sensor(
        _ chosen: SourceSpecification, _ request: SensorRequest, _ notifier: inout ServiceNotifier, _ services: BackgroundServices,
        _ status: RunStatus, _ log: Logger
    ) throws(Fault) -> (any SampleSource)? {
        notifier.ready("waiting for the sensor")
        var fault = RepeatedFault(), chosen = chosen, request = request, wasReloaded = false
        // The rest of a configuration that was read again is for the loop.
        defer {
            if wasReloaded { Interruption.requestReload() }
            status.note { $0.waitsFor = nil }
        }
        repeat {
            if Interruption.reloadRequested() {
                notifier.reloading()
                do throws(Fault) {
                    let settings = try settings()
                    chosen = try origin.named(settings) ?? .iio(device: nil, uri: nil)
                    request.range = settings.range
                    wasReloaded = true
                    log.notice("configuration read again")
                } catch {
                    log.error("reload failed, all stays as it was: \(error)")
                }
                notifier.ready("waiting for the sensor")
            }
            do throws(Fault) {
                return try open(chosen, request, log)
            } catch  where error.code == .sensorUnavailable || error.code == .permission {
                if fault.isNew(error.message) { log.warning("\(error.message); waiting for it") }
                // Who has the sensor in this one's place leaves it then.
                let awaited: String? =
                    if error.condition == .sensorBusy, case .iio(let device, _) = chosen { device ?? "" } else { nil }
                status.note { $0.waitsFor = awaited }
            }
            notifier.progress()
            services.wait()
        } while !Interruption.stop.isRaised(within: 1000)
        return nil
    }

    // A model or configuration that is wrong leaves the loop as it was.
    private func reload(
        _ loop: inout ClassificationLoop, _ notifier: borrowing ServiceNotifier, _ log: Logger, _ services: BackgroundServices
    ) -> Network? {
        notifier.reloading()
        defer { notifier.ready(loop.source.name) }
        do throws(Fault) {
            let settings = try settings(), given = try model.load(settings)
            // A model that came over the air is newer than the configuration's.
            let network = services.updates?.proved ?? given
            let wearing = try ConfiguredWearing(settings, for: network)
            try loop.use(network, smoothing: Smoothing(settings, for: network))
            loop.use(wearing)
            services.updates?.use(network)
            log.notice("configuration and model read again; falls, hub, history and sensor are as they were until the next start")
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
