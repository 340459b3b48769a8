package import HubProtocol
package import Logging
internal import ServiceLifecycle
package import Support
internal import Synchronization

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
package final class EventService: Service {
    /// A change of activity; the event of it is made on another thread than the loop's.
    private struct Change: Sendable {
        /// Q0.15; a fall has none.
        var activity: String, confidence: Int16?
        /// ms since 1970.
        var at: Int64
    }

    private let receiver: any EventReceiver
    private let queue: EventQueue
    private let log: Logger
    private let urgent = HeartbeatTrigger()
    // With room for what comes between two batches: the loop allocates nothing.
    private let changes: Mutex<[Change]>
    // Whether there is nobody any more who could be told.
    private let isClosed = Atomic(false)

    package init(_ receiver: any EventReceiver, queue: EventQueue = EventQueue(), log: Logger) {
        (self.receiver, self.queue, self.log) = (receiver, queue, log)
        var room: [Change] = []
        room.reserveCapacity(EventQueue.limit / 2)
        changes = Mutex(room)
    }

    /// - Parameters:
    ///   - confidence: Q0.15.
    ///   - waited: for how long it waited before it was decided, ms.
    package func take(activity: String, confidence: Int16, waited: Int64 = 0) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        let change = Change(activity: activity, confidence: confidence, at: SystemTime.wall / 1_000_000 - waited)
        changes.withLock { changes in
            if changes.count == EventQueue.limit { changes.removeFirst() }
            changes.append(change)
        }
    }

    /// A fall, which does not wait for the next batch.
    ///
    /// - Parameter at: ms since 1970.
    package func take(fall state: FallState, at: Int64) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        changes.withLock { $0.append(Change(activity: state.rawValue, confidence: nil, at: at)) }
        urgent.fire()
    }

    /// Drops what waits.
    ///
    /// - Parameter closes: whether nothing is to be told any more.
    package func discard(closes: Bool) {
        if closes { isClosed.store(true, ordering: .relaxed) }
        changes.withLock { $0.removeAll(keepingCapacity: true) }
        queue.clear()
        try? queue.save()
    }

    private func queueChanges() {
        changes.withLock { changes in
            for change in changes {
                guard let confidence = change.confidence else {
                    queue.add(TelemetryEvent("fall", at: change.at, ["state": change.activity]))
                    continue
                }
                let share = Decimals.text(Int(confidence) * 100, over: 32768, places: 0)
                queue.add(TelemetryEvent("activity", at: change.at, ["activity": change.activity, "confidence": share]))
            }
            changes.removeAll(keepingCapacity: true)
        }
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault(), backOff = BackOff(base: 5, cap: 300, jitter: .proportional(0.2))
            while !Task.isCancelled {
                await HeartbeatTrigger.sleep(self.wait(&backOff), unless: self.urgent)
                if Task.isCancelled { break }
                guard await self.send(&fault) else { return }
                IdleMemory.giveBack()
            }
        }
        queueChanges()
        do throws(Fault) { try queue.save() } catch { log.warning("\(queue.count) events are lost: \(error.message)") }
    }

    // Seconds until the next batch: sooner where a fall could not be sent.
    private func wait(_ backOff: inout BackOff) -> Double {
        let interval = receiver.eventInterval ?? 300
        guard queue.holdsFall else {
            backOff.reset()
            return interval
        }
        return min(interval, backOff.next())
    }

    /// Sends what waits; what cannot be sent is kept on the disk, too.
    ///
    /// - Returns: whether to go on: a server of another generation takes no telemetry.
    func send(_ fault: inout RepeatedFault) async -> Bool {
        queueChanges()
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
