package import Logging
package import Settings
internal import Support
internal import Synchronization

/// Writes windows into the spool, on a thread of its own: whoever hands them in never waits for the disk, unless it wants to.
package final class WindowRecorder: Sendable {
    /// The most windows that may wait for the disk: over a minute of them.
    private static let queueLimit = 64

    private struct Queue {
        // With room for all, so that whoever hands one in allocates nothing.
        var windows = room
        var taken = 0, done = 0
        // Of windows that found the queue full.
        var lost = 0
        var isStopping = false
        // Whether what was handed in and what lies in the open file is to go.
        var isDiscarding = false
    }

    private static var room: [(RecordedWindow, RecordedModel)] {
        var windows: [(RecordedWindow, RecordedModel)] = []
        windows.reserveCapacity(queueLimit)
        return windows
    }

    private let content: SettingValues.Content
    private let duration: Int64 // ms of a file
    private let fileLimit: Int64
    private let log: Logger
    private let queue = Mutex(Queue())
    private let arrived = WakeEvent(), written = WakeEvent()
    private let onFinished: @Sendable () -> Void
    private let thread = ServiceThread()

    /// - Parameters:
    ///   - seconds: of windows in a file.
    ///   - fileLimit: bytes after which a file is finished anyway.
    ///   - onFinished: is called when a file waits.
    package init(
        content: SettingValues.Content, seconds: Double, fileLimit: Int64 = 16_000_000, log: Logger,
        onFinished: @escaping @Sendable () -> Void = {}
    ) {
        (self.content, self.fileLimit, self.log, self.onFinished) = (content, fileLimit, log, onFinished)
        duration = Int64(seconds * 1000)
    }

    /// - Parameter open: gives the spool; called on the recorder's thread, and again with later windows while it fails.
    package func start(_ open: @escaping OpenSpool) { thread.start { [self] in run(open) } }

    /// Hands a window in.
    ///
    /// - Parameter waits: until it is written: for what would come faster than any disk. Else it is lost when too many wait, and counted.
    package func take(_ window: RecordedWindow, by model: RecordedModel, waits: Bool) {
        let number: Int? = queue.withLock { queue in
            guard waits || queue.windows.count < Self.queueLimit else {
                queue.lost += 1
                return nil
            }
            queue.windows.append((window, model))
            queue.taken += 1
            return queue.taken
        }
        guard let number else { return }
        arrived.raise()
        while waits, queue.withLock({ $0.done < number && !$0.isStopping }) { written.wait(milliseconds: 1000) }
    }

    /// Drops what was handed in and the file that is written; waits for that, two seconds at most.
    package func discard() {
        queue.withLock { $0.isDiscarding = true }
        arrived.raise()
        for _ in 0..<40 where queue.withLock({ $0.isDiscarding && !$0.isStopping }) { Pause.milliseconds(50) }
    }

    /// Finishes the file; what was handed in is written by then.
    package func stop() {
        queue.withLock { $0.isStopping = true }
        arrived.raise()
        thread.join()
    }

    private func run(_ open: () throws(Fault) -> Spool) {
        var session = Session(), windows = Self.room
        while true {
            session.open(open, log)
            let (lost, isStopping, isDiscarding) = queue.withLock { queue in
                swap(&queue.windows, &windows)
                defer { queue.lost = 0 }
                return (queue.lost, queue.isStopping, queue.isDiscarding)
            }
            if isDiscarding {
                session.writer?.discard()
                queue.withLock { queue in
                    queue.done += windows.count
                    queue.isDiscarding = false
                }
                written.raise()
                windows.removeAll(keepingCapacity: true)
                continue
            }
            if lost > 0 {
                session.lose(
                    lost, Fault(.failure, "the disk is too slow: \(Self.queueLimit) windows waited for it", condition: .diskSlow), log)
            }
            for (window, model) in windows {
                write(window, model, &session)
                queue.withLock { $0.done += 1 }
                written.raise()
            }
            if windows.isEmpty && isStopping { break }
            if windows.isEmpty { arrived.wait(milliseconds: 600_000) }
            windows.removeAll(keepingCapacity: true)
        }
        finish(&session)
        session.writer?.spool.keepCounts()
    }

    // What goes on from file to file.
    private struct Session {
        var writer: SpoolWriter?
        var format: RowFormat?
        /// ms since 1970.
        var began: Int64 = 0
        private var fault = RepeatedFault()
        var lost = 0
        /// Whether a file could not be finished.
        var hasStranded = false
        private var nextAttempt: Int64 = 0

        /// Opens the spool where that was not done, at most once a minute.
        mutating func open(_ open: () throws(Fault) -> Spool, _ log: Logger) {
            guard writer == nil, SystemTime.sinceBoot >= nextAttempt else { return }
            do throws(Fault) {
                let spool = try open()
                writer = SpoolWriter(spool)
                spool.countLost(lost)
            } catch {
                nextAttempt = SystemTime.sinceBoot + 60_000_000_000
                tell(error, log)
            }
        }

        mutating func lose(_ windows: Int, _ fault: Fault, _ log: Logger) {
            tell(fault, log)
            lost += windows
            writer?.spool.countLost(windows)
        }

        private mutating func tell(_ now: Fault, _ log: Logger) {
            // Its message names a file, and the next failure another one.
            if fault.isNew("\(now.code) \(now.condition.map { "\($0)" } ?? "")") { log.error("windows are not recorded: \(now)") }
        }

        mutating func succeeded(_ log: Logger) {
            if fault.clear() { log.notice("windows are recorded again; \(lost) were lost") }
            lost = 0
        }
    }

    private func write(_ window: RecordedWindow, _ model: RecordedModel, _ session: inout Session) {
        guard session.writer != nil else { return session.lost += 1 }
        // A clock that was set back ends the file too.
        if session.format?.model != model || window.time < session.began || window.time - session.began >= duration
            || session.writer?.bytes ?? 0 >= fileLimit
        {
            finish(&session)
        }
        do throws(Fault) {
            try begin(window, model, &session)
            guard let format = session.format, let directory = session.writer?.spool.directory else { return }
            let label = UserLabel.current(in: directory, now: window.time / 1000).flatMap { model.labels.firstIndex(of: $0.label) }
            try session.writer?.append { format.write(window, label: label, &$0) }
            session.succeeded(log)
        } catch {
            session.lose(1, error, log)
            // What is whole goes on; the disk may take a new file when it has room again.
            finish(&session)
        }
    }

    private func begin(_ window: RecordedWindow, _ model: RecordedModel, _ session: inout Session) throws(Fault) {
        guard let writer = session.writer, !writer.isOpen else { return }
        if session.hasStranded {
            _ = try writer.spool.recover()
            session.hasStranded = false
        }
        for dropped in try writer.spool.enforceLimits() { log.warning("\(dropped) was dropped: the spool is over its limits") }
        let format = RowFormat(content: content, model: model)
        try writer.begin(at: window.time / 1000, format.attributes)
        (session.format, session.began) = (format, window.time)
    }

    private func finish(_ session: inout Session) {
        guard session.writer?.isOpen == true else { return }
        do throws(Fault) {
            try session.writer?.finish(hop: session.format?.model.hop ?? 0)
            onFinished()
        } catch {
            session.hasStranded = true
            log.error("a file of the spool could not be finished yet: \(error)")
        }
    }
}

extension Spool {
    /// Kept on disk with the next change that the disk takes; a window a second must not mean a write a second.
    func countLost(_ windows: Int) { counts.withLock { $0.lostWindows += windows } }

    func noteRate(bytesPerHour: Int64) { count { $0.bytesPerHour = bytesPerHour } }

    func keepCounts() { count { _ in } }
}
