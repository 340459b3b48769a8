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

    // Seconds between two attempts to tell of a fall that is not over.
    private static let urgent = 30.0

    /// Ends with the task's cancellation.
    public func run() async {
        var rounds = Rounds()
        while !Task.isCancelled {
            let seconds = await beat(&rounds)
            if Task.isCancelled { return }
            // libcurl and what it brings along sleep until the next beat.
            IdleMemory.giveBack()
            // What fires the trigger waits after a failure, but a fall not for long.
            let least = rounds.isResting ? seconds : rounds.fault.isPresent ? min(seconds, Self.urgent) : 0
            if least > 0 { await HeartbeatTrigger.sleep(least, unless: nil) }
            if seconds > least { await HeartbeatTrigger.sleep(seconds - least, unless: trigger) }
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
        let told = status()
        do throws(Fault) {
            answered(try await receiver.heartbeat(told))
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
        let pause = rounds.backOff.next()
        return max(rounds.fault.isPresent && told.fall?.isOpen == true ? min(pause, Self.urgent) : pause, rest)
    }
}
