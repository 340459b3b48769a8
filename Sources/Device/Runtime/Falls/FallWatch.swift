package import History
package import HubProtocol
package import Logging
package import Recognition
package import Support
internal import Synchronization

/// The latest fall of the wearer: told to whoever wants to know, kept over restarts, cancelled by whoever may.
package final class FallWatch: Sendable {
    /// A change of what is known; `at` is when the blow was, ms since 1970.
    package struct Report: Sendable, Equatable {
        package var state: FallState
        package var at: Int64
    }

    private struct State {
        var alarm: FallAlarm
        var fault = RepeatedFault()
    }

    private let state: Mutex<State>
    private let path: String?
    private let log: Logger
    // One change after the other is told, whoever made it.
    private let telling = Mutex(())
    private let told: Mutex<[@Sendable (Report) -> Void]> = Mutex([])
    // Looked at by the loop without a lock.
    private let isOpen = Atomic(false)

    /// - Parameters:
    ///   - directory: where it is kept; nil to keep nothing.
    ///   - confirm: seconds down until a fall is confirmed.
    ///   - cancel: seconds in which it can be cancelled after that.
    package init(in directory: String?, confirm: Double, cancel: Double, now: DayTracker.Moment, log: Logger) {
        (path, self.log) = (directory.map { "\($0)/fall.json" }, log)
        var alarm = FallAlarm(confirm: Int64(confirm * 1000), cancelWindow: Int64(cancel * 1000))
        if let path, Files.isFile(path), let kept = (try? Files.read(path, limit: 4096)).flatMap({ JSONValue(parsing: $0) }),
            let state = kept["state"]?.text.flatMap(FallState.init(rawValue:)),
            let impact = kept["impact"]?.number.flatMap({ Int64(exactly: $0.rounded()) }),
            let fallen = kept["fallen"]?.number.flatMap({ Int64(exactly: $0.rounded()) })
        {
            alarm.restore(state, impact: impact, fallen: fallen, now: now)
        }
        isOpen.store(alarm.isOpen, ordering: .relaxed)
        state = Mutex(State(alarm: alarm))
    }

    /// Calls `body` with each change from now on, on the thread that noticed it.
    package func tell(_ body: @escaping @Sendable (Report) -> Void) { told.withLock { $0.append(body) } }

    /// nil before the first fall.
    package var latest: Report? {
        state.withLock { state in state.alarm.state.map { Report(state: $0, at: state.alarm.impact.wall) } }
    }

    /// - Parameters:
    ///   - age: seconds since the blow.
    package func take(_ event: FallEvent, age: Double, now: DayTracker.Moment) {
        let kind: FallState =
            switch event.kind {
            case .impact: .impact
            case .fallen: .fallen
            case .recovered: .recovered
            }
        let before = Int64(age * 1000)
        change { $0.take(kind, impact: .init(wall: now.wall - before, elapsed: now.elapsed - before), now: now) }
    }

    /// A window was decided on; nothing happens as long as there is no fall.
    package func take(activity: String, now: DayTracker.Moment) {
        guard mayChange else { return }
        change { $0.take(activity: activity, now: now) }
    }

    /// Whether something may still come of the latest fall.
    package var mayChange: Bool { isOpen.load(ordering: .relaxed) }

    /// Time goes on, with and without samples.
    package func tick(_ now: DayTracker.Moment) { if mayChange { change { $0.tick(now) } } }

    /// - Throws: `.noInput` when there is no fall to cancel.
    package func cancel() throws(Fault) {
        guard change({ $0.cancel() }) else { throw Fault(.noInput, "there is no fall that could be cancelled") }
    }

    @discardableResult
    private func change(_ body: (inout FallAlarm) -> FallState?) -> Bool {
        telling.withLock { _ in
            let report: Report? = state.withLock { state in
                guard let now = body(&state.alarm) else { return nil }
                isOpen.store(state.alarm.isOpen, ordering: .relaxed)
                return Report(state: now, at: state.alarm.impact.wall)
            }
            guard let report else { return false }
            log.notice("fall: \(report.state.rawValue)")
            for body in told.withLock({ $0 }) { body(report) }
            // Last: a power cut before it has it reported twice, not never, and a slow card holds up no alarm.
            state.withLock { keep(&$0) }
            return true
        }
    }

    private func keep(_ state: inout State) {
        guard let path, let now = state.alarm.state else { return }
        let text: JSONValue = [
            "state": .string(now.rawValue), "impact": .whole(state.alarm.impact.wall), "fallen": .whole(state.alarm.fallen.wall),
        ]
        do throws(Fault) {
            if let slash = path.lastIndex(of: "/") { try Files.makeDirectory(String(path[..<slash])) }
            try Files.write(text.bytes, to: path, isPrivate: true)
            state.fault.clear()
        } catch {
            if state.fault.isNew(error.message) { log.warning("a fall is not kept over a restart: \(error.message)") }
        }
    }
}
