import Agent
import Fleet
import Logging
import Models
import ServiceLifecycle
import Support
import Synchronization
import Upload

/// New models while the board runs: fetched, proved, tried beside the old one, swapped in, watched, kept; or refused with the reason.
///
/// One thread does all that waits for disk or network; the loop hears of it through ``ModelExchange`` alone.
final class UpdateService: Service {
    let store: ModelStore
    let exchange: ModelExchange
    /// The hub's name of it.
    let model: String
    private let plan: UpdatePlan
    private let log: Logger
    // What runs without the store.
    private let base: Network
    private let stopping = StopFlag()
    private let isDue = Mutex(true)
    // Its own thread and the control socket's both change the store.
    private let alone = Mutex(())
    private let worker: Mutex<Worker?> = Mutex(nil)
    /// Hears when there is something new to tell.
    private let news: @Sendable () -> Void
    private let fileLimit = NetworkFile.sizeLimit
    // Between looks for dropped files, ms.
    private static let dropPause: Int64 = 10_000

    /// Of a download, again and again.
    private struct Failure {
        var offer: ModelOffer
        var count: Int
    }

    /// - Parameter candidate: what is to be tried first.
    init(_ plan: UpdatePlan, store: ModelStore, base: Network, running: Network, candidate: Network?, log: Logger, news: @escaping @Sendable () -> Void) {
        (self.plan, self.store, self.log, self.news, model) = (plan, store, log, news, plan.model)
        self.base = base
        exchange = ModelExchange(running: running, plan.trial)
        if let candidate { exchange.tryOut(candidate) }
    }

    func run() async {
        worker.withLock { $0 = Worker.start(isPolite: true) { [self] in work() } }
        try? await gracefulShutdown()
        stop()
    }

    /// Looks for a new model soon.
    func check() {
        isDue.withLock { $0 = true }
        exchange.wake()
    }

    // What was being tried begins anew with the next start.
    private func stop() {
        stopping.raise()
        exchange.wake()
        worker.withLock { worker in
            worker?.join()
            worker = nil
        }
        attempt("the store could not be left in order") { () throws(Fault) in try store.pause() }
    }

    private func work() {
        var next = SystemTime.sinceBoot, failure: Failure?
        while !stopping.isRaised {
            // Whatever concerns this thread wakes it, but for the hour of the next look and dropped files.
            let pause = plan.source == nil ? Self.dropPause : min(Self.dropPause, max(50, (next - SystemTime.sinceBoot) / 1_000_000))
            for finding in exchange.findings(within: Int(pause)) { act(on: finding) }
            takeDropped()
            let wanted = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            // A hub that says there is something is heard at once; a download that failed is not tried any sooner for that.
            guard let source = plan.source, wanted && failure == nil || SystemTime.sinceBoot >= next else { continue }
            let status = store.status
            next = SystemTime.sinceBoot + Int64(plan.interval) * 1_000_000_000
            guard status.candidate == nil, !status.isPinned, plan.quiet?.contain(CalendarTime(nanoseconds: SystemTime.wall)) != true else { continue }
            if let times = look(source, &failure) { next = SystemTime.sinceBoot + Int64(plan.retry * times) * 1_000_000_000 }
        }
    }

    /// One look for a new model. Returns how many times the usual pause to wait for the next; nil for the usual interval.
    private func look(_ source: any UpdateSource, _ failure: inout Failure?) -> Int? {
        let highest = store.status.highest, plan = plan, limit = fileLimit
        let offer: ModelOffer?
        do throws(Fault) {
            offer = try Awaited.value(unless: stopping) { () async throws(Fault) in try await source.offer(above: highest) }
        } catch {
            log.info("no new model could be looked for: \(error.message)")
            return nil
        }
        guard let offer, store.refusal(of: offer) == nil, !store.has(offer) else {
            failure = nil
            return nil
        }
        guard plan.checks.key != nil || plan.allowsUnsigned || !source.isRemote else {
            refuse(offer, "no trusted_key is set on this board, so nothing proves where a model comes from")
            return nil
        }
        let found: (model: [UInt8], signature: [UInt8]?)
        do throws(Fault) {
            found = try Awaited.value(unless: stopping) { () async throws(Fault) in try await source.fetch(offer, limit: limit) }
            failure = nil
        } catch where stopping.isRaised {
            // Not the server's fault.
            return nil
        } catch where error.code == .temporary || error.code == .noInput || error.code == .failure {
            let count = failure?.offer == offer ? (failure?.count ?? 0) + 1 : 1
            failure = count < 3 ? Failure(offer: offer, count: count) : nil
            log.warning("\(offer.name) could not be fetched (\(count) of 3): \(error.message)")
            // A server that has it never will not be asked for ever.
            guard count < 3 else {
                refuse(offer, "it could not be fetched in three attempts: \(error.message)")
                return nil
            }
            return count
        } catch where error.code == .badData {
            failure = nil
            refuse(offer, error.message)
            return nil
        } catch {
            // Tokens and settings are mended by people.
            log.warning("\(offer.name) cannot be fetched: \(error.message)")
            return nil
        }
        do throws(Fault) {
            try take(found.model, found.signature, offer)
        } catch where error.code == .badData || error.code == .permission {
            refuse(offer, error.message)
        } catch {
            // A full disk is not the model's fault.
            log.warning("\(offer.name) cannot be tried now: \(error.message)")
            return 1
        }
        return nil
    }

    // What the store refuses it remembers by itself.
    private func refuse(_ offer: ModelOffer, _ reason: String) {
        log.warning("\(offer.name) is refused: \(reason)")
        attempt("the refusal could not be kept") { () throws(Fault) in if store.refusal(of: offer) == nil { try store.refuse(offer, reason) } }
        news()
    }

    /// Proves a model and begins to try it.
    func take(_ bytes: [UInt8], _ signature: [UInt8]?, _ offer: ModelOffer, byHand: Bool = false) throws(Fault) {
        try alone.withLock { _ throws(Fault) in
            let network = try store.accept(bytes, signature, offer, running: exchange.running, now: Int(SystemTime.wallSeconds), byHand: byHand)
            log.notice("version \(network.version) is tried beside version \(exchange.running.version)")
            exchange.tryOut(network)
        }
        news()
    }

    /// Takes a file that lies on this machine, at its owner's wish.
    ///
    /// Errors: those of ``take(_:_:_:byHand:)`` and of reading it.
    func install(_ path: String) throws(Fault) {
        try take(try Files.read(path, limit: fileLimit), try ModelSignature.read(beside: path), ModelOffer(name: path), byHand: true)
    }

    /// The model that came over the air and has proved itself; nil where the configuration's is the one.
    var proved: Network? { store.status.current == nil ? nil : exchange.proved }

    /// The loop goes on with a network of its owner's choice; what is being tried begins anew.
    func use(_ network: Network) {
        exchange.use(network)
        attempt("the trial could not begin anew") { () throws(Fault) in try store.pause() }
    }

    /// Goes back to the model before this one, between two windows.
    ///
    /// Errors: those of ``ModelStore/rollBack()``.
    func rollBack() throws(Fault) {
        try alone.withLock { _ throws(Fault) in
            try store.rollBack()
            exchange.goBack(to: try store.start(base: base).running)
        }
        news()
    }

    func pin(_ isPinned: Bool) throws(Fault) { try store.pin(isPinned) }

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
        news()
    }

    private func reject(_ version: Int, _ reason: String) {
        log.warning("version \(version) is refused: \(reason)")
        attempt("the refusal could not be kept") { () throws(Fault) in try store.reject(reason) }
    }

    /// Files that somebody put into the store's `drop`.
    private func takeDropped() {
        let drop = store.directory + "/drop"
        guard store.status.candidate == nil, let name = (try? Files.list(drop))?.first(where: { $0.hasSuffix(".safetensors") }) else { return }
        let path = "\(drop)/\(name)"
        do throws(Fault) { try install(path) } catch {
            log.warning("\(path) is refused: \(error.message)")
            news()
        }
        for done in [path, ModelSignature.path(of: path)] where Files.exists(done) { try? Files.remove(done) }
    }

    private func attempt(_ what: String, _ body: () throws(Fault) -> Void) {
        do throws(Fault) { try body() } catch { log.error("\(what): \(error)") }
    }

    /// For heartbeats.
    func report() -> ModelReport {
        let status = store.status
        var versions: [ModelReport.Version] = []
        if let candidate = status.candidate, let stage = status.stage { versions.append(.init(version: candidate, state: stage.rawValue)) }
        if let current = status.current { versions.append(.init(version: current, state: "committed")) }
        versions += status.refused.filter { $0.version != status.current }.map { .init(version: $0.version, state: $0.wasRunning ? "rolled_back" : "refused", reason: $0.reason) }
        return ModelReport(model: model, highest: status.highest, versions: versions)
    }
}
