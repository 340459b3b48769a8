internal import HubStore
internal import Logging
internal import Support

/// A channel, and what others have told that it has not: forgotten when the server ends.
struct AlertDelivery {
    let channel: any AlertChannel
    let log: Logger
    private(set) var missed: [Alert] = []
    private static let most = 1000

    init(channel: any AlertChannel, log: Logger) { (self.channel, self.log) = (channel, log) }

    /// Sends what was missed, then these.
    ///
    /// - Returns: which of these were taken.
    /// - Throws: where the channel is away; nothing of these was taken then.
    mutating func send(_ alerts: [Alert], at now: Double) async throws(Fault) -> Set<Alert> {
        while !missed.isEmpty {
            let some = Array(missed.prefix(AlertService.most))
            _ = try await deliver(some, now)
            missed.removeFirst(some.count)
        }
        return alerts.isEmpty ? [] : try await deliver(alerts, now)
    }

    mutating func miss(_ alerts: [Alert]) { missed = (missed + alerts).suffix(Self.most) }

    // One alert that is taken in no form keeps no other back; a channel that takes none is asked again.
    private func deliver(_ alerts: [Alert], _ now: Double) async throws(Fault) -> Set<Alert> {
        if try await channel.send(alerts, at: now) { return Set(alerts) }
        var refused: [Alert] = []
        for alert in alerts where !(try await channel.send([alert], at: now)) { refused.append(alert) }
        guard refused.count < alerts.count else { throw Fault(.temporary, "\(channel.name) refuses all alerts") }
        for alert in refused { log.error("\(channel.name) takes no alert of \(Printable.text(alert.name))") }
        return Set(alerts)
    }
}
