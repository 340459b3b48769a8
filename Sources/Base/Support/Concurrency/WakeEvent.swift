internal import Glibc

/// Wakes a thread that waits for it: a pipe, so that no clock that someone sets takes part.
package final class WakeEvent: Sendable {
    private let reader: CInt, writer: CInt

    package init() {
        var ends: [CInt] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit { for end in [reader, writer] where end >= 0 { close(end) } }

    /// Readable once it is raised, until a wait: for poll(2).
    package var descriptor: CInt { reader }

    /// Ends one wait, or the next one.
    package func raise() {
        var byte: UInt8 = 1
        _ = unsafe write(writer, &byte, 1)
    }

    /// Waits until it is raised, at most `milliseconds`; tells whether it was.
    ///
    /// - Parameter other: a descriptor that ends the wait, too, once it is readable; -1 for none.
    @discardableResult
    package func wait(milliseconds: Int, or other: CInt = -1) -> Bool {
        let event = Int16(POLLIN)
        var files = (pollfd(fd: reader, events: event, revents: 0), pollfd(fd: other, events: event, revents: 0)), bytes: UInt64 = 0
        let count = unsafe withUnsafeMutablePointer(to: &files) { files in
            unsafe files.withMemoryRebound(to: pollfd.self, capacity: 2) { unsafe poll($0, 2, CInt(clamping: milliseconds)) }
        }
        guard count > 0, files.0.revents != 0 else { return false }
        while unsafe read(reader, &bytes, 8) > 0 {}
        return true
    }
}
