public import Logging
internal import Support

/// Heartbeats for as long as the task lives: at the hub's interval, a tenth earlier or later so that a fleet does not beat at once.
public struct HeartbeatService: Sendable {
    private let client: FleetClient
    private let interval: Double
    private let status: @Sendable () -> Heartbeat
    private let answered: @Sendable (HeartbeatAnswer) -> Void
    private let soon: BeatSoon?
    private let log: Logger

    /// - Parameters:
    ///   - interval: seconds, where the hub says none.
    ///   - soon: who has something to tell before the next beat is due.
    ///   - answered: hears what the hub says to each beat.
    ///   - status: asked before each beat.
    public init(
        _ client: FleetClient, interval: Double = 300, soon: BeatSoon? = nil, log: Logger, answered: @escaping @Sendable (HeartbeatAnswer) -> Void = { _ in },
        status: @escaping @Sendable () -> Heartbeat
    ) {
        (self.client, self.interval, self.soon, self.log, self.answered, self.status) = (client, interval, soon, log, answered, status)
    }

    /// Ends with the task's cancellation.
    public func run() async {
        var failures = 0, complaint = ""
        while !Task.isCancelled {
            do throws(Fault) {
                answered(try await client.heartbeat(status()))
                if failures > 0 { log.notice("the hub is heard again") }
                (failures, complaint) = (0, "")
            } catch {
                if Task.isCancelled { return }
                if error.message != complaint { log.warning("no heartbeat reaches the hub: \(error)") }
                (failures, complaint) = (failures + 1, error.message)
            }
            // libcurl and what it brings along sleep until the next beat.
            IdleMemory.giveBack()
            let usual = client.registration?.heartbeatInterval.map(Double.init) ?? interval
            // Beats are never closer than usual: what failed is told by the next one.
            let seconds = min(usual * Double(1 << min(failures, 4)), max(usual, 3600)) * Double.random(in: 0.9...1.1)
            await BeatSoon.sleep(seconds, unless: failures == 0 ? soon : nil)
        }
    }
}
