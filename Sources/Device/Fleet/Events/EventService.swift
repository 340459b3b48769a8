package import Logging
internal import ServiceLifecycle
package import Support

/// Where events go.
package protocol EventReceiver: Sendable {
    /// Seconds between two batches; nil where nobody says so.
    var eventInterval: Double? { get }
    /// Sends what waits.
    ///
    /// - Throws: `.noInput` where no telemetry is taken; others where what was not sent waits on.
    func send(_ queue: EventQueue) async throws(Fault)
}

extension FleetClient: EventReceiver {
    package var eventInterval: Double? { heartbeatInterval }
}

/// Tells the hub each change of activity, in batches, after the hub's interval; what cannot be sent waits, a thousand changes at most.
package struct EventService: Service {
    private let receiver: any EventReceiver
    private let queue: EventQueue
    private let log: Logger

    package init(_ receiver: any EventReceiver, queue: EventQueue = EventQueue(), log: Logger) {
        (self.receiver, self.queue, self.log) = (receiver, queue, log)
    }

    /// - Parameter confidence: Q0.15.
    package func take(activity: String, confidence: Int16) {
        let share = Decimals.text(Int(confidence) * 100, over: 32768, places: 0)
        queue.add(TelemetryEvent("activity", at: SystemTime.wall / 1_000_000, ["activity": activity, "confidence": share]))
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault()
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(receiver.eventInterval ?? 300)) } catch { break }
                guard await send(&fault) else { return }
                IdleMemory.giveBack()
            }
        }
        do throws(Fault) { try queue.save() } catch { log.warning("\(queue.count) events are lost: \(error.message)") }
    }

    /// Sends what waits; what cannot be sent is kept on the disk, too.
    ///
    /// - Returns: whether to go on: a server of another generation takes no telemetry.
    func send(_ fault: inout RepeatedFault) async -> Bool {
        do throws(Fault) {
            try await receiver.send(queue)
            fault.clear()
        } catch {
            if Task.isCancelled { return true }
            if error.code == .noInput { return false }
            if fault.isNew(error.message) { log.info("events wait: \(error.message)") }
            try? queue.save()
        }
        return true
    }
}
