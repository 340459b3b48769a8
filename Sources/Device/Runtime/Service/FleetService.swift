internal import Fleet
internal import HubProtocol
internal import Logging
internal import ModelStore
internal import ProgramUpdates
internal import ServiceLifecycle
internal import Support
internal import Synchronization
internal import Updates
internal import Upload

/// Heartbeats beside the loop, where the board is registered.
final class FleetService: Service {
    private let client: FleetClient
    private let status: RunStatus
    private let updates: UpdateService?
    private let programs: ProgramUpdateService?
    private let falls: FallWatch
    private let spool: String?
    private let log: Logger
    // At the heartbeat before, and when: ns since boot.
    private let before = Mutex<(work: KernelWork, at: Int64)?>(nil)

    /// - Parameter spool: the directory where files wait; nil where nothing is recorded.
    init(
        _ client: FleetClient, status: RunStatus, updates: UpdateService?, programs: ProgramUpdateService?, falls: FallWatch,
        spool: String?,
        log: Logger
    ) {
        (self.client, self.status, self.updates, self.programs) = (client, status, updates, programs)
        (self.falls, self.spool, self.log) = (falls, spool, log)
    }

    func run() async {
        let beats = HeartbeatService(client, trigger: status.heartbeat, log: log) { [updates, programs] answer in
            if let programs, let number = answer.updates[programs.name].flatMap({ Int($0) }) { programs.check(number) }
            guard let updates else { return }
            if let time = answer.serverTime { try? updates.store.noteTime(time, own: SystemTime.wallSeconds) }
            if answer.updates[updates.model] != nil { updates.check() }
        } status: { [self] in
            beat
        }
        await cancelWhenGracefulShutdown { await beats.run() }
    }

    private var beat: Heartbeat {
        let now = status.now
        var beat = Heartbeat()
        (beat.modelVersion, beat.activity, beat.samplingRate, beat.lastInference) = (
            "\(now.model)", now.activity, now.rate.map { Double($0) / 1000 }, (now.lastWindow?.at).map { Double($0) / 1e9 }
        )
        (beat.lastError, beat.lastErrorTime) = (now.lastError?.message, now.lastError?.at)
        (beat.models, beat.programs) = (updates?.report, programs?.report)
        beat.steps = now.steps.map { Int(clamping: $0) }
        if let fall = falls.latest { (beat.fall, beat.fallTime) = (fall.state, Double(fall.at) / 1000) }
        (beat.interruptRate, beat.switchRate) = rates(now.interrupts)
        if let waiting = SpoolStatus.waiting(in: spool) {
            (beat.spoolFiles, beat.spoolBytes) = (waiting.files, Int(clamping: waiting.bytes))
        }
        return beat
    }

    // nil with the first heartbeat, and where the kernel does not count.
    private func rates(_ names: [String]) -> (interrupts: Double?, switches: Double?) {
        let work = KernelWork.now(of: names), at = SystemTime.sinceBoot
        let earlier = before.withLock { before in
            defer { before = (work, at) }
            return before
        }
        guard let earlier, at - earlier.at > 1_000_000_000 else { return (nil, nil) }
        let done = work.since(earlier.work), seconds = Double(at - earlier.at) * 1e-9
        func rate(_ count: Int64) -> Double { (Double(count) / seconds * 1000).rounded() / 1000 }
        return (names.isEmpty ? nil : done.interrupts.map(rate), rate(done.switches))
    }
}
