internal import Synchronization

/// The one thread of a service: started once, joined when the service ends.
package final class ServiceThread: Sendable {
    private let worker: Mutex<Worker?> = Mutex(nil)

    package init() {}

    /// Runs `body` at low priority on a thread of its own.
    package func start(_ body: @escaping @Sendable () -> Void) { worker.withLock { $0 = Worker.start(isPolite: true, body) } }

    /// Waits for its end; whoever asks first ends it, the others do nothing.
    ///
    /// - Returns: whether there was a thread to wait for.
    @discardableResult
    package func join() -> Bool {
        let running = worker.withLock { held in
            defer { held = nil }
            return held
        }
        running?.join()
        return running != nil
    }
}
