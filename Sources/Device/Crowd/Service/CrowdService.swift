package import CrowdLearning
package import Fleet
package import Logging
internal import ServiceLifecycle
package import Settings
package import Support
internal import Synchronization

/// What takes part in a crowd: sends gradients until so many count.
package protocol CrowdParticipant: Sendable {
    /// - Parameters:
    ///   - progress: called with each look at the database.
    ///   - pace: called after each gradient that counts; may wait.
    func train(rounds: Int, progress: (CrowdClient.Report) -> Void, pace: (() -> Void)?) throws(Fault) -> CrowdClient.Report
}

extension CrowdClient: CrowdParticipant {}

/// Learning with others beside the loop: a gradient now and then, at low priority, when the board's conditions hold.
package final class CrowdService: Service {
    private let participant: any CrowdParticipant
    private let conditions: CrowdConditions
    private let board: @Sendable () -> BoardState
    private let quiet: QuietHours?
    private let interval: Int
    private let clock: ServiceClock
    private let stop: Stop
    private let log: Logger
    private let state = Mutex((doing: "it has just begun", report: CrowdClient.Report()))

    /// What the conditions look at.
    package struct BoardState: Sendable {
        /// Percent; nil without a battery.
        package var battery: Int?
        package var isCharging: Bool?
        /// Degrees Celsius.
        package var temperature: Double?

        package init(battery: Int? = nil, isCharging: Bool? = nil, temperature: Double? = nil) {
            (self.battery, self.isCharging, self.temperature) = (battery, isCharging, temperature)
        }
    }

    /// For `gaitway status`.
    package var status: JSONValue {
        let (doing, report) = state.withLock { $0 }
        return .members([
            ("doing", .string(doing)), ("counted", .integer(report.counted)), ("stale", .integer(report.stale)),
            ("iteration", .integer(report.iteration)),
            ("check_ins", .integer(report.budget.checkIns)),
            ("epsilon", report.budget.unbounded == 0 ? .number(report.budget.epsilon) : nil),
        ])
    }

    /// nil where it is off. What is wrong with its settings is logged, and nothing stops for it.
    ///
    /// - Parameter samples: of the recordings in a directory.
    package static func make(_ settings: Settings, fleet: FleetClient?, samples: (String) -> CrowdSamples, log: Logger) -> CrowdService? {
        guard settings.crowd.enabled else { return nil }
        do throws(Fault) {
            var options = CrowdClient.Options(budget: PrivacyBudget.path, floor: PrivacyFloor(settings.crowd))
            options.timeout = .infinity
            let stop = Stop(), database = try BoardCredentials.database(fleet, settings.crowd.database, stop: stop)
            try Files.makeDirectory(Places.state)
            let client = CrowdClient(database, options, cancellation: stop, log: log, samples: samples(settings.recordings)),
                device = fleet?.device ?? DeviceDescription()
            return CrowdService(client, settings.crowd, stop: stop, log: log) {
                BoardState(battery: device.batteryLevel, isCharging: device.isCharging, temperature: device.temperature)
            }
        } catch {
            log.warning("the board does not learn with others: \(error)")
            return nil
        }
    }

    init(
        _ participant: any CrowdParticipant, _ settings: SettingValues.Crowd, stop: Stop, log: Logger, clock: ServiceClock = .system,
        board: @escaping @Sendable () -> BoardState
    ) {
        (self.participant, self.stop, self.log, self.clock, self.board) = (participant, stop, log, clock, board)
        (quiet, interval) = (settings.quietHours, settings.interval)
        conditions = CrowdConditions(leastBattery: settings.minBattery, mostTemperature: Double(settings.maxTemperature))
    }

    package func run() async {
        let worker = Worker.start(isPolite: true) { [self] in work() }
        try? await gracefulShutdown()
        stop.raise()
        worker.join()
    }

    /// Takes part until it is stopped, or something goes wrong that people have to mend.
    func work() {
        rest(0)
        do throws(Fault) {
            // One call for good: its samples are gone through without any that comes twice.
            _ = try participant.train(
                rounds: .max, progress: { [self] report in state.withLock { $0.report = report } },
                pace: { [self] in
                    say("the board learns with others")
                    rest(interval)
                })
        } catch {
            // Samples, privacy and permissions are mended by people.
            say("the board learns no more with others: \(error)", as: .warning)
        }
    }

    private func say(_ text: String, as level: Logger.Level = .notice) {
        let isNew = state.withLock { state in
            defer { state.doing = text }
            return state.doing != text
        }
        if isNew { log.log(level: level, "\(text)") }
    }

    private func rest(_ seconds: Int) {
        IdleMemory.giveBack()
        stop.isRaised(within: seconds * 1000)
        while !stop.isRaised, let obstacle {
            say("the board does not learn with others just now: \(obstacle)")
            stop.isRaised(within: 60_000)
        }
    }

    /// Why not now; nil when it may.
    var obstacle: String? {
        if quiet?.contain(clock.timeOfDay) == true { return "these are quiet hours" }
        let board = board()
        return conditions.obstacle(battery: board.battery, isCharging: board.isCharging, temperature: board.temperature)
    }
}

extension PrivacyBudget {
    /// Where this device writes down what it has given away.
    package static var path: String { Places.state + "/crowd-privacy.json" }
}
