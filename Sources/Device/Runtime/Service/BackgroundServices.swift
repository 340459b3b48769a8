package import Doors
package import Fleet
package import History
package import Ledger
package import Logging
package import NeuralNetwork
package import ProgramUpdates
package import Recognition
internal import Sensing
internal import ServiceLifecycle
internal import Settings
internal import Support
package import Updates
package import Upload

/// What runs beside the loop and must never hold it up: recording, uploads, heartbeats, new models, learning with others, the control
/// socket; each where it is set up.
package final class BackgroundServices {
    package let updates: UpdateService?
    package let stream = LocalStream()
    private let status: RunStatus
    private let uploads: UploadService?
    private let events: EventService?
    private let control: ControlServer?
    private let history: HistoryService?
    private let falls: FallWatch
    private let home: MQTTService?
    private let clock: RunClock
    private let ledger: PrivacyLedger
    private let log: Logger
    // nil where nothing is set up: no thread more than the loop needs.
    private let services: (group: ServiceGroup, running: Task<Void, Never>)?
    private var model: RecordedModel
    private var posture = LastingPosture()
    /// ns without movement after which the sensor may sleep; nil: never.
    package var sleepsAfter: Int64?
    /// Whether windows are labelled as they come.
    package var isLabelling = false

    package struct Setup {
        package var uploads: (plan: UploadPlan, store: OpenStore)?
        package var models: BoardModels
        package var programs: ProgramUpdateService?
        package var fleet: FleetClient?
        package var crowd: CrowdProcess?
        package var reportsActivities = true
        package var falls: FallWatch
        package var history: HistoryService?
        package var home: MQTTService?
        package var metrics: MetricsService?
        package var ledger: PrivacyLedger
        /// Whether windows come as time goes.
        package var isLive: Bool
        /// When those of a recording or simulated wearer begin, ms since 1970.
        package var began: Int64
        /// Whether windows come as fast as they are taken.
        package var waits: Bool
        /// Whether it answers at the control socket.
        package var answers = true
        /// Of the program.
        package var version: String

        package init(
            models: BoardModels, falls: FallWatch, ledger: PrivacyLedger, isLive: Bool, began: Int64, waits: Bool, version: String
        ) {
            (self.models, self.falls, self.isLive, self.waits, self.version) = (models, falls, isLive, waits, version)
            (self.began, self.ledger) = (began, ledger)
        }
    }

    package init(_ setup: Setup, status: RunStatus, log: Logger) {
        let updates = setup.models.updates, client = setup.fleet, spool = setup.uploads?.plan.directory
        (self.status, self.updates, history, falls) = (status, updates, setup.history, setup.falls)
        (home, ledger, self.log) = (setup.home, setup.ledger, log)
        clock = RunClock(isLive: setup.isLive, began: setup.began)
        let began = setup.isLive ? nil : setup.began
        uploads = setup.uploads.map {
            UploadService($0.plan, to: $0.store, ledger: setup.ledger, began: began, waits: setup.waits, log: log)
        }
        events = setup.reportsActivities ? client.map { EventService($0, log: log) } : nil
        var services: [any Service] = []
        if let uploads { services.append(uploads) }
        if let updates { services.append(updates) }
        if let events { services.append(events) }
        if let crowd = setup.crowd { services.append(crowd) }
        if let metrics = setup.metrics { services.append(metrics) }
        let programs = setup.programs
        if let programs { services.append(programs) }
        if let client {
            services.append(
                FleetService(client, status: status, updates: updates, programs: programs, falls: falls, spool: spool, log: log))
        }
        let answers = ControlAnswers(
            status: status, updates: updates, programs: programs, client: client, crowd: setup.crowd, falls: falls, spool: spool,
            stream: stream,
            ledger: setup.ledger,
            events: events, uploads: uploads, version: setup.version)
        control = setup.waits || !setup.answers ? nil : Self.listen(answers, log)
        // The first heartbeat names the model.
        status.note { ($0.model, $0.labels) = (setup.models.network.version, setup.models.network.labels) }
        self.services = Self.start(services)
        model = RecordedModel(setup.models.network)
        use(setup.models.network)
        if let latest = falls.latest { stream.take(latest) }
        falls.tell { [stream, history, events, status, home] report in
            stream.take(report)
            home?.take(report.state)
            history?.take(report.state, at: report.at)
            events?.take(fall: report.state, at: report.at)
            status.heartbeat.fire()
        }
    }

    /// The way to the hub; nil where the board is not registered. A registration that cannot be read is logged, and nothing stops for it.
    package static func fleetClient(_ log: Logger) -> FleetClient? {
        do throws(Fault) { return try FleetClient(registeredIn: nil) } catch {
            log.warning("no heartbeats are sent: \(error)")
            return nil
        }
    }

    // The loop has the signals; it ends the services after itself.
    private static func start(_ services: [any Service]) -> (group: ServiceGroup, running: Task<Void, Never>)? {
        if services.isEmpty { return nil }
        let log = Logger(label: "gaitway.services") { _ in SwiftLogNoOpLogHandler() }
        let each = services.map {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore)
        }
        let group = ServiceGroup(configuration: .init(services: each, logger: log))
        return (group, Task { try? await group.run() })
    }

    private static func listen(_ answers: ControlAnswers, _ log: Logger) -> ControlServer? {
        do throws(Fault) { return try ControlServer { answers.reply($0, $1) } } catch {
            log.info("there is no `gaitway status` for this run: \(error.message)")
            return nil
        }
    }

    /// The loop goes on with another network.
    package func use(_ network: Network) {
        model = RecordedModel(network)
        stream.use(network)
        status.note { ($0.model, $0.hop, $0.labels) = (network.version, network.hop, network.labels) }
    }

    /// Between two windows: what was decided elsewhere takes effect.
    package func step(_ loop: inout ClassificationLoop) {
        status.note { ($0.samples, $0.isStill) = (loop.samples, loop.isStill) }
        stream.take(loop.block, of: loop.source)
        let now = clock.moment(at: loop.time, waited: loop.block.waited / 1_000_000)
        while let (event, age) = loop.takeFall() { falls.take(event, age: age, now: now) }
        falls.tick(now)
        // Who reads samples wants them always, and whether somebody gets up is told by samples.
        loop.source.sleep(afterStill: stream.isReadForSamples || falls.mayChange ? nil : sleepsAfter)
        loop.source.gather(posture.lasts && !stream.isRead && !falls.mayChange && !isLabelling)
        guard let network = updates?.exchange.step(&loop) else { return }
        use(network)
    }

    /// - Parameter rate: as measured, mHz.
    package func take(_ activity: Activity, rate: Int?, isChange: Bool) {
        stream.take(activity, isChange: isChange)
        posture.take(activity)
        let now = clock.moment(at: activity.end, waited: activity.waited)
        history?.take(
            activity.smoothed, at: now, steps: activity.steps, cadence: activity.cadence, movement: activity.movement,
            isStill: activity.isStill)
        falls.take(activity: activity.smoothed, now: now)
        guard !activity.isStill else { return } // no window
        uploads?.take(activity, by: model)
        updates?.exchange.take(activity)
        if isChange { events?.take(activity: activity.smoothed, confidence: activity.confidence, waited: activity.waited) }
        let steps = history?.stepsToday
        stream.take(steps: activity.steps, cadence: activity.cadence, today: steps)
        status.note { ($0.orientation, $0.placement, $0.steps) = (activity.orientation, activity.placement, steps) }
        status.noteWindow(activity.smoothed, confidence: activity.confidence, rate: rate)
        status.note { $0.cadence = activity.cadence }
        if isChange || activity.steps > 0 { home?.change() }
    }

    /// There is no sensor yet, and time goes on.
    package func wait() { falls.tick(clock.moment(at: 0)) }

    package func stop() {
        control?.stop()
        defer {
            history?.finish()
            home?.finish()
            do throws(Fault) { try ledger.save() } catch {
                log.warning("what left this board in the last minutes is not written down: \(error.message)")
            }
        }
        guard let (group, running) = services else { return }
        try? Awaited.value { () async throws(Fault) in
            await group.triggerGracefulShutdown()
            await running.value
        }
    }
}

extension RecordedModel {
    fileprivate init(_ network: Network) {
        self.init(labels: network.labels, version: network.version, window: network.window, hop: network.hop)
    }
}
