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
    private let told: Mutex<[@Sendable (Report) -> Void]> = Mutex([])
    // Looked at by the loop without a lock.
    private let isOpen = Atomic(false)

    /// - Parameters:
    ///   - directory: the state's; nil to keep nothing.
    ///   - confirm: seconds down until a fall is confirmed.
    ///   - cancel: seconds in which it can be cancelled after that.
    package init(in directory: String?, confirm: Double, cancel: Double, log: Logger) {
        (path, self.log) = (directory.map { "\($0)/fall.json" }, log)
        var alarm = FallAlarm(confirm: Int64(confirm * 1000), cancelWindow: Int64(cancel * 1000))
        if let path, let kept = (try? Files.read(path, limit: 4096)).flatMap({ JSONValue(parsing: $0) }),
            let state = kept["state"]?.text.flatMap(FallState.init(rawValue:)),
            let impact = kept["impact"]?.number.flatMap({ Int64(exactly: $0.rounded()) }),
            let fallen = kept["fallen"]?.number.flatMap({ Int64(exactly: $0.rounded()) })
        {
            alarm.restore(state, impact: impact, fallen: fallen)
        }
        isOpen.store(alarm.isOpen, ordering: .relaxed)
        state = Mutex(State(alarm: alarm))
    }

    /// Calls `body` with each change from now on, on the thread that noticed it.
    package func tell(_ body: @escaping @Sendable (Report) -> Void) { told.withLock { $0.append(body) } }

    /// nil before the first fall.
    package var latest: Report? {
        state.withLock { state in state.alarm.state.map { Report(state: $0, at: state.alarm.impact) } }
    }

    /// - Parameters:
    ///   - age: seconds since the blow.
    ///   - now: ms since 1970.
    package func take(_ event: FallEvent, age: Double, now: Int64) {
        let kind: FallState =
            switch event.kind {
            case .impact: .impact
            case .fallen: .fallen
            case .recovered: .recovered
            }
        change { $0.take(kind, impact: now - Int64(age * 1000), now: now) }
    }

    /// A window was decided on; nothing happens as long as there is no fall.
    package func take(activity: String, now: Int64) {
        guard isOpen.load(ordering: .relaxed) else { return }
        change { $0.take(activity: activity) }
        change { $0.tick(now) }
    }

    /// - Throws: `.usage` when there is no fall to cancel.
    package func cancel() throws(Fault) {
        guard change({ $0.cancel() }) else { throw Fault(.usage, "there is no fall that could be cancelled") }
    }

    @discardableResult
    private func change(_ body: (inout FallAlarm) -> FallState?) -> Bool {
        let report: Report? = state.withLock { state in
            guard let now = body(&state.alarm) else { return nil }
            isOpen.store(state.alarm.isOpen, ordering: .relaxed)
            keep(&state)
            return Report(state: now, at: state.alarm.impact)
        }
        guard let report else { return false }
        log.log(level: report.state == .alarm ? .warning : .notice, "fall: \(report.state.rawValue)")
        for body in told.withLock({ $0 }) { body(report) }
        return true
    }

    private func keep(_ state: inout State) {
        guard let path, let now = state.alarm.state else { return }
        let text: JSONValue = [
            "state": .string(now.rawValue), "impact": .whole(state.alarm.impact), "fallen": .whole(state.alarm.fallen),
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
