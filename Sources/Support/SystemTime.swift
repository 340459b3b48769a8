internal import Glibc

/// The kernel's clocks that no one sets, in ns since the machine started.
public enum SystemTime {
    /// Stands still while the machine sleeps.
    public static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    /// Goes on while the machine sleeps.
    public static var sinceBoot: Int64 { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
