internal import Cryptography
internal import Logging
internal import ModelStore
internal import NeuralNetwork
internal import Support

/// One look after the other for a new model, and what became of the last one. A download that fails is tried again for as long as the
/// model is offered, less and less often: a bad network says nothing of the model.
struct ModelLookup {
    enum Outcome: Equatable {
        /// Nothing more until the next look.
        case done
        /// Look again after so many seconds.
        case retry(Double)
    }

    /// What could not be fetched, and why.
    struct Deferral: Equatable {
        var offer: ModelOffer
        var reason: String
    }

    private(set) var deferral: Deferral?
    /// Whether the next look waits for its time, whatever the hub announces: what it offered last could not be used.
    private(set) var isHeldBack = false
    private var backOff: BackOff

    /// - Parameter retry: seconds until a hub is asked again after an offer that could not be used; a quarter of an hour at the most, or
    ///   fifteen times as much where that is less.
    init(retry: Double) { backOff = BackOff(base: retry, cap: max(retry, min(900, 15 * retry)), jitter: .none) }

    // Only a model that begins its trial makes up for offers that were of no use: a hub could name others for ever.
    private mutating func settle() {
        (deferral, isHeldBack) = (nil, false)
        backOff.reset()
    }

    private mutating func wait() -> Outcome {
        isHeldBack = true
        return .retry(backOff.next())
    }

    private mutating func refuse(_ offer: ModelOffer, _ reason: String, _ service: UpdateService) -> Outcome {
        deferral = nil
        service.refuse(offer, reason)
        return wait()
    }

    mutating func look(_ source: any UpdateSource, service: UpdateService, limit: Int) -> Outcome {
        let store = service.store, log = service.log, highest = store.status.highest
        let offer: ModelOffer?
        do throws(Fault) {
            offer = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.offer(above: highest) }
        } catch {
            log.info("no new model could be looked for: \(error.message)")
            return deferral == nil ? .done : wait()
        }
        guard let offer, store.refusal(of: offer) == nil, !store.has(offer) else {
            (deferral, isHeldBack) = (nil, false)
            _ = service.mayFetch(nil)
            return .done
        }
        guard service.mayFetch(offer) else { return .done }
        guard service.plan.checks.keys != nil || service.plan.allowsUnsigned || !source.isRemote else {
            return refuse(offer, "no trusted_key is set on this board, so nothing proves where a model comes from", service)
        }
        if let size = offer.size, size > limit {
            return refuse(offer, "it has \(size) bytes, and a model has at most \(limit)", service)
        }
        return take(offer, from: source, service, limit: limit)
    }

    // The signature first: a server without the key could have a board fetch files for ever.
    private mutating func take(_ offer: ModelOffer, from source: any UpdateSource, _ service: UpdateService, limit: Int) -> Outcome {
        let signature: [UInt8]?
        do throws(Fault) {
            signature = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.signature(of: offer) }
        } catch {
            return service.stop.isRaised ? .done : postpone(offer, error, service)
        }
        var offer = offer, limit = limit
        let checks = service.plan.checks
        if let keys = checks.keys, source.isRemote {
            do throws(Fault) {
                if let signature, try keys.follow(signature, name: offer.name) {
                    service.log.notice("the list of trusted keys is version \(keys.list?.version ?? 0) from now on")
                }
                let (signed, release) = try ModelSignature.promised(signature ?? [], by: keys.key, name: offer.name)
                guard offer.checksum == nil || offer.checksum == signed else {
                    throw Fault(.badData, "\(offer.name) is not the file that was signed: its SHA-256 differs")
                }
                try checks.permits(release, of: offer, now: service.store.latest(service.clock.wall() / 1_000_000_000))
                offer.checksum = signed
                limit = min(limit, max(1, release?.length ?? limit))
            } catch  where error.code == .badData || error.code == .permission {
                return refuse(offer, error.message, service)
            } catch {
                return postpone(offer, error, service)
            }
            if service.store.refusal(of: offer) != nil { return wait() }
        }
        let model: [UInt8]
        do throws(Fault) {
            model = try Awaited.value(unless: service.stop) { [offer, limit] () async throws(Fault) in
                try await source.model(of: offer, limit: limit)
            }
            if let checksum = offer.checksum, Digest.text(model) != checksum {
                throw Fault(.temporary, "what came is not the file that was offered: the transfer was damaged on its way")
            }
        } catch {
            // Not the server's fault.
            if service.stop.isRaised { return .done }
            return postpone(offer, error, service)
        }
        do throws(Fault) {
            try service.take(model, signature, offer)
            settle()
        } catch  where error.code == .badData || error.code == .permission {
            return refuse(offer, error.message, service)
        } catch {
            // A full disk is not the model's fault.
            return postpone(offer, error, service)
        }
        return .done
    }

    private mutating func postpone(_ offer: ModelOffer, _ fault: Fault, _ service: UpdateService) -> Outcome {
        deferral = Deferral(offer: offer, reason: fault.message)
        let outcome = wait()
        if case .retry(let seconds) = outcome {
            service.log.warning("\(offer.name) is deferred for \(Int(seconds)) s: \(fault.message)")
        }
        return outcome
    }
}
