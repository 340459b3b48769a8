internal import CrowdServer
internal import HubStore
internal import Hummingbird
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Beats to the file every five seconds, and forgetting what is old every hour.
struct Upkeep: Service {
    let services: HubServices
    let log: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var rounds = 0, fault = RepeatedFault()
            while !Task.isCancelled {
                services.store.listen(now: services.now)
                do throws(Fault) {
                    if rounds % 5 == 0 { try await services.store.settle() }
                    let changed = try await services.store.forgetStale()
                    try await services.crowd.settle()
                    try await services.store.advance(now: services.now, everywhere: changed || rounds % 60 == 0, completed: rounds == 0)
                    if rounds % 3600 == 0 { try await services.store.tidy(now: services.now) }
                    if fault.clear() { log.notice("the hub's data can be used again") }
                } catch {
                    // What the end interrupted is settled after it.
                    if Task.isCancelled { return }
                    if fault.isNew(error.message) { log.error("\(error)") }
                }
                services.limiter.tidy(services.now)
                services.refusals.tidy(services.now)
                services.eventBytes.tidy(services.now)
                rounds += 1
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }
}
