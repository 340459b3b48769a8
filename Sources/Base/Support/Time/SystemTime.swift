internal import Glibc

/// The kernel's clocks.
package enum SystemTime {
    /// Nanoseconds since 1970 in UTC, as far as anyone has set this clock: it may jump.
    package static var wall: Int64 { read(CLOCK_REALTIME) }
    /// The same in whole seconds.
    package static var wallSeconds: Int64 { wall / 1_000_000_000 }
    /// The same in seconds with their fraction, to a microsecond.
    package static var wallTime: Double { Double(wall) / 1e9 }
    /// Nanoseconds since the machine started. No one sets it; it stands still while the machine sleeps.
    package static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    /// The same, going on while the machine sleeps.
    package static var sinceBoot: Int64 { read(CLOCK_BOOTTIME) }
    /// Nanoseconds that the machine slept since it started.
    package static var asleep: Int64 {
        // Nobody reads two clocks at once: of a few tries the one that was interrupted least counts.
        var shortest = Int64.max, found: Int64 = 0
        for _ in 0..<4 {
            let before = monotonic, boot = sinceBoot, took = monotonic - before
            if took < shortest { (shortest, found) = (took, boot - before - took / 2) }
            if shortest < 1_000_000 { break }
        }
        return found
    }
    /// Nanoseconds of processor time that this thread has used.
    package static var threadProcessor: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }
    /// Seconds of `sinceBoot` with their fraction.
    package static var uptime: Double { Double(sinceBoot) / 1e9 }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        // A clock beyond the year 2262 stands still there.
        let (nanoseconds, isTooFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = nanoseconds.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooFar || isOver ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}
