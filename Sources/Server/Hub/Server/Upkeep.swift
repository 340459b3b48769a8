internal import CrowdServer
internal import HubStore
internal import Hummingbird
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Every second: beats to the file, what other programs changed, roll-outs and the crowd; and forgetting what is old every hour.
struct Upkeep: Service {
    let services: HubServices
    let log: Logger

    // What is to be looked at again, since others changed something; and when this server began to be the one that looks at all boards.
    private struct Due {
        var rollouts = false, users = false
        var term: Int?
        // When roll-outs are looked at again, by ``SystemTime/uptime``: of a million boards that takes seconds.
        var next = 0.0
    }

    // Of the time is spent on roll-outs at most a fifth.
    private static let share = 4.0

    private func settle(_ round: Int, _ due: inout Due) async throws(Fault) {
        let store = services.store
        if round % 5 == 0 { try await store.settle() }
        if try await store.forgetStale() {
            (due.rollouts, due.users) = (true, true)
            services.forgetReports()
        }
        // Boards can reach this hub, and what they say can be kept.
        store.listen(now: services.now)
        if due.users && round % 3 == 0 {
            try await services.crowd.forgetRemoved()
            due.users = false
        }
        // Of several servers one looks at all boards, and less often: others tell it of much that changes no roll-out.
        let term = await store.leads("upkeep"), isTime = !store.isShared || round % 5 == 0
        let everywhere = term != nil && (isTime && due.rollouts || round % 60 == 0 || term != due.term), began = SystemTime.uptime
        guard began >= due.next else { return due.rollouts = due.rollouts || everywhere }
        try await store.advance(now: services.now, everywhere: everywhere, completed: term != nil && term != due.term)
        if everywhere { due.rollouts = false }
        (due.term, due.next) = (term, began + (1 + Self.share) * (SystemTime.uptime - began))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var rounds = 0, due = Due(), fault = RepeatedFault(), crowdFault = RepeatedFault(), tidying: Task<Void, Never>?
            // Nobody is away for a hub that has just begun.
            services.store.listen(now: services.now)
            while !Task.isCancelled {
                do throws(Fault) {
                    try await settle(rounds, &due)
                    if fault.clear() { log.notice("the hub's data can be used again") }
                } catch {
                    // What the end interrupted is settled after it.
                    if Task.isCancelled { break }
                    if fault.isNew(error.message) { services.report(error) }
                }
                // A crowd whose server is gone is taken, and one that is another's is left, whatever else can be done.
                do throws(Fault) {
                    try await services.crowd.settle()
                    crowdFault.clear()
                } catch {
                    if crowdFault.isNew(error.message) { services.report(error) }
                }
                if rounds % 3600 == 0 && due.term != nil { tidying = tidy(after: tidying) }
                services.limiter.tidy(services.now)
                services.refusals.tidy(services.now)
                services.eventBytes.tidy(services.now)
                rounds += 1
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
            }
            await tidying?.value
        }
    }

    // It may take minutes in a large database.
    private func tidy(after before: Task<Void, Never>?) -> Task<Void, Never> {
        Task { [services, log] in
            await before?.value
            do throws(Fault) { try await services.store.tidy(now: services.now) } catch { log.error("\(error)") }
        }
    }
}
