import Fleet
import Logging
import Recognition
import ServiceLifecycle
import Support

/// Tells the hub each change of activity, in batches, after the hub's interval; what cannot be sent waits, a thousand changes at most.
struct TelemetryService: Service {
    private let client: FleetClient
    private let queue = EventQueue()
    private let log: Logger

    init(_ client: FleetClient, log: Logger) { (self.client, self.log) = (client, log) }

    func take(_ activity: Activity) {
        let share = Decimals.text(Int(activity.confidence) * 100, over: 32768, places: 0)
        queue.add(TelemetryEvent("activity", at: SystemTime.wall / 1_000_000, ["activity": activity.smoothed, "confidence": share]))
    }

    func run() async {
        let queue = queue, client = client, log = log
        await cancelWhenGracefulShutdown {
            var complaint = ""
            while !Task.isCancelled {
                let seconds = Double(client.registration?.heartbeatInterval ?? 300)
                do { try await Task.sleep(for: .seconds(seconds)) } catch { break }
                do throws(Fault) {
                    try await client.send(queue)
                    complaint = ""
                } catch {
                    if Task.isCancelled { break }
                    // A server of another generation takes no telemetry.
                    if error.code == .noInput { return }
                    if error.message != complaint { log.info("events wait: \(error.message)") }
                    complaint = error.message
                    try? queue.save()
                }
                IdleMemory.giveBack()
            }
        }
        do throws(Fault) { try queue.save() } catch { log.warning("\(queue.count) events are lost: \(error.message)") }
    }
}
