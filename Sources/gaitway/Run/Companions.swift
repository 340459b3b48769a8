import Agent
import Fleet
import Logging
import Models
import Recognition
import Sensing
import ServiceLifecycle
import Support
import Upload

/// What runs beside the loop and must never hold it up: recording, uploads, heartbeats, new models, learning with others, the control socket; each where it is set up.
final class Companions {
    let status: RunStatus
    let updates: UpdateService?
    private let uploads: UploadService?
    private let telemetry: TelemetryService?
    private let control: ControlServer?
    // nil where nothing is set up: no thread more than the loop needs.
    private let services: (group: ServiceGroup, running: Task<Void, Never>)?
    private var model: RecordedModel

    /// - Parameters:
    ///   - isLive: whether windows come as time goes.
    ///   - waits: whether windows come as fast as they are taken.
    init(
        _ plan: UploadPlan?, _ models: BoardModels, fleet client: FleetClient?, crowd: CrowdService?, tellsActivities: Bool, isLive: Bool, waits: Bool, status: RunStatus, log: Logger
    ) {
        let updates = models.updates
        (self.status, self.updates) = (status, updates)
        uploads = plan.map { UploadService($0, isLive: isLive, waits: waits, log: log) }
        telemetry = tellsActivities ? client.map { TelemetryService($0, log: log) } : nil
        var services: [any Service] = []
        if let uploads { services.append(uploads) }
        if let updates { services.append(updates) }
        if let telemetry { services.append(telemetry) }
        if let crowd { services.append(crowd) }
        if let client { services.append(FleetService(client, status: status, updates: updates, spool: plan?.directory, log: log)) }
        let answers = ControlAnswers(status: status, updates: updates, client: client, crowd: crowd, spool: plan?.directory)
        control = waits ? nil : Self.listen(answers, log)
        self.services = Self.start(services)
        model = RecordedModel(models.network)
        use(models.network)
    }

    // The loop has the signals; it ends the services after itself.
    private static func start(_ services: [any Service]) -> (group: ServiceGroup, running: Task<Void, Never>)? {
        if services.isEmpty { return nil }
        let log = Logger(label: "gaitway.services") { _ in SwiftLogNoOpLogHandler() }
        let each = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore) }
        let group = ServiceGroup(configuration: .init(services: each, logger: log))
        return (group, Task { try? await group.run() })
    }

    private static func listen(_ answers: ControlAnswers, _ log: Logger) -> ControlServer? {
        do throws(Fault) { return try ControlServer { answers.answer($0) } } catch {
            log.info("there is no `gaitway status` for this run: \(error.message)")
            return nil
        }
    }

    /// The loop goes on with another network.
    func use(_ network: Network) {
        model = RecordedModel(network)
        status.note { ($0.model, $0.hop) = (network.version, network.hop) }
    }

    /// Between two windows: what was decided elsewhere takes effect.
    func step(_ loop: inout ClassificationLoop) {
        status.note { $0.samples = loop.samples }
        guard let network = updates?.exchange.step(&loop) else { return }
        use(network)
    }

    /// - Parameter rate: as measured, mHz.
    func saw(_ activity: Activity, rate: Int?, isChange: Bool) {
        uploads?.take(activity, by: model)
        updates?.exchange.saw(activity)
        if isChange { telemetry?.take(activity) }
        status.note { now in
            (now.activity, now.confidence, now.rate) = (activity.smoothed, activity.confidence, rate)
            now.windows += 1
            now.lastWindow = (SystemTime.sinceBoot, SystemTime.wallTime)
        }
    }

    func stop() {
        control?.stop()
        guard let (group, running) = services else { return }
        try? Awaited.value { () async throws(Fault) in
            await group.triggerGracefulShutdown()
            await running.value
        }
    }
}

extension RecordedModel {
    fileprivate init(_ network: Network) { self.init(labels: network.labels, version: network.version, window: network.window, hop: network.hop) }
}
