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
        /// After what could not be fetched.
        var fetches: BackOff
        /// What cannot be fetched or installed yet, why, and until when it waits, ns since boot. A newer one does not wait.
        var deferral: (number: Int, reason: String, until: Int64)?
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
        // What could not be installed waits over a restart, too: installing starts this program anew.
        schedule.withLock { schedule in
            let state = schedule.state
            waitForInstaller(state, clock.sinceBoot(), &schedule)
        }
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

    /// Looks for a release soon, unless it is the one that waits.
    ///
    /// - Parameter number: of the release that the hub announces.
    package func check(_ number: Int) {
        let isNew = schedule.withLock { schedule in
            guard number != schedule.deferral?.number else { return false }
            schedule.isDue = true
            return true
        }
        if isNew { wake.raise() }
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
            return now >= schedule.next || schedule.isDue
        }
        if isDue { look(now) }
        return schedule.withLock { schedule in
            let isBusy = schedule.request != nil || schedule.state.pending != nil
            return isBusy ? 2000 : max(50, min(60_000, (schedule.next - clock.sinceBoot()) / 1_000_000))
        }
    }

    // What came of a request is in the installer's own file.
    private func followInstaller(_ now: Int64) {
        let found = try? ProgramState.read(plan.installed)
        let isNews = schedule.withLock { schedule in
            let state = found ?? schedule.state, wasNews = schedule.state != state
            schedule.state = state
            guard let request = schedule.request, state.pending == nil else { return wasNews }
            if state.answered != request.answered {
                schedule.request = nil
                guard state.highest < request.number else { return true }
                if !waitForInstaller(state, now, &schedule) {
                    postpone(request.number, state.obstacle ?? "it could not be installed", Self.leastWait, now, &schedule)
                }
            } else if now - request.at > Self.patience {
                try? Files.remove("\(plan.folder)/\(ProgramFolder.request)")
                schedule.request = nil
                let text = "gaitway-update.service has not answered: is gaitway-update.path enabled?"
                postpone(request.number, text, Self.leastWait, now, &schedule)
            } else {
                return wasNews
            }
            return true
        }
        if isNews { onChange() }
    }

    // Whether something that was tried before waits; it is deferred then.
    @discardableResult
    private func waitForInstaller(_ state: ProgramState, _ now: Int64, _ schedule: inout Schedule) -> Bool {
        guard state.pending == nil, let waiting = state.waiting else { return false }
        // A clock that jumped makes it no longer than it is.
        let passed = max(0, Double(clock.wall()) / 1e9 - state.answeredAt)
        postpone(waiting.number, state.obstacle ?? "it could not be installed", max(0, waiting.seconds - passed), now, &schedule)
        return true
    }

    // s before what was not even tried is asked for again.
    private static let leastWait = 900.0
    // ns that the installer may take to say that it has begun.
    private static let patience: Int64 = 900_000_000_000
    // ns after which what was not for this board is looked at again: the board may have changed.
    private static let unfitFor: Int64 = 6 * 3600 * 1_000_000_000

    private func postpone(_ number: Int, _ reason: String, _ wait: Double, _ now: Int64, _ schedule: inout Schedule) {
        let until = now + Int64(wait * 1e9)
        schedule.deferral = (number, reason, until)
        schedule.next = min(until, max(schedule.next, now + Int64(plan.interval) * 1_000_000_000))
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
        let waits = schedule.withLock { schedule in
            guard let deferral = schedule.deferral, deferral.number == number, now < deferral.until else { return false }
            schedule.next = min(schedule.next, deferral.until)
            return true
        }
        if waits { return }
        take(offer, number, fetch, now)
        onChange()
    }

    private func take(_ offer: ModelOffer, _ number: Int, _ fetch: ProgramFetch, _ now: Int64) {
        do throws(Fault) {
            let release: ProgramRelease
            switch try fetch.proved(offer, unless: stop) {
            case .unfit(let reason):
                schedule.withLock { ($0.unfit, $0.deferral) = ((number, reason, now), nil) }
                return log.warning("version \(ProgramRelease.version(of: number)) of gaitway is not taken: \(reason)")
            case .proved(let files):
                guard decides() else { throw Fault(.temporary, "the board decides nothing at present") }
                try fetch.fetch(files, unless: stop)
                // What is answered from here on is this request.
                let answered = try ProgramState.read(plan.installed).answered
                try fetch.leave(files)
                release = files.release
                schedule.withLock { schedule in
                    schedule.fetches.reset()
                    (schedule.deferral, schedule.unfit) = (nil, nil)
                    schedule.request = Request(number: number, at: now, answered: answered)
                }
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
        if let deferral, deferral.number > state.highest {
            report.versions.insert(.init(version: deferral.number, state: .deferred, reason: deferral.reason), at: 0)
        }
        if let unfit, unfit.number > state.highest {
            report.versions.insert(.init(version: unfit.number, state: .refused, reason: unfit.reason), at: 0)
        }
        if let request, state.pending == nil { report.versions.insert(.init(version: request.number, state: .shadow), at: 0) }
        return report
    }

    /// For `gaitway status`.
    package var description: JSONValue { report.json }
}
