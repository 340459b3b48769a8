internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Looks for what began to need attention, and sends it; what was not taken is sent again.
struct AlertService: Service {
    let hook: AlertHook
    let services: HubServices
    let log: Logger

    // Seconds between two looks, at least and at most, also where the webhook is away. A look at a hundred thousand boards takes a second:
    // a tenth of the time is spent on looking.
    private static let interval = 5.0, longest = 60.0, share = 9.0

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault(), pause = Self.interval
            do throws(Fault) { try await services.store.keepAlerts(of: hook.reasons) } catch { log.error("\(error)") }
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(pause)) } catch { return }
                do throws(Fault) {
                    let took = try await look()
                    if fault.clear() { log.notice("alerts are taken again") }
                    pause = min(max(Self.interval, Self.share * took), Self.longest)
                } catch {
                    if Task.isCancelled { return }
                    if fault.isNew(error.message) { log.error("\(error)") }
                    pause = min(2 * pause, Self.longest)
                }
            }
        }
    }

    // As many as one request has, and again until there are none. How many seconds the last look took.
    private func look() async throws(Fault) -> Double {
        while true {
            let began = SystemTime.uptime, now = services.now
            let alerts = Array(try await services.store.alerts(hook.reasons, now: now).prefix(AlertHook.most))
            let took = SystemTime.uptime - began
            guard !alerts.isEmpty else { return took }
            switch try await hook.send(alerts, at: now) {
            case .taken: try await acknowledge(alerts, now)
            case .refused: try await sendSingly(alerts, now)
            }
        }
    }

    // One alert that the webhook takes in no form keeps no other back.
    private func sendSingly(_ alerts: [Alert], _ now: Double) async throws(Fault) {
        for alert in alerts {
            if case .refused(let status) = try await hook.send([alert], at: now) {
                log.error("the webhook takes no alert of \(alert.identifier): HTTP \(status)")
            }
            try await acknowledge([alert], now)
        }
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
