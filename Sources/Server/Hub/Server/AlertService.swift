internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Looks for what began to need attention, and sends it; what was not taken is sent again.
struct AlertService: Service {
    let hook: AlertHook
    let services: HubServices
    let log: Logger

    // Seconds between two looks, at least and at most. A look at a hundred thousand boards takes one: a tenth of the time is spent on
    // looking.
    private static let interval = 5.0, longest = 60.0, share = 9.0

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault(), pause = Self.interval
            // Where the webhook is away: when it is tried again, and the pause before that.
            var backOff = BackOff(base: Self.interval, cap: Self.longest, jitter: .none), next = 0.0
            var isFirst = true
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(pause)) } catch { return }
                // One of several servers tells.
                guard await services.store.leads("alerts") != nil else { continue }
                do throws(Fault) {
                    if isFirst { try await services.store.keepAlerts(of: hook.reasons) }
                    isFirst = false
                    let began = SystemTime.uptime, now = services.now
                    // What begins is written down also where nobody can be told.
                    let alerts = try await services.store.alerts(hook.reasons, now: now)
                    pause = min(max(Self.interval, Self.share * (SystemTime.uptime - began)), Self.longest)
                    if alerts.isEmpty || SystemTime.uptime < next { continue }
                    try await send(alerts, now)
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

    private func send(_ alerts: [Alert], _ now: Double) async throws(Fault) {
        var rest = alerts[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(AlertHook.most))
            if try await hook.send(some, at: now) { try await acknowledge(some, now) } else { try await sendSingly(some, now) }
            rest = rest.dropFirst(some.count)
        }
    }

    // One alert that the webhook takes in no form keeps no other back; a webhook that takes none is asked again.
    private func sendSingly(_ alerts: [Alert], _ now: Double) async throws(Fault) {
        var refused: [Alert] = []
        for alert in alerts {
            if try await hook.send([alert], at: now) { try await acknowledge([alert], now) } else { refused.append(alert) }
        }
        guard refused.count < alerts.count else { throw Fault(.temporary, "the webhook for alerts refuses all of them") }
        for alert in refused { log.error("the webhook takes no alert of \(Printable.text(alert.identifier))") }
        try await acknowledge(refused, now)
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
