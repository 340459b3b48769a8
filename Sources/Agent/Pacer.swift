#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Holds a recording back to the pace at which it was made.
struct Pacer {
    private let start: Int
    private let rate: Int

    /// - Parameter rate: mHz.
    init(rate: Int) {
        start = Self.now
        self.rate = rate
    }

    /// Sleeps until `samples` samples after the start. Returns early when `interrupted` says so.
    func wait(samples: Int, unless interrupted: () -> Bool) {
        let due = start + samples / rate * 1_000_000_000_000 + samples % rate * 1_000_000_000_000 / rate
        var time = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
        while !interrupted(), unsafe clock_nanosleep(CLOCK_MONOTONIC, CInt(TIMER_ABSTIME), &time, nil) == EINTR {}
    }

    private static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
