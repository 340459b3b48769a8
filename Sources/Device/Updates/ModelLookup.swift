internal import Cryptography
internal import Logging
internal import ModelStore
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
    // Seconds between two attempts, in the end.
    private static let longestPause = 900.0
    private var backOff: BackOff

    /// - Parameter retry: seconds until a failed download is tried again, at first.
    init(retry: Double) { backOff = BackOff(base: retry, cap: max(retry, Self.longestPause), jitter: .none) }

    private mutating func settle() {
        deferral = nil
        backOff.reset()
    }

    mutating func look(_ source: any UpdateSource, service: UpdateService, limit: Int) -> Outcome {
        let store = service.store, log = service.log, highest = store.status.highest
        let offer: ModelOffer?
        do throws(Fault) {
            offer = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.offer(above: highest) }
        } catch {
            log.info("no new model could be looked for: \(error.message)")
            return deferral == nil ? .done : .retry(backOff.next())
        }
        guard let offer, store.refusal(of: offer) == nil, !store.has(offer) else {
            settle()
            return .done
        }
        guard service.plan.checks.key != nil || service.plan.allowsUnsigned || !source.isRemote else {
            settle()
            service.refuse(offer, "no trusted_key is set on this board, so nothing proves where a model comes from")
            return .done
        }
        if let size = offer.size, size > limit {
            settle()
            service.refuse(offer, "it has \(size) bytes, and a model has at most \(limit)")
            return .done
        }
        let found: (model: [UInt8], signature: [UInt8]?)
        do throws(Fault) {
            found = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.fetch(offer, limit: limit) }
            if let checksum = offer.checksum, Digest.text(found.model) != checksum {
                throw Fault(.temporary, "what came is not the file that was offered: the transfer was damaged on its way")
            }
        } catch {
            // Not the server's fault.
            if service.stop.isRaised { return .done }
            return postpone(offer, error, service)
        }
        settle()
        do throws(Fault) {
            try service.take(found.model, found.signature, offer)
        } catch  where error.code == .badData || error.code == .permission {
            service.refuse(offer, error.message)
        } catch {
            // A full disk is not the model's fault.
            return postpone(offer, error, service)
        }
        return .done
    }

    private mutating func postpone(_ offer: ModelOffer, _ fault: Fault, _ service: UpdateService) -> Outcome {
        if deferral?.offer != offer { backOff.reset() }
        deferral = Deferral(offer: offer, reason: fault.message)
        let seconds = backOff.next()
        service.log.warning("\(offer.name) is deferred for \(Int(seconds)) s: \(fault.message)")
        return .retry(seconds)
    }
}
