internal import Support

/// When a sensor that stopped is tried again: every second where it is gone, less and less often where it is there and cannot be used.
struct SensorReturn {
    private var tries = 0, due: Int64 = 0
    private var fault = RepeatedFault()
    private var backOff = BackOff(base: 1, cap: 60, jitter: .none)

    /// The sensor has stopped now.
    ///
    /// - Parameter isAgain: it came back a moment ago and could not be used: waits go on where they were.
    mutating func begin(again isAgain: Bool = false) {
        (tries, fault) = (0, RepeatedFault())
        if !isAgain {
            backOff.reset()
            due = 0
        } else {
            wait()
        }
    }

    /// Waits a second at most.
    ///
    /// - Returns: whether it is time for a try.
    mutating func isDue(unless cancellation: Stop) -> Bool {
        if (tries > 0 || due > SystemTime.monotonic) && cancellation.isRaised(within: 1000) { return false }
        tries += 1
        return due <= SystemTime.monotonic
    }

    /// A try failed.
    ///
    /// - Returns: whether that is something else than before.
    mutating func failed(_ why: Fault) -> Bool {
        if why.condition == .sensorUnusable { wait() }
        return fault.isNew(why.message)
    }

    private mutating func wait() { due = SystemTime.monotonic + Int64(backOff.next() * 1e9) }
}
