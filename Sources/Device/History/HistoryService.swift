package import HubProtocol
package import Logging
package import Support
internal import Synchronization

/// Keeps what the wearer did: takes it from the loop, writes it to the disk once a minute on a thread of its own, a fall at once.
///
/// No service of a group: the first task of a process makes the runtime wake every second for good, and a board that does nothing else
/// sleeps.
package final class HistoryService: Sendable {
    /// ms between two writes, and of a sensor that sleeps; rows after which one is due at once.
    private static let interval: Int64 = 60_000, stillInterval = 3_600_000, many = 400

    private let tracker: Mutex<DayTracker> = Mutex(DayTracker())
    private let log: Logger
    private let make: @Sendable () -> HistoryLog
    private let directory: String
    private let due = WakeEvent()
    private let stop = Stop()
    private let writer = ServiceThread()
    private let isLive: Bool
    private let clock: ServiceClock
    private let today: Mutex<Today>
    // ms that nobody sets: of the last write.
    private let written = Atomic<Int64>(0)

    private struct Today {
        var from: Int64, to: Int64
        var steps: Int64
        /// Whether the steps before are still to be read: the clock went to another day, which may have rows.
        var isStale = false
    }

    /// - Parameters:
    ///   - directory: where the rows are.
    ///   - days: that they are kept; 0: for ever.
    ///   - isLive: whether samples come as time goes.
    package init(_ directory: String, days: Int, isLive: Bool, log: Logger, clock: ServiceClock = .system, disk: any Disk = SystemDisk()) {
        (self.log, self.clock, self.isLive) = (log, clock, isLive)
        make = { HistoryLog(directory, days: isLive ? days : 0, disk: disk) }
        today = Mutex(Today(from: 0, to: 0, steps: 0))
        today.withLock { Self.turn(&$0, clock.wall() / 1_000_000) }
        self.directory = directory
        addKept()
        writer.start { [self] in write() }
    }

    /// A window was decided on.
    ///
    /// - Parameters:
    ///   - now: the window's end.
    ///   - cadence: steps a minute; nil where there is no gait.
    ///   - movement: mean square, (1/4096 g)^2.
    package func take(_ label: String, at now: DayTracker.Moment, steps: Int64, cadence: Int?, movement: Int64, isStill: Bool) {
        let root = (Double(max(0, movement))).squareRoot() * 1000 / 4096
        let count = tracker.withLock { tracker in
            tracker.take(label, at: now, steps: steps, cadence: cadence, movement: root, isStill: isStill)
            return tracker.rows.count
        }
        if steps > 0 { self.count(steps, at: now.wall) }
        // The interval is one of the machine's time, whatever is played.
        let elapsed = isLive ? now.elapsed : clock.sinceBoot() / 1_000_000
        if count > 0 && (count >= Self.many || elapsed - written.load(ordering: .relaxed) >= Self.interval) { due.raise() }
        // What is played faster than it happened waits for the disk, before the rows outgrow their memory; not for ever, for a disk that is
        // full takes none.
        if !isLive && count >= Self.many { Pause.milliseconds(20) }
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
    private static func turn(_ today: inout Today, _ now: Int64) {
        guard now < today.from || now >= today.to else { return }
        let (from, to) = Calendar.midnights(around: now)
        today = Today(from: from, to: to, steps: 0, isStale: true)
    }

    // Those of the day that lie on the disk, before a restart or a change of the clock.
    private func addKept() {
        guard
            let day = today.withLock({ today -> Today? in
                defer { today.isStale = false }
                return today.isStale ? today : nil
            })
        else { return }
        let kept = (try? HistoryLog.rows(in: directory, from: day.from, to: day.to)) ?? []
        let steps = Int64(Day("", from: day.from, to: day.to, rows: kept).steps)
        today.withLock { if $0.from == day.from { $0.steps += steps } }
    }

    private func write() {
        let history = make()
        var fault = RepeatedFault()
        while !stop.isRaised {
            due.wait(milliseconds: Self.stillInterval, or: stop.descriptor)
            if isLive { tracker.withLock { $0.tick(.init(wall: clock.wall() / 1_000_000, elapsed: clock.sinceBoot() / 1_000_000)) } }
            addKept()
            save(history, &fault)
        }
        tracker.withLock { $0.end() }
        save(history, &fault)
    }

    private func save(_ history: HistoryLog, _ fault: inout RepeatedFault) {
        written.store(clock.sinceBoot() / 1_000_000, ordering: .relaxed)
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

    /// Writes what is left.
    package func finish() {
        stop.raise()
        writer.join()
    }
}
