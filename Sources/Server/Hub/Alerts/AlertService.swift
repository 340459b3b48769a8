internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Looks for what began to need attention, and sends it to each channel; what one did not take it is sent again, whatever the others do.
struct AlertService: Service {
    /// Alerts that are sent at once, at most.
    static let most = 100
    private let alerts: AlertOptions
    private let services: HubServices
    private let log: Logger
    private let queue: AlertQueue

    // Seconds between two looks, at least and at most. A look at a hundred thousand boards takes one: a tenth of the time is spent on
    // looking.
    private static let interval = 5.0, longest = 60.0, share = 9.0
    // Between two looks at what there is to send.
    private static let step = 0.5

    init(alerts: AlertOptions, services: HubServices, log: Logger) {
        (self.alerts, self.services, self.log) = (alerts, services, log)
        queue = AlertQueue(channels: alerts.channels.count)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await look() }
                for index in alerts.channels.indices { group.addTask { await send(by: index) } }
                group.addTask {
                    var fault = RepeatedFault()
                    while (try? await Task.sleep(for: .seconds(Self.step))) != nil { await write(&fault) }
                }
            }
            // What was on its way at the end was taken, too.
            var fault = RepeatedFault()
            await write(&fault)
        }
    }

    private func look() async {
        var fault = RepeatedFault(), pause = Self.interval, isFirst = true, isBehind = false, term: Int?
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(pause)) } catch { return }
            // One of several servers tells.
            let now = await services.store.leads("alerts"), begins = now != term
            term = now
            if begins {
                await queue.end()
                isBehind = true
            }
            guard term != nil else { continue }
            do throws(Fault) {
                if isFirst { try await services.store.keepAlerts(of: alerts.reasons) }
                isFirst = false
                if isBehind {
                    let missed = try await services.store.missedAlerts()
                    await queue.begin(missed: alerts.channels.map { missed[$0.name] ?? [] })
                    isBehind = false
                }
                let began = SystemTime.uptime
                // What begins is written down also where nobody can be told.
                let found = try await services.store.alerts(alerts.reasons, now: services.now)
                pause = min(max(Self.interval, Self.share * (SystemTime.uptime - began)), Self.longest)
                await queue.offer(found)
                fault.clear()
            } catch {
                if Task.isCancelled { return }
                if fault.isNew(error.message) { services.report(error) }
            }
        }
    }

    private func send(by index: Int) async {
        let channel = alerts.channels[index]
        var fault = RepeatedFault(), backOff = BackOff(base: Self.interval, cap: Self.longest, jitter: .none)
        while !Task.isCancelled {
            var pause = Self.step
            do throws(Fault) {
                let (some, turn) = await queue.next(index)
                // Another server may tell since the last look.
                if !some.isEmpty, await services.store.leads("alerts") != nil {
                    try await send(some, to: channel, index, turn)
                    backOff.reset()
                    if fault.clear() { log.notice("\(channel.name) takes alerts again") }
                }
            } catch {
                if Task.isCancelled { return }
                if fault.isNew(error.message) { log.error("\(error)") }
                pause = backOff.next()
            }
            do { try await Task.sleep(for: .seconds(pause)) } catch { return }
        }
    }

    // One alert that is taken in no form keeps no other back; a channel that takes none is asked again.
    private func send(_ some: [Alert], to channel: any AlertChannel, _ index: Int, _ turn: Int?) async throws(Fault) {
        let now = services.now
        if try await channel.send(some, at: now) { return await queue.took(some, index, turn) }
        var refused: [Alert] = []
        for alert in some {
            if try await channel.send([alert], at: now) { await queue.took([alert], index, turn) } else { refused.append(alert) }
        }
        guard refused.count < some.count else { throw Fault(.temporary, "\(channel.name) refuses all alerts") }
        for alert in refused { log.error("\(channel.name) takes no alert of \(Printable.text(alert.name))") }
        await queue.took(refused, index, turn)
    }

    private func write(_ fault: inout RepeatedFault) async {
        guard let changes = await queue.changes(), await services.store.leads("alerts") != nil else { return }
        let store = services.store, now = services.now
        let missed = Dictionary(uniqueKeysWithValues: zip(alerts.channels.map(\.name), changes.missed))
        // A task of its own: the end of this one does not end it.
        let result = await Task { () async -> Result<Void, Fault> in
            do throws(Fault) {
                try await store.acknowledge(changes.told, missed: missed, now: now)
                return .success(())
            } catch { return .failure(error) }
        }.value
        switch result {
        case .success:
            await queue.wrote(changes)
            fault.clear()
        case .failure(let error): if fault.isNew(error.message) { log.error("\(error)") }
        }
    }
}
