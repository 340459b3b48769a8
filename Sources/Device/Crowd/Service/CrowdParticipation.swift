package import CrowdLearning
internal import Fleet
package import Logging
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

/// Learning with others beside the loop: a gradient now and then, when the board's conditions hold. It is a process's whole work.
package final class CrowdParticipation: Sendable {
    private let participant: any CrowdParticipant
    private let conditions: CrowdConditions
    private let board: @Sendable () -> BoardState
    private let quiet: QuietHours?
    private let interval: Int
    private let clock: ServiceClock
    private let stop: Stop
    private let log: Logger
    private let report: @Sendable (JSONValue) -> Void
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

    /// With the registration of this board and what its configuration allows.
    ///
    /// - Parameters:
    ///   - samples: of the recordings in a directory.
    ///   - report: is called with ``status`` whenever it changes.
    /// - Throws: `.configuration` where the board is not registered or learning with others is off.
    package convenience init(
        _ settings: Settings, samples: (String) -> CrowdSamples, stop: Stop, log: Logger, report: @escaping @Sendable (JSONValue) -> Void
    ) throws(Fault) {
        guard settings.crowd.enabled else {
            throw Fault(.configuration, "this board does not learn with others", remedy: "crowd.enabled = true; or gaitway crowd train.")
        }
        var options = CrowdClient.Options(budget: PrivacyBudget.path, floor: PrivacyFloor(settings.crowd))
        // Whatever the server says, a gradient goes after each interval at the earliest, and a look a second.
        (options.timeout, options.leastInterval, options.spacing) = (.infinity, 1, Double(settings.crowd.interval))
        let fleet = try FleetClient(registeredIn: nil), database = try BoardCredentials.database(fleet, settings.crowd.database, stop: stop)
        try Files.makeDirectory(Places.state)
        // Held until the process ends.
        guard try FileLock(PrivacyBudget.path + ".participant") != nil else {
            throw Fault(.temporary, "another gaitway learns with others already, with \(Places.state)")
        }
        let budget = try PrivacyBudget.read(PrivacyBudget.path)
        let client = CrowdClient(database, options, cancellation: stop, log: log, samples: samples(settings.recordings)),
            device = fleet?.device ?? DeviceDescription()
        self.init(client, settings.crowd, stop: stop, log: log, report: report) {
            BoardState(battery: device.batteryLevel, isCharging: device.isCharging, temperature: device.temperature)
        }
        state.withLock { $0.report.budget = budget }
    }

    init(
        _ participant: any CrowdParticipant, _ settings: SettingValues.Crowd, stop: Stop, log: Logger, clock: ServiceClock = .system,
        report: @escaping @Sendable (JSONValue) -> Void = { _ in }, board: @escaping @Sendable () -> BoardState
    ) {
        (self.participant, self.stop, self.log, self.clock, self.board) = (participant, stop, log, clock, board)
        (quiet, interval, self.report) = (settings.quietHours, settings.interval, report)
        conditions = CrowdConditions(leastBattery: settings.minBattery, mostTemperature: Double(settings.maxTemperature))
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

    /// Takes part until it is stopped.
    ///
    /// - Throws: what people have to mend: samples, privacy, permissions.
    package func run() throws(Fault) {
        report(status)
        rest(0)
        do throws(Fault) {
            // One call for good: its samples are gone through without any that comes twice.
            _ = try participant.train(
                rounds: .max,
                progress: { [self] in take($0) },
                pace: { [self] in
                    say("the board learns with others")
                    rest(interval)
                })
        } catch {
            say("the board does not learn with others: \(error)", as: .warning)
            throw error
        }
    }

    private func take(_ report: CrowdClient.Report) {
        let isNew = state.withLock { state in
            let before = state
            state.report = report
            // Nothing was given away before the first look.
            if report.budget.checkIns == 0 { state.report.budget = before.report.budget }
            if let obstacle = report.obstacle { state.doing = "the crowd is waited for: \(obstacle)" }
            return state != before
        }
        if isNew { self.report(status) }
    }

    private func say(_ text: String, as level: Logger.Level = .notice) {
        let isNew = state.withLock { state in
            defer { state.doing = text }
            return state.doing != text
        }
        guard isNew else { return }
        log.log(level: level, "\(text)")
        report(status)
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
