import Agent
import Fleet
import Logging
import Models
import ServiceLifecycle
import Support
import Upload

/// Heartbeats beside the loop, where the board is registered.
struct FleetService: Service {
    private let client: FleetClient
    private let status: RunStatus
    private let updates: UpdateService?
    private let model: String
    private let spool: String?
    private let log: Logger

    init(_ client: FleetClient, status: RunStatus, updates: UpdateService?, spool: String?, log: Logger) {
        (self.client, self.status, self.updates, self.spool, self.log) = (client, status, updates, spool, log)
        model = updates?.model ?? ""
    }

    /// The way to the hub; nil where the board is not registered. A registration that cannot be read is told, and nothing stops for it.
    static func client(_ log: Logger) -> FleetClient? {
        do throws(Fault) { return try FleetClient(registeredIn: nil) } catch {
            log.warning("no heartbeats are sent: \(error)")
            return nil
        }
    }

    func run() async {
        let beats = HeartbeatService(client, soon: status.soon, log: log) { [updates, model] answer in
            if let time = answer.serverTime, let updates { try? updates.store.heard(time: Int(time)) }
            if answer.updates[model] != nil { updates?.check() }
        } status: { [self] in beat }
        await cancelWhenGracefulShutdown { await beats.run() }
    }

    private var beat: Heartbeat {
        let now = status.now
        var beat = Heartbeat()
        (beat.modelVersion, beat.activity, beat.samplingRate, beat.lastInference) = ("\(now.model)", now.activity, now.rate.map { Double($0) / 1000 }, now.lastWindow?.at)
        (beat.lastError, beat.lastErrorTime) = (now.lastError?.message, now.lastError?.at)
        beat.models = updates?.report()
        if let waiting = SpoolStatus.waiting(in: spool) { (beat.spoolFiles, beat.spoolBytes) = (waiting.files, Int(clamping: waiting.bytes)) }
        return beat
    }
}
