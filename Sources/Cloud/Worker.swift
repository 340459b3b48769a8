internal import Glibc

/// A thread for work that blocks.
enum Worker {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own; where none can be had, on this one.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work)
        if code == 0 {
            pthread_detach(thread)
        } else {
            unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        }
    }
}
