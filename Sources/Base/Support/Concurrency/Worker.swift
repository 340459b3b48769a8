internal import CProcess
internal import Glibc
internal import Synchronization

/// A thread for work that blocks.
package final class Worker: Sendable {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    // nil where no thread could be had, and once it was joined.
    private let thread: Mutex<pthread_t?>

    private init(_ thread: pthread_t?) { self.thread = Mutex(thread) }

    deinit { if let left = thread.withLock({ $0 }) { pthread_detach(left) } }

    /// Runs `body` on a thread of its own; where none can be had, on this one.
    ///
    /// - Parameter isPolite: everything else on the machine goes first.
    @discardableResult
    package static func start(isPolite: Bool = false, _ body: @escaping @Sendable () -> Void) -> Worker {
        if let worker = startIfPossible(isPolite: isPolite, body) { return worker }
        body()
        return Worker(nil)
    }

    /// Runs `body` on a thread of its own; nil where none can be had.
    package static func startIfPossible(isPolite: Bool = false, _ body: @escaping @Sendable () -> Void) -> Worker? {
        let work = unsafe Unmanaged.passRetained(
            Work {
                if isPolite { gw_thread_yield_to_others() }
                body()
            }
        ).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work)
        if code == 0 { return Worker(thread) }
        unsafe Unmanaged<Work>.fromOpaque(work).release()
        return nil
    }

    /// Waits for its end.
    package func join() {
        let thread = thread.withLock { held in
            defer { held = nil }
            return held
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// What blocking work gives, without blocking who awaits it. A cancelled task raises the flag.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable (Stop) -> Result<Value, Fault>) async throws(Fault) -> Value {
        let cancellation = Stop()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Fault>, Never>) in
                start { continuation.resume(returning: body(cancellation)) }
            }
        } onCancel: {
            cancellation.raise()
        }
        return try result.get()
    }
}
