public import HubProtocol
public import Logging
package import Support

/// Where heartbeats go.
package protocol HeartbeatReceiver: Sendable {
    /// Seconds between two beats; nil where the hub says nothing of it.
    var heartbeatInterval: Double? { get }
    /// Seconds until the hub, which has answered with too much, is asked again; 0 in general.
    var rest: Double { get }
    func heartbeat(_ beat: Heartbeat) async throws(Fault) -> HeartbeatAnswer
}

extension FleetClient: HeartbeatReceiver {
    package var heartbeatInterval: Double? { registration?.heartbeatInterval.map(Double.init) }
    package var rest: Double { api.allowance.rest }
}

/// Heartbeats for as long as the task lives: at the hub's interval, a tenth earlier or later so that a fleet does not beat at once.
public struct HeartbeatService: Sendable {
    private let receiver: any HeartbeatReceiver
    private let interval: Double
    private let status: @Sendable () -> Heartbeat
    private let answered: @Sendable (HeartbeatAnswer) -> Void
    private let trigger: HeartbeatTrigger?
    private let log: Logger

    /// - Parameters:
    ///   - interval: seconds, where the hub says none.
    ///   - trigger: makes the next heartbeat go at once.
    ///   - answered: called with what the hub says to each beat.
    ///   - status: asked before each beat.
    public init(
        _ client: FleetClient, interval: Double = 300, trigger: HeartbeatTrigger? = nil, log: Logger,
        answered: @escaping @Sendable (HeartbeatAnswer) -> Void = { _ in },
        status: @escaping @Sendable () -> Heartbeat
    ) {
        self.init(to: client, interval: interval, trigger: trigger, log: log, answered: answered, status: status)
    }

    package init(
        to receiver: any HeartbeatReceiver, interval: Double = 300, trigger: HeartbeatTrigger? = nil, log: Logger,
        answered: @escaping @Sendable (HeartbeatAnswer) -> Void = { _ in }, status: @escaping @Sendable () -> Heartbeat
    ) {
        (self.receiver, self.interval, self.trigger, self.log, self.answered, self.status) = (
            receiver, interval, trigger, log, answered, status
        )
    }

    /// Ends with the task's cancellation.
    public func run() async {
        var rounds = Rounds()
        while !Task.isCancelled {
            let seconds = await beat(&rounds)
            if Task.isCancelled { return }
            // libcurl and what it brings along sleep until the next beat.
            IdleMemory.giveBack()
            // Beats are never closer than usual: what failed is told by the next one.
            await HeartbeatTrigger.sleep(seconds, unless: rounds.fault.isPresent || rounds.isResting ? nil : trigger)
        }
    }

    /// What goes on from beat to beat.
    struct Rounds {
        // A tenth earlier or later: a fleet does not beat at once.
        fileprivate var backOff = BackOff(base: 0, cap: 0, jitter: .proportional(0.1))
        fileprivate(set) var fault = RepeatedFault()
        /// Whether the next beat waits since the hub answers with too much.
        fileprivate(set) var isResting = false
        fileprivate var hasWarned = false
    }

    /// One beat.
    ///
    /// - Returns: seconds until the next.
    func beat(_ rounds: inout Rounds) async -> Double {
        do throws(Fault) {
            answered(try await receiver.heartbeat(status()))
            if rounds.fault.clear() { log.notice("the hub answers again") }
            rounds.backOff.reset()
        } catch {
            if Task.isCancelled { return 0 }
            if rounds.fault.isNew(error.message) { log.warning("no heartbeat reaches the hub: \(error)") }
        }
        let usual = receiver.heartbeatInterval ?? interval
        (rounds.backOff.base, rounds.backOff.cap) = (usual, min(16 * usual, max(usual, 3600)))
        let rest = receiver.rest
        rounds.isResting = rest > 0
        if rounds.isResting, !rounds.hasWarned {
            log.warning("the hub answers with more than \(AnswerAllowance.text) an hour: heartbeats wait")
        }
        rounds.hasWarned = rounds.hasWarned || rounds.isResting
        return max(rounds.backOff.next(), rest)
    }
}
