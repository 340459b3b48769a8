internal import Glibc

/// Tells when a file was put into a directory: inotify, so that nobody has to look again and again.
package final class DirectoryWatch: Sendable {
    /// Readable once something came, until ``drain()``: for poll(2).
    package let descriptor: CInt

    /// nil where the directory is not there, or the system has no watch left.
    package init?(_ directory: String) {
        let made = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard made >= 0 else { return nil }
        // What is still being written is not there yet.
        guard unsafe inotify_add_watch(made, directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)) >= 0 else {
            close(made)
            return nil
        }
        descriptor = made
    }

    deinit { close(descriptor) }

    /// Forgets what it told.
    package func drain() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
