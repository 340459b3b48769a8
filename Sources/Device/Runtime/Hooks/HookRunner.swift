package import Logging
package import Settings
package import Support

/// Runs the user's programs when the activity changes and when somebody falls: beside the service, never in it. One at a time, each
/// within its time; what it reads is the local stream, so that a hook that hangs holds up nothing but the next one.
package struct HookRunner: Sendable {
    private let onChange: Hook?, onFall: Hook?
    private let log: Logger

    /// - Throws: `.configuration` where no hook is set or one cannot be run.
    package init(_ settings: SettingValues.Hooks, log: Logger) throws(Fault) {
        guard settings.onChange != nil || settings.onFall != nil else {
            throw Fault(
                .configuration, "there is no hook", remedy: "Set hooks.on_change or hooks.on_fall: gaitway config explain.")
        }
        onChange = try settings.onChange.map { path throws(Fault) in try Hook(path, timeout: settings.timeout) }
        onFall = try settings.onFall.map { path throws(Fault) in try Hook(path, timeout: settings.timeout) }
        self.log = log
    }

    /// Runs until `stop` is raised, over ends and starts of the program that is followed.
    package func run(unless stop: Stop) {
        let queue = HookQueue(), worker = ServiceThread()
        worker.start { work(queue, stop) }
        var fault = RepeatedFault(), backOff = BackOff(base: 1, cap: 10, jitter: .full)
        while !stop.isRaised {
            do throws(Fault) {
                try StreamFollower.follow([.changes, .falls], unless: stop) { event, _ in
                    if event["event"] == "hello" {
                        backOff.reset()
                        if fault.clear() { log.notice("gaitway runs again") }
                    }
                    queue.take(event)
                }
            } catch {
                if fault.isNew(error.message) { log.warning("\(error)") }
                stop.isRaised(within: Int(backOff.next(least: 0.2) * 1000))
            }
        }
        worker.join()
    }

    private func work(_ queue: HookQueue, _ stop: Stop) {
        while !stop.isRaised {
            guard let event = queue.next() else {
                queue.wanted.wait(milliseconds: 3_600_000, or: stop.descriptor)
                continue
            }
            guard let hook = event.isFall ? onFall : onChange else { continue }
            let problem = try? Awaited.value(unless: stop) { () async throws(Fault) in await hook.run(event.environment) }
            if let problem { log.warning("\(hook.path): \(problem)") }
        }
    }
}
