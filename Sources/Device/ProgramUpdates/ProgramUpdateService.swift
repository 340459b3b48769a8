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
    private let decides: @Sendable () -> Bool
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
        /// After what could not be fetched, and after what could not be installed.
        var fetches: BackOff, installations = BackOff(base: 900, cap: 86_400, jitter: .none)
        /// What cannot be fetched or installed yet, and why.
        var deferral: (number: Int, reason: String)?
        /// What is not for this board, and when that was found, ns since boot.
        var unfit: (number: Int, reason: String, at: Int64)?
        var request: Request?
        var state: ProgramState
    }

    /// What waits for the installer.
    private struct Request {
        var number: Int
        /// ns since boot.
        var at: Int64
        /// The installer's count of answers by then.
        var answered: Int
    }

    /// - Parameter decides: whether the board decides at present: only then can be seen whether another version does.
    package init(
        _ plan: ProgramPlan, log: Logger, clock: ServiceClock = .system, decides: @escaping @Sendable () -> Bool,
        onChange: @escaping @Sendable () -> Void
    ) {
        (self.plan, name, self.log, self.clock, self.decides, self.onChange) = (plan, plan.name, log, clock, decides, onChange)
        schedule = Mutex(
            Schedule(
                next: clock.sinceBoot(), fetches: BackOff(base: plan.retry, cap: max(plan.retry, 3600), jitter: .none),
                state: (try? ProgramState.read(plan.installed)) ?? ProgramState()))
    }

    /// nil where the settings name no releases, and where none can be taken: recognition goes on without them.
    package static func make(
        _ settings: Settings, hub: FleetClient?, log: Logger, decides: @escaping @Sendable () -> Bool,
        onChange: @escaping @Sendable () -> Void
    ) -> ProgramUpdateService? {
        do throws(Fault) {
            guard let plan = try ProgramPlan(settings, hub: hub) else { return nil }
            return ProgramUpdateService(plan, log: log, decides: decides, onChange: onChange)
        } catch {
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
            guard schedule.request == nil, schedule.state.pending == nil else { return false }
            return now >= schedule.next || schedule.isDue && schedule.deferral == nil
        }
        if isDue { look(now) }
        return schedule.withLock { schedule in
            let isBusy = schedule.request != nil || schedule.state.pending != nil
            return isBusy ? 2000 : max(50, min(60_000, (schedule.next - clock.sinceBoot()) / 1_000_000))
        }
    }

    // What came of a request is in the installer's own file.
    private func followInstaller(_ now: Int64) {
        guard let state = try? ProgramState.read(plan.installed) else { return }
        let isNews = schedule.withLock { schedule in
            defer { schedule.state = state }
            var isNews = schedule.state != state
            guard let request = schedule.request, state.pending == nil else { return isNews }
            if state.answered != request.answered {
                (schedule.request, isNews) = (nil, true)
                if state.highest >= request.number {
                    schedule.installations.reset()
                } else {
                    let wait = schedule.installations.next()
                    postpone(request.number, state.obstacle ?? "it could not be installed", wait, now, &schedule)
                }
            } else if now - request.at > Self.patience {
                try? Files.remove("\(plan.folder)/\(ProgramFolder.request)")
                (schedule.request, isNews) = (nil, true)
                let wait = schedule.installations.next()
                postpone(request.number, "nothing installs it: is gaitway-update.path enabled?", wait, now, &schedule)
            }
            return isNews
        }
        if isNews { onChange() }
    }

    // ns that the installer may take to say that it has begun.
    private static let patience: Int64 = 900_000_000_000
    // ns after which what was not for this board is looked at again: the board may have changed.
    private static let unfitFor: Int64 = 6 * 3600 * 1_000_000_000

    private func postpone(_ number: Int, _ reason: String, _ wait: Double, _ now: Int64, _ schedule: inout Schedule) {
        schedule.deferral = (number, reason)
        schedule.next = now + Int64(wait * 1e9)
        log.warning("version \(ProgramRelease.version(of: number)) of gaitway is deferred for \(Int(wait)) s: \(reason)")
    }

    private func look(_ now: Int64) {
        let highest = schedule.withLock { schedule in
            schedule.next = now + Int64(plan.interval) * 1_000_000_000
            if let unfit = schedule.unfit, now - unfit.at > Self.unfitFor { schedule.unfit = nil }
            return max(schedule.state.highest, plan.own, schedule.unfit?.number ?? 0)
        }
        guard plan.quiet?.contain(clock.timeOfDay) != true else { return }
        let fetch = ProgramFetch(plan, now: clock.wall() / 1_000_000_000), offer: ModelOffer?
        do throws(Fault) { offer = try fetch.offer(above: highest, unless: stop) } catch {
            return log.info("no release of gaitway could be looked for: \(error.message)")
        }
        guard let offer, let number = offer.version else {
            schedule.withLock { schedule in
                schedule.deferral = nil
                schedule.fetches.reset()
            }
            return
        }
        take(offer, number, fetch, now)
        onChange()
    }

    private func take(_ offer: ModelOffer, _ number: Int, _ fetch: ProgramFetch, _ now: Int64) {
        do throws(Fault) {
            guard decides() else { throw Fault(.temporary, "the board decides nothing at present") }
            let release: ProgramRelease
            switch try fetch.proved(offer, unless: stop) {
            case .unfit(let reason):
                schedule.withLock { $0.unfit = (number, reason, now) }
                return log.warning("version \(ProgramRelease.version(of: number)) of gaitway is not taken: \(reason)")
            case .proved(let files):
                try fetch.leave(files, unless: stop)
                release = files.release
            }
            schedule.withLock { schedule in
                schedule.fetches.reset()
                (schedule.deferral, schedule.unfit) = (nil, nil)
                schedule.request = Request(number: number, at: now, answered: schedule.state.answered)
            }
            log.notice("version \(release.version) of gaitway is here, and is tried before it is installed")
        } catch {
            if stop.isRaised { return }
            schedule.withLock { schedule in
                let wait = schedule.fetches.next()
                postpone(number, error.message, wait, now, &schedule)
            }
        }
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
