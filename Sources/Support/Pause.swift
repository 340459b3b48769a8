internal import Glibc

/// Blocks this thread for a while.
public enum Pause {
    public static func milliseconds(_ count: Int) { _ = poll(nil, 0, CInt(clamping: count)) }
}
