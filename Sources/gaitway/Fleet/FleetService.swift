import Fleet
import Logging
import Support
import Synchronization
import Upload

/// Heartbeats beside the loop, where the board is registered. The loop only leaves word of what it sees.
final class FleetService: Sendable {
    private let beat = Mutex(Heartbeat())
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)
    private let spool: String?

    /// nil where the board is not registered. A registration that cannot be read is told, and nothing stops for it.
    init?(spool: String?, log: Logger) {
        self.spool = spool
        let client: FleetClient?
        do throws(Fault) { client = try FleetClient(registeredIn: nil) } catch {
            log.warning("no heartbeats are sent: \(error)")
            client = nil
        }
        guard let client else { return nil }
        let service = HeartbeatService(client, log: log) { [weak self] in self?.current ?? Heartbeat() }
        task.withLock { $0 = Task { await service.run() } }
    }

    private var current: Heartbeat {
        var beat = beat.withLock { $0 }
        if let spool, Files.isDirectory(spool + "/pending"), let status = try? Spool(spool, user: "").status() {
            (beat.spoolFiles, beat.spoolBytes) = (status.files, Int(clamping: status.bytes))
        }
        return beat
    }

    func note(_ change: (inout Heartbeat) -> Void) { beat.withLock { change(&$0) } }

    func stop() { task.withLock { $0?.cancel() } }
}
