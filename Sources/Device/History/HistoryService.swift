package import HubProtocol
package import Logging
internal import ServiceLifecycle
package import Support
internal import Synchronization

/// Keeps what the wearer did: takes it from the loop, writes it to the disk once a minute on a thread of its own, a fall at once.
package final class HistoryService: Service {
    /// Seconds between two writes.
    private static let interval = 60

    private let tracker: Mutex<DayTracker> = Mutex(DayTracker())
    private let log: Logger
    private let make: @Sendable () -> HistoryLog
    private let due = WakeEvent()
    private let stop = Stop()
    private let writer = ServiceThread()
    private let isLive: Bool
    private let clock: ServiceClock
    private let today: Mutex<(from: Int64, to: Int64, steps: Int64)>

    /// - Parameters:
    ///   - directory: where the rows are.
    ///   - days: that they are kept; 0: for ever.
    ///   - isLive: whether samples come as time goes.
    package init(_ directory: String, days: Int, isLive: Bool, log: Logger, clock: ServiceClock = .system, disk: any Disk = SystemDisk()) {
        (self.log, self.clock, self.isLive) = (log, clock, isLive)
        make = { HistoryLog(directory, days: days, disk: disk) }
        let now = clock.wall() / 1_000_000
        let day = (try? Calendar.day("today", now: now)) ?? (name: "", from: now, to: now + 86_400_000)
        let kept = (try? HistoryLog.rows(in: directory, from: day.from, to: day.to)) ?? []
        today = Mutex((day.from, day.to, Int64(Day(day.name, from: day.from, to: day.to, rows: kept).steps)))
        writer.start { [self] in write() }
    }

    /// A window was decided on.
    ///
    /// - Parameters:
    ///   - now: the window's end.
    ///   - movement: mean square, (1/4096 g)^2.
    package func take(_ label: String, at now: DayTracker.Moment, steps: Int64, movement: Int64, isStill: Bool) {
        let root = (Double(max(0, movement))).squareRoot() * 1000 / 4096
        tracker.withLock { $0.take(label, at: now, steps: steps, movement: root, isStill: isStill) }
        if steps > 0 { count(steps, at: now.wall) }
    }

    /// A fall, at the time of its blow.
    package func take(_ state: FallState, at wall: Int64) {
        tracker.withLock { $0.take(state, at: wall) }
        due.raise()
    }

    /// Steps since midnight, also those before a restart.
    package var stepsToday: Int64 {
        let now = clock.wall() / 1_000_000
        return today.withLock { today in
            if isLive { Self.turn(&today, now) }
            return today.steps
        }
    }

    private func count(_ steps: Int64, at wall: Int64) {
        today.withLock { today in
            Self.turn(&today, wall)
            today.steps += steps
        }
    }

    // Midnight, and a clock that was set to another day.
    private static func turn(_ today: inout (from: Int64, to: Int64, steps: Int64), _ now: Int64) {
        guard now < today.from || now >= today.to, let day = try? Calendar.day("today", now: now) else { return }
        today = (day.from, day.to, 0)
    }

    private func write() {
        let history = make()
        var fault = RepeatedFault()
        while !stop.isRaised {
            due.wait(milliseconds: Self.interval * 1000, or: stop.descriptor)
            save(history, &fault)
        }
        tracker.withLock { $0.end() }
        save(history, &fault)
    }

    private func save(_ history: HistoryLog, _ fault: inout RepeatedFault) {
        let rows = tracker.withLock { $0.takeRows() }
        guard let last = rows.last else { return }
        do throws(Fault) {
            try history.append(rows, now: isLive ? clock.wall() / 1_000_000 : last.at)
            fault.clear()
        } catch {
            if fault.isNew(error.message) { log.warning("the day's history waits: \(error.message)") }
            tracker.withLock { $0.giveBack(rows) }
        }
    }

    package func run() async {
        try? await gracefulShutdown()
        finish()
    }

    /// Writes what is left.
    package func finish() {
        stop.raise()
        writer.join()
    }
}
