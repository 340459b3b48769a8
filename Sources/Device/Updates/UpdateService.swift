internal import Fleet
package import Logging
package import ModelStore
package import NeuralNetwork
internal import ServiceLifecycle
package import Support
internal import Synchronization

/// New models while the board runs: fetched, proved, tried beside the old one, swapped in, watched, kept; or refused with the reason.
///
/// One thread does all that waits for disk or network (``turn(at:)``); the loop takes part through ``ModelExchange`` alone.
package final class UpdateService: Service {
    package let store: ModelStore
    package let exchange: ModelExchange
    /// The hub's name of it.
    package let model: String
    let plan: UpdatePlan
    let log: Logger
    let clock: ServiceClock
    // What runs without the store.
    private let base: Network
    let stop = Stop()
    private let schedule: Mutex<Schedule>
    // Its own thread and the control socket's both change the store.
    private let alone = Mutex(())
    private let thread = ServiceThread()
    /// Called when there is something to report.
    private let onChange: @Sendable () -> Void
    // Tells of dropped files while the service runs; nil where it cannot.
    private let watch = Mutex<DirectoryWatch?>(nil)
    // Seconds between two looks, whatever a source asks for.
    private static let shortestPause = 30
    // Seconds of one poll.
    private static let longestPoll = 30.0
    // Between looks for dropped files, ms.
    private var dropPause: Int64 { watch.withLock { $0 == nil ? 10_000 : 600_000 } }

    private struct Schedule {
        /// When to look next, ns since boot.
        var next: Int64
        var isDue = true
        var lookup: ModelLookup
        /// Whether it was said that the running model has expired.
        var isExpired = false
        /// Whether something is to be reported, and when at the earliest, ns since boot.
        var hasNews = false, nextReport: Int64 = 0
        /// Between polls that fail, and why the last one did.
        var failures: BackOff
        var fault = RepeatedFault()
        /// What is there and was not asked for yet, and what was.
        var offered: ModelOffer?, accepted: ModelOffer?
    }

    /// - Parameter candidate: what is to be tried first.
    package init(
        _ plan: UpdatePlan, store: ModelStore, base: Network, running: Network, candidate: Network?, log: Logger,
        clock: ServiceClock = .system,
        onChange: @escaping @Sendable () -> Void
    ) {
        (self.plan, self.store, self.log, self.clock, self.onChange, model) = (plan, store, log, clock, onChange, plan.model)
        self.base = base
        exchange = ModelExchange(running: running, plan.trial)
        let retry = Double(plan.retry)
        schedule = Mutex(
            Schedule(
                next: clock.sinceBoot(), lookup: ModelLookup(retry: retry),
                failures: BackOff(base: retry, cap: max(retry, 900), jitter: .none)))
        if let candidate { exchange.tryOut(candidate) }
    }

    package func run() async {
        thread.start { [self] in work() }
        try? await gracefulShutdown()
        stop.raise()
        exchange.wake()
        thread.join()
        for finding in exchange.takeFindings() { act(on: finding) }
        // What was being tried begins anew with the next start.
        attempt("the store could not be left in order") { () throws(Fault) in try store.pause() }
    }

    /// Looks for a new model soon.
    package func check() {
        schedule.withLock { $0.isDue = true }
        exchange.wake()
    }

    private func work() {
        let inbox = StoreFolder.inbox(store.directory)
        if !Files.isDirectory(inbox) { try? Files.makeDirectory(inbox) }
        let watch = DirectoryWatch(inbox)
        self.watch.withLock { $0 = watch }
        while !stop.isRaised {
            exchange.waitForFinding(milliseconds: Int(turn(at: clock.sinceBoot())), or: watch?.descriptor ?? -1)
            watch?.drain()
        }
    }

    /// Acts on what the loop found, takes dropped files, looks for a new model where that is due.
    ///
    /// - Parameter now: ns since boot.
    /// - Returns: until the next turn at the latest, ms: whatever concerns this thread wakes it, but for the next look and dropped files.
    func turn(at now: Int64) -> Int64 {
        for finding in exchange.takeFindings() { act(on: finding) }
        warnOfExpiry()
        while takeDropped() {}
        guard let source = plan.source else { return dropPause }
        let (isDue, hasNews) = schedule.withLock { schedule in
            defer { schedule.isDue = false }
            // What could not be used is not tried any sooner because the hub says that there is one.
            return (schedule.isDue && !schedule.lookup.isHeldBack || now >= schedule.next, schedule.hasNews && now >= schedule.nextReport)
        }
        if isDue {
            look(source)
        } else if hasNews, let pause = poll(source) {
            schedule.withLock { ($0.hasNews, $0.nextReport) = (true, clock.sinceBoot() + Int64(pause * 1e9)) }
        }
        let next = schedule.withLock { $0.hasNews ? min($0.next, $0.nextReport) : $0.next }
        return min(dropPause, max(50, (next - clock.sinceBoot()) / 1_000_000))
    }

    // It runs on: a board that decides nothing is of less use than one whose hub keeps new versions from it.
    private func warnOfExpiry() {
        let isExpired = isExpired
        let isNews = schedule.withLock { schedule in
            defer { schedule.isExpired = isExpired }
            return isExpired && !schedule.isExpired
        }
        guard isNews else { return }
        log.warning("the model that runs, version \(exchange.running.version), has expired: no newer one has come")
        onChange()
    }

    private var isExpired: Bool {
        exchange.running.expires.map { Int64($0) <= store.latest(clock.wall() / 1_000_000_000) } ?? false
    }

    private func look(_ source: any UpdateSource) {
        let failed = poll(source), usual = min(plan.interval, max(Self.shortestPause, source.pause ?? plan.interval))
        // A server may take long to answer: from now on.
        let now = clock.sinceBoot()
        schedule.withLock { $0.next = now + Int64(min(Double(plan.interval), failed ?? Double(usual)) * 1e9) }
        let status = store.status
        let isWanted = schedule.withLock { $0.accepted != nil }
        guard status.candidate == nil, !status.isPinned, isWanted || plan.quiet?.contain(clock.timeOfDay) != true else { return }
        var lookup = schedule.withLock { $0.lookup }
        let before = lookup.deferral, outcome = lookup.look(source, service: self, limit: NetworkFile.sizeLimit)
        schedule.withLock { [lookup] schedule in
            schedule.lookup = lookup
            if case .retry(let seconds) = outcome { schedule.next = now + Int64(seconds * 1e9) }
        }
        if lookup.deferral != before { noteNews() }
    }

    /// Asks the server, and reports.
    ///
    /// - Returns: seconds until it is to be tried again, more and more, where that failed.
    private func poll(_ source: any UpdateSource) -> Double? {
        schedule.withLock { $0.hasNews = false }
        let board = BoardOutcomes(store: store, base: base, obstacle: obstacle)
        do throws(Fault) {
            try Awaited.value(unless: stop) { () async throws(Fault) in
                try await Deadline.run(within: Self.longestPoll, "the answer of updates.source") { () async throws(Fault) in
                    try await source.poll(board)
                }
            }
            schedule.withLock { schedule in
                schedule.failures.reset()
                schedule.fault.clear()
            }
            return nil
        } catch {
            let (pause, isNew) = schedule.withLock { ($0.failures.next(), $0.fault.isNew(error.message)) }
            if isNew && !stop.isRaised { log.warning("updates.source: \(error)") }
            return pause
        }
    }

    // What keeps an offer from being fetched.
    private var obstacle: String? {
        if store.status.isPinned { return "the board's model is pinned" }
        if offered != nil { return "the model waits to be accepted" }
        if store.status.candidate != nil { return "another model is being tried" }
        if plan.quiet?.contain(clock.timeOfDay) == true { return "the model waits for the end of updates.quiet_hours" }
        return deferral.map { "the model is deferred: \($0.reason)" }
    }

    private func noteNews() {
        schedule.withLock { ($0.hasNews, $0.nextReport) = (true, 0) }
        exchange.wake()
        onChange()
    }

    /// What there is beyond the board's models, where it waits to be accepted; nil for nothing.
    package var offered: ModelOffer? { schedule.withLock { $0.offered } }

    /// Notes what a source has; whether it may be fetched.
    func mayFetch(_ offer: ModelOffer?) -> Bool {
        let (isNews, isWanted) = schedule.withLock { schedule in
            let isWanted = !plan.asks || offer == schedule.accepted, waits = isWanted ? nil : offer
            defer { schedule.offered = waits }
            if !isWanted { schedule.accepted = nil }
            return (waits != schedule.offered, isWanted)
        }
        if isNews {
            if !isWanted, let offer { log.notice("\(offer.name) waits to be accepted") }
            noteNews()
        }
        return isWanted
    }

    /// Fetches and tries what is offered.
    ///
    /// - Throws: `.usage` where nothing is.
    package func accept() throws(Fault) {
        let offer = schedule.withLock { schedule in
            schedule.accepted = schedule.offered
            // Also where the one before could not be used: somebody waits for this one.
            if schedule.accepted != nil { schedule.next = 0 }
            return schedule.accepted
        }
        guard offer != nil else { throw Fault(.usage, "no model waits to be accepted", remedy: "See gaitway status, and updates.ask.") }
        exchange.wake()
    }

    /// What could not be fetched yet, and why; nil for nothing.
    package var deferral: (offer: ModelOffer, reason: String)? { waiting.map { ($0.offer, $0.reason) } }

    private var waiting: ModelLookup.Deferral? { schedule.withLock { $0.lookup.deferral } }

    /// The board's models, for `gaitway status`.
    package var description: JSONValue {
        guard case .object(var members) = store.status.json else { return .null }
        if let deferral {
            members["deferred"] = .members([("version", JSONValue(deferral.offer.version)), ("reason", .string(deferral.reason))])
        }
        if let offered { members["offered"] = .members([("version", JSONValue(offered.version)), ("name", .string(offered.name))]) }
        if isExpired { members["expired"] = true }
        members["progress"] = exchange.progress.map { .number($0) }
        return .object(members)
    }

    // What the store refuses it remembers by itself.
    func refuse(_ offer: ModelOffer, _ reason: String) {
        log.warning("\(offer.name) is refused: \(reason)")
        attempt("the refusal could not be kept") { () throws(Fault) in
            if store.refusal(of: offer) == nil { try store.refuse(offer, reason) }
        }
        noteNews()
    }

    /// Proves a model and begins to try it.
    func take(_ bytes: [UInt8], _ signature: [UInt8]?, _ offer: ModelOffer, byHand: Bool = false) throws(Fault) {
        try alone.withLock { _ throws(Fault) in
            let network = try store.accept(
                bytes, signature, offer, running: exchange.running, now: clock.wall() / 1_000_000_000, byHand: byHand)
            log.notice("version \(network.version) is tried beside version \(exchange.running.version)")
            exchange.tryOut(network)
        }
        noteNews()
    }

    /// Takes a file that lies on this machine, at its owner's wish.
    ///
    /// - Parameter name: what to call it in messages.
    /// - Throws: those of proving it and of reading it.
    package func install(_ path: String, as name: String) throws(Fault) {
        try take(
            try Files.read(path, limit: NetworkFile.sizeLimit), try ModelSignature.read(beside: path), ModelOffer(name: name), byHand: true)
    }

    /// The model that came over the air and has proved itself; nil where that of the settings is the one.
    package var proved: Network? { store.status.current == nil ? nil : exchange.proved }

    /// The loop goes on with a network of its owner's choice; what is being tried begins anew.
    package func use(_ network: Network) {
        exchange.use(network)
        attempt("the trial could not begin anew") { () throws(Fault) in try store.pause() }
    }

    /// Goes back to the model before this one, between two windows.
    ///
    /// - Throws: those of ``ModelStore/rollBack()``.
    package func rollBack() throws(Fault) {
        try alone.withLock { _ throws(Fault) in
            try store.rollBack()
            exchange.goBack(to: try store.start(base: base).running)
        }
        noteNews()
    }

    package func pin(_ isPinned: Bool) throws(Fault) {
        try store.pin(isPinned)
        noteNews()
    }

    private func act(on finding: ModelExchange.Finding) {
        alone.withLock { _ in
            // Its owner may have gone back meanwhile.
            guard let version = store.status.candidate else { return }
            switch finding {
            case .shadowPassed:
                do throws(Fault) {
                    try store.promote()
                    exchange.promote()
                    log.notice("version \(version) decides from now on, on probation")
                } catch {
                    exchange.finish()
                    reject(version, "it could not be put on probation: \(error.message)")
                }
            case .probationPassed:
                exchange.finish()
                attempt("version \(version) could not be kept") { () throws(Fault) in try store.commit() }
                log.notice("version \(version) is this board's model")
            case .failed(let reason): reject(version, reason)
            }
        }
        noteNews()
    }

    private func reject(_ version: Int, _ reason: String) {
        log.warning("version \(version) is refused: \(reason)")
        attempt("the refusal could not be kept") { () throws(Fault) in try store.reject(reason) }
    }

    /// A file that somebody put into the store's inbox; whether there was one.
    private func takeDropped() -> Bool {
        let inbox = StoreFolder.inbox(store.directory)
        guard store.status.candidate == nil,
            let name = (try? Files.list(inbox))?.first(where: { $0.hasSuffix(".safetensors") && !$0.hasPrefix(".") })
        else { return false }
        let path = "\(inbox)/\(name)"
        do throws(Fault) { try install(path, as: path) } catch {
            log.warning("\(path) is refused: \(error.message)")
            onChange()
        }
        for done in [path, ModelSignature.path(of: path)] where Files.exists(done) { try? Files.remove(done) }
        // One that cannot be removed would be taken for ever.
        return !Files.exists(path)
    }

    private func attempt(_ what: String, _ body: () throws(Fault) -> Void) {
        do throws(Fault) { try body() } catch { log.error("\(what): \(error)") }
    }
}
