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

    // Whether others changed anything since these were looked at.
    private struct Due {
        var rollouts = false, users = false
    }

    private func settle(_ round: Int, _ due: inout Due) async throws(Fault) {
        let store = services.store
        if round % 5 == 0 { try await store.settle() }
        let changed = try await store.forgetStale()
        if changed {
            (due.rollouts, due.users) = (true, true)
            services.forgetReports()
        }
        if due.users && round % 3 == 0 {
            try await services.crowd.forgetRemoved()
            due.users = false
        }
        // Of several servers one looks at all boards, and less often: others tell it of much that changes no roll-out.
        let leads = await store.leads("upkeep") != nil, isTime = !store.isShared || round % 5 == 0
        let everywhere = leads && (isTime && due.rollouts || round % 60 == 0)
        try await store.advance(now: services.now, everywhere: everywhere, completed: leads && round % 300 == 0)
        if everywhere { due.rollouts = false }
        if leads && round % 3600 == 0 { try await store.tidy(now: services.now) }
        // Boards can reach this hub, and what they say can be kept.
        store.listen(now: services.now)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var rounds = 0, due = Due(), fault = RepeatedFault(), crowdFault = RepeatedFault()
            while !Task.isCancelled {
                do throws(Fault) {
                    try await settle(rounds, &due)
                    if fault.clear() { log.notice("the hub's data can be used again") }
                } catch {
                    // What the end interrupted is settled after it.
                    if Task.isCancelled { return }
                    if fault.isNew(error.message) { log.error("\(error)") }
                }
                // A crowd whose server is gone is taken, and one that is another's is left, whatever else can be done.
                do throws(Fault) { try await services.crowd.settle() } catch {
                    if crowdFault.isNew(error.message) { log.error("\(error)") }
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
