internal import Glibc

/// Blocks this thread for a while.
package enum Pause {
    package static func milliseconds(_ count: Int) { _ = poll(nil, 0, CInt(clamping: count)) }
}
