internal import Glibc

/// A wish to stop that ends every wait at once: the reading end of a pipe, which becomes readable and stays so.
public final class Cancellation: Sendable {
    /// For poll(2). -1 when the system has no descriptor left; the wish is then never noticed.
    public let descriptor: CInt
    /// One byte written here is the wish: what a signal handler may do, which must not touch an object.
    public let trigger: CInt

    public init() {
        var ends: [CInt] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (descriptor, trigger) = (ends[0], ends[1])
    }

    deinit { for end in [descriptor, trigger] where end >= 0 { close(end) } }

    public func request() { Self.request(trigger) }

    /// The same for a signal handler, which knows `trigger` alone.
    public static func request(_ trigger: CInt) {
        var byte: UInt8 = 1
        _ = unsafe write(trigger, &byte, 1)
    }

    public var isRequested: Bool { isRequested(within: 0) }

    /// Waits `milliseconds` or until the wish comes, whichever is first; tells whether it has come.
    public func isRequested(within milliseconds: Int) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&file, 1, CInt(clamping: milliseconds)) > 0
    }
}
