internal import Synchronization

/// What asynchronous work gives, for commands that have nothing else to do.
package enum Awaited {
    /// - Parameter flag: cancels the work when it is raised; what it gives then is what comes back.
    package static func value<Value: Sendable>(
        unless flag: Stop? = nil, _ body: @escaping @Sendable () async throws(Fault) -> Value
    ) throws(Fault) -> Value {
        let box = Box<Value>(), done = WakeEvent()
        let task = Task.detached {
            let result: Result<Value, Fault>
            do throws(Fault) { result = .success(try await body()) } catch { result = .failure(error) }
            box.result.withLock { $0 = result }
            done.raise()
        }
        while true {
            if let result = box.result.withLock({ $0 }) { return try result.get() }
            if flag?.isRaised == true { task.cancel() }
            done.wait(milliseconds: flag == nil ? 60_000 : 200)
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        let result: Mutex<Result<Value, Fault>?> = Mutex(nil)
    }
}
