import Support
import Synchronization

/// What asynchronous work gives, for commands that have nothing else to do.
enum Awaited {
    static func value<Value: Sendable>(_ body: @escaping @Sendable () async throws(Fault) -> Value) throws(Fault) -> Value {
        let box = Box<Value>(), done = Signal()
        Task.detached {
            let result: Result<Value, Fault>
            do throws(Fault) { result = .success(try await body()) } catch { result = .failure(error) }
            box.result.withLock { $0 = result }
            done.raise()
        }
        while true {
            if let result = box.result.withLock({ $0 }) { return try result.get() }
            done.wait(milliseconds: 60_000)
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        let result: Mutex<Result<Value, Fault>?> = Mutex(nil)
    }
}
