import Agent
import Crowd
import CrowdLearning
import Fleet
import Logging
import ServiceLifecycle
import Support
import Synchronization
import Upload

/// Learning with others beside the loop: a gradient now and then, at low priority, when the board's conditions hold.
final class CrowdService: Service {
    private let client: CrowdClient
    private let device: DeviceInfo
    private let conditions: CrowdConditions
    private let quiet: QuietHours?
    private let interval: Int
    private let stopping: StopFlag
    private let ended = Signal()
    private let log: Logger
    private let state = Mutex((doing: "it has just begun", report: CrowdClient.Report()))

    /// For `gaitway status`.
    var status: JSONValue {
        let (doing, report) = state.withLock { $0 }
        return .members([
            ("doing", .string(doing)), ("counted", .integer(report.counted)), ("stale", .integer(report.stale)), ("iteration", .integer(report.iteration)),
            ("check_ins", .integer(report.budget.checkIns)), ("epsilon", report.budget.unbounded == 0 ? .number(report.budget.epsilon) : nil),
        ])
    }

    /// nil where it is off. What is wrong with its settings is told, and nothing stops for it.
    static func make(_ configuration: Configuration, fleet: FleetClient?, log: Logger) -> CrowdService? {
        guard configuration[.crowdEnabled]?.text == "true" else { return nil }
        do throws(Fault) { return try CrowdService(configuration, fleet, log) } catch {
            log.warning("the board does not learn with others: \(error)")
            return nil
        }
    }

    private init(_ configuration: Configuration, _ fleet: FleetClient?, _ log: Logger) throws(Fault) {
        func number(_ setting: Setting) -> Double? { configuration[setting].flatMap { Double($0.text) } }
        var conditions = CrowdConditions(), options = CrowdClient.Options(budget: CrowdOptions.budget)
        (conditions.leastBattery, conditions.mostTemperature) = (Int(number(.crowdBattery) ?? 80), number(.crowdTemperature) ?? 70)
        (options.epsilonLimit, options.timeout) = (number(.crowdEpsilon), .infinity)
        quiet = try configuration[.crowdQuietHours].map { value throws(Fault) in try QuietHours(value.text) }
        (self.conditions, interval, self.log, stopping) = (conditions, Int(number(.crowdInterval) ?? 300), log, StopFlag())
        let database = try BoardCredentials.database(fleet, configuration[.crowdDatabase]?.text, cancellation: stopping), recordings = configuration[.recordings]?.text ?? "recordings"
        try Files.makeDirectory(Places.state)
        client = CrowdClient(database, options, cancellation: stopping, log: log, samples: OwnSamples.from(recordings))
        device = fleet?.device ?? DeviceInfo()
    }

    func run() async {
        let worker = Worker.start(isPolite: true) { [self] in work() }
        try? await gracefulShutdown()
        stopping.raise()
        ended.raise()
        worker.join()
    }

    private func work() {
        func tell(_ text: String, as level: Logger.Level = .notice) {
            let isNew = state.withLock { state in
                defer { state.doing = text }
                return state.doing != text
            }
            if isNew { log.log(level: level, "\(text)") }
        }
        func rest(_ seconds: Int) {
            IdleMemory.giveBack()
            ended.wait(milliseconds: seconds * 1000)
            while !stopping.isRaised, let obstacle {
                tell("the board does not learn with others just now: \(obstacle)")
                ended.wait(milliseconds: 60_000)
            }
        }
        rest(0)
        do throws(Fault) {
            // One call for good: its samples are gone through without any that comes twice.
            _ = try client.train(
                rounds: .max, progress: { [self] report in state.withLock { $0.report = report } },
                pace: { [self] in
                    tell("the board learns with others")
                    rest(interval)
                })
        } catch {
            // Samples, privacy and permissions are mended by people.
            tell("the board learns no more with others: \(error)", as: .warning)
        }
    }

    private var obstacle: String? {
        if quiet?.contain(.now) == true { return "these are quiet hours" }
        return conditions.obstacle(battery: device.batteryLevel, isCharging: device.isCharging, temperature: device.temperature)
    }
}
