internal import CProcess
internal import Glibc
internal import Synchronization

/// A request to stop, raised once: any thread may ask whether it was, and a wait for its descriptor ends with it.
package final class Stop: Sendable {
    private let raised = Atomic(false)
    // Both ends of a pipe; -1 until somebody waits, or where the system has no descriptor left.
    private let reader = Atomic<CInt>(-1), writer = Atomic<CInt>(-1)
    private let making = Mutex(())

    package init() {}

    deinit { for end in [reader.load(ordering: .relaxed), writer.load(ordering: .relaxed)] where end >= 0 { close(end) } }

    package func raise() {
        raised.store(true, ordering: .sequentiallyConsistent)
        let writer = writer.load(ordering: .sequentiallyConsistent)
        if writer >= 0 { Self.raise(writer) }
    }

    /// Becomes readable when the request comes, and stays so: for poll(2).
    package var descriptor: CInt {
        makePipe()
        return reader.load(ordering: .sequentiallyConsistent)
    }

    /// One byte written here is the request: what a signal handler may do, which must not touch an object.
    package var trigger: CInt {
        makePipe()
        return writer.load(ordering: .sequentiallyConsistent)
    }

    /// The request by a signal handler, which knows ``trigger`` alone.
    package static func raise(_ trigger: CInt) {
        var byte: UInt8 = 1
        _ = unsafe write(trigger, &byte, 1)
    }

    package var isRaised: Bool {
        if raised.load(ordering: .relaxed) { return true }
        let reader = reader.load(ordering: .relaxed)
        return reader >= 0 && Self.isReadable(reader, within: 0)
    }

    /// Waits `milliseconds` or until the request comes, whichever is first.
    ///
    /// - Returns: whether it has come.
    @discardableResult
    package func isRaised(within milliseconds: Int) -> Bool { Self.isReadable(descriptor, within: milliseconds) }

    private static func isReadable(_ reader: CInt, within milliseconds: Int) -> Bool {
        var file = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&file, 1, CInt(clamping: milliseconds)) > 0
    }

    private func makePipe() {
        making.withLock { _ in
            guard reader.load(ordering: .relaxed) < 0 else { return }
            var ends: [CInt] = [-1, -1]
            guard unsafe gw_pipe(&ends) == 0 else { return }
            writer.store(ends[1], ordering: .sequentiallyConsistent)
            reader.store(ends[0], ordering: .sequentiallyConsistent)
            if raised.load(ordering: .sequentiallyConsistent) { Self.raise(ends[1]) }
        }
    }
}
