internal import Glibc
internal import Support

/// How fast a source that has no pace of its own is played.
package enum Speed: String, Sendable, CaseIterable {
    /// As its wearer moved.
    case real
    /// As fast as the processor goes.
    case max
}

/// Holds a recording back to the pace at which it was made.
package struct Pacer {
    private let start: Int64
    private let rate: Int64

    /// - Parameter rate: mHz.
    package init(rate: Int) {
        start = SystemTime.monotonic
        self.rate = Int64(rate)
    }

    /// Sleeps until `samples` samples after the start. Returns early when `interrupted` says so.
    package func wait(samples: some BinaryInteger, unless interrupted: () -> Bool) {
        let samples = Int64(samples), due = start + samples / rate * 1_000_000_000_000 + samples % rate * 1_000_000_000_000 / rate
        var time = timespec(tv_sec: time_t(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
        while !interrupted(), unsafe clock_nanosleep(CLOCK_MONOTONIC, CInt(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}
