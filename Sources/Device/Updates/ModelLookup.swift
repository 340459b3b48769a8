internal import Logging
internal import ModelStore
internal import Support

/// One look after the other for a new model, and what became of the last one: a download that fails is tried again, three times in all.
struct ModelLookup {
    enum Outcome: Equatable {
        /// Nothing more until the next look.
        case done
        /// Look again after so many seconds.
        case retry(Double)
    }

    private static let attempts = 3

    private var failed: ModelOffer?
    private var backOff: BackOff

    /// - Parameter retry: seconds until a failed download is tried again.
    init(retry: Double) { backOff = BackOff(base: retry, cap: .infinity, jitter: .none) }

    /// Whether a download failed and is to be tried again.
    var isRetrying: Bool { failed != nil }

    private mutating func settle() {
        failed = nil
        backOff.reset()
    }

    mutating func look(_ source: any UpdateSource, service: UpdateService, limit: Int) -> Outcome {
        let store = service.store, log = service.log, highest = store.status.highest
        let offer: ModelOffer?
        do throws(Fault) {
            offer = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.offer(above: highest) }
        } catch {
            log.info("no new model could be looked for: \(error.message)")
            return .done
        }
        guard let offer, store.refusal(of: offer) == nil, !store.has(offer) else {
            settle()
            return .done
        }
        guard service.plan.checks.key != nil || service.plan.allowsUnsigned || !source.isRemote else {
            service.refuse(offer, "no trusted_key is set on this board, so nothing proves where a model comes from")
            return .done
        }
        let found: (model: [UInt8], signature: [UInt8]?)
        do throws(Fault) {
            found = try Awaited.value(unless: service.stop) { () async throws(Fault) in try await source.fetch(offer, limit: limit) }
            settle()
        } catch {
            // Not the server's fault.
            if service.stop.isRaised { return .done }
            return fetchFailed(offer, error, service)
        }
        do throws(Fault) {
            try service.take(found.model, found.signature, offer)
        } catch  where error.code == .badData || error.code == .permission {
            service.refuse(offer, error.message)
        } catch {
            // A full disk is not the model's fault.
            log.warning("\(offer.name) cannot be tried now: \(error.message)")
            return .retry(backOff.base)
        }
        return .done
    }

    private mutating func fetchFailed(_ offer: ModelOffer, _ fault: Fault, _ service: UpdateService) -> Outcome {
        switch fault.code {
        case .temporary, .noInput, .failure:
            if failed != offer { backOff.reset() }
            let seconds = backOff.next(), count = backOff.failures
            service.log.warning("\(offer.name) could not be fetched (\(count) of \(Self.attempts)): \(fault.message)")
            // A server that has it never will not be asked for ever.
            guard count < Self.attempts else {
                settle()
                service.refuse(offer, "it could not be fetched in three attempts: \(fault.message)")
                return .done
            }
            failed = offer
            return .retry(seconds)
        case .badData:
            settle()
            service.refuse(offer, fault.message)
            return .done
        default:
            // Tokens and settings are mended by people.
            service.log.warning("\(offer.name) cannot be fetched: \(fault.message)")
            return .done
        }
    }
}
