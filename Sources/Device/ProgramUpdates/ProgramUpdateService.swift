package import Fleet
package import HubProtocol
package import Logging
internal import ModelStore
internal import ServiceLifecycle
package import Settings
package import Support
internal import Synchronization
internal import Updates

/// Releases of gaitway itself that the hub rolls out: looked for, proved, fetched, and left for the installer, which runs as root.
package final class ProgramUpdateService: Service {
    /// The hub's name of them.
    package let name: String
    let plan: ProgramPlan
    private let log: Logger
    private let clock: ServiceClock
    /// Called when there is something to report.
    private let onChange: @Sendable () -> Void
    private let stop = Stop()
    private let wake = WakeEvent()
    private let thread = ServiceThread()
    private let schedule: Mutex<Schedule>

    private struct Schedule {
        /// When to look next, ns since boot.
        var next: Int64
        var isDue = true
        var backOff: BackOff
        /// What cannot be fetched or installed yet, and why.
        var deferral: (number: Int, reason: String)?
        /// What is not for this board, as it was found.
        var unfit: (number: Int, reason: String)?
        /// What waits for the installer, and since when, ns since boot.
        var request: (number: Int, at: Int64)?
        var state: ProgramState
    }

    package init(_ plan: ProgramPlan, log: Logger, clock: ServiceClock = .system, onChange: @escaping @Sendable () -> Void) {
        (self.plan, name, self.log, self.clock, self.onChange) = (plan, plan.name, log, clock, onChange)
        schedule = Mutex(
            Schedule(
                next: clock.sinceBoot(), backOff: BackOff(base: plan.retry, cap: max(plan.retry, 3600), jitter: .none),
                state: (try? ProgramState.read(plan.installed)) ?? ProgramState()))
    }

    /// nil where the settings name no releases, and where none can be taken: recognition goes on without them.
    package static func make(
        _ settings: Settings, hub: FleetClient?, log: Logger, onChange: @escaping @Sendable () -> Void
    ) -> ProgramUpdateService? {
        do throws(Fault) { return try ProgramPlan(settings, hub: hub).map { ProgramUpdateService($0, log: log, onChange: onChange) } } catch
        {
            log.error("releases of gaitway are not taken: \(error)")
            return nil
        }
    }

    package func run() async {
        thread.start { [self] in
            while !stop.isRaised { wake.wait(milliseconds: Int(turn(at: clock.sinceBoot()))) }
        }
        try? await gracefulShutdown()
        stop.raise()
        wake.raise()
        thread.join()
    }

    /// Looks for a release soon.
    package func check() {
        schedule.withLock { $0.isDue = true }
        wake.raise()
    }

    /// Notes what the installer did, looks for a release where that is due.
    ///
    /// - Parameter now: ns since boot.
    /// - Returns: until the next turn, ms.
    func turn(at now: Int64) -> Int64 {
        followInstaller(now)
        let isDue = schedule.withLock { schedule in
            defer { schedule.isDue = false }
            return schedule.request == nil && (now >= schedule.next || schedule.isDue && schedule.deferral == nil)
        }
        if isDue { look(now) }
        return schedule.withLock { $0.request == nil ? max(50, min(60_000, ($0.next - clock.sinceBoot()) / 1_000_000)) : 2000 }
    }

    // Its result is in its own file; where there is none after a while, nothing starts it.
    private func followInstaller(_ now: Int64) {
        let state: ProgramState
        do throws(Fault) { state = try ProgramState.read(plan.installed) } catch {
            log.warning("what became of releases is not known: \(error.message)")
            return
        }
        let isWaiting = Files.exists("\(plan.folder)/\(ProgramFolder.request)")
        let isNews = schedule.withLock { schedule in
            defer { schedule.state = state }
            var isNews = schedule.state != state
            if let request = schedule.request, !isWaiting, state.pending == nil {
                (schedule.request, isNews) = (nil, true)
                // Neither installed nor refused: it could not be tried now.
                if state.highest < request.number {
                    postpone(request.number, state.obstacle ?? "the installer could not install it", now, &schedule)
                }
            } else if let request = schedule.request, isWaiting, now - request.at > Self.patience {
                try? Files.remove("\(plan.folder)/\(ProgramFolder.request)")
                (schedule.request, isNews) = (nil, true)
                postpone(request.number, "nothing installs it: is gaitway-update.path enabled?", now, &schedule)
            }
            return isNews
        }
        if isNews { onChange() }
    }

    // ns that the installer may take to begin.
    private static let patience: Int64 = 900_000_000_000

    private func postpone(_ number: Int, _ reason: String, _ now: Int64, _ schedule: inout Schedule) {
        let wait = schedule.backOff.next()
        schedule.deferral = (number, reason)
        schedule.next = now + Int64(wait * 1e9)
        log.warning("release \(number) of gaitway is deferred for \(Int(wait)) s: \(reason)")
    }

    private func look(_ now: Int64) {
        let (highest, unfit) = schedule.withLock { schedule in
            schedule.next = now + Int64(plan.interval) * 1_000_000_000
            return (max(schedule.state.highest, plan.own), schedule.unfit?.number)
        }
        guard plan.quiet?.contain(clock.timeOfDay) != true else { return }
        let fetch = ProgramFetch(plan, now: clock.wall() / 1_000_000_000)
        var number = 0
        do throws(Fault) {
            guard let offer = try fetch.offer(above: max(highest, unfit ?? 0), unless: stop) else {
                schedule.withLock { schedule in
                    schedule.deferral = nil
                    schedule.backOff.reset()
                }
                return
            }
            number = offer.version ?? 0
            let release = try fetch.take(offer, unless: stop)
            schedule.withLock { schedule in
                schedule.backOff.reset()
                (schedule.deferral, schedule.unfit, schedule.request) = (nil, nil, (release.number, now))
            }
            log.notice("version \(release.version) of gaitway is here, and is tried before it is installed")
        } catch  where error.code == .badData || error.code == .permission {
            schedule.withLock { $0.unfit = (number, error.message) }
            log.warning("release \(number) of gaitway is refused: \(error.message)")
        } catch {
            if stop.isRaised { return }
            guard number > 0 else { return log.info("no release of gaitway could be looked for: \(error.message)") }
            schedule.withLock { postpone(number, error.message, now, &$0) }
        }
        onChange()
    }

    /// What became of releases, for heartbeats.
    package var report: ModelReport {
        let (state, deferral, unfit, request) = schedule.withLock { ($0.state, $0.deferral, $0.unfit, $0.request) }
        var report = state.report(as: name, own: plan.own)
        if let deferral { report.versions.insert(.init(version: deferral.number, state: .deferred, reason: deferral.reason), at: 0) }
        if let unfit { report.versions.insert(.init(version: unfit.number, state: .refused, reason: unfit.reason), at: 0) }
        if let request, state.pending == nil { report.versions.insert(.init(version: request.number, state: .shadow), at: 0) }
        return report
    }

    /// For `gaitway status`.
    package var description: JSONValue { report.json }
}
