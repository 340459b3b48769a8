internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Looks for what began to need attention, and sends it; what was not taken is sent again.
struct AlertService: Service {
    /// Alerts that are sent at once, at most.
    static let most = 100
    let alerts: AlertOptions
    let services: HubServices
    let log: Logger

    // Seconds between two looks, at least and at most. A look at a hundred thousand boards takes one: a tenth of the time is spent on
    // looking.
    private static let interval = 5.0, longest = 60.0, share = 9.0

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault(), pause = Self.interval
            // Where a channel is away: when it is tried again, and the pause before that.
            var backOff = BackOff(base: Self.interval, cap: Self.longest, jitter: .none), next = 0.0
            var isFirst = true, deliveries = alerts.channels.map { AlertDelivery(channel: $0, log: log) }
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(pause)) } catch { return }
                // One of several servers tells.
                guard await services.store.leads("alerts") != nil else { continue }
                do throws(Fault) {
                    if isFirst { try await services.store.keepAlerts(of: alerts.reasons) }
                    isFirst = false
                    let began = SystemTime.uptime, now = services.now
                    // What begins is written down also where nobody can be told.
                    let found = try await services.store.alerts(alerts.reasons, now: now)
                    pause = min(max(Self.interval, Self.share * (SystemTime.uptime - began)), Self.longest)
                    if found.isEmpty && deliveries.allSatisfy({ $0.missed.isEmpty }) || SystemTime.uptime < next { continue }
                    try await send(found, by: &deliveries, now)
                    backOff.reset()
                    if fault.clear() { log.notice("alerts are taken again") }
                } catch {
                    if Task.isCancelled { return }
                    if fault.isNew(error.message) { log.error("\(error)") }
                    next = SystemTime.uptime + backOff.next()
                }
            }
        }
    }

    // What one channel took was told; the others have it to send.
    private func send(_ found: [Alert], by deliveries: inout [AlertDelivery], _ now: Double) async throws(Fault) {
        var rest = found[...], fault: Fault?
        repeat {
            let some = Array(rest.prefix(Self.most))
            var taken = [Set<Alert>](repeating: [], count: deliveries.count)
            for index in deliveries.indices {
                do throws(Fault) { taken[index] = try await deliveries[index].send(some, at: now) } catch { fault = error }
            }
            let told = some.filter { alert in taken.contains { $0.contains(alert) } }
            if !told.isEmpty { try await acknowledge(told, now) }
            for index in deliveries.indices { deliveries[index].miss(told.filter { !taken[index].contains($0) }) }
            rest = rest.dropFirst(some.count)
        } while !rest.isEmpty
        if let fault { throw fault }
    }

    // What was taken is written down, also at the end of the program.
    private func acknowledge(_ alerts: [Alert], _ now: Double) async throws(Fault) {
        let store = services.store
        let result = await Task { () async -> Result<Void, Fault> in
            do throws(Fault) {
                try await store.acknowledge(alerts, now: now)
                return .success(())
            } catch { return .failure(error) }
        }.value
        try result.get()
    }
}
