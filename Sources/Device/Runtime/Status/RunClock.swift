package import History
package import Support

/// When things happen in a run: a sensor's as the machine's clocks say; a recording's or simulated wearer's begin with the program,
/// or when they are said to, and go on as their samples do, however fast they are played.
package struct RunClock: Sendable {
    // ms since 1970; nil for a sensor.
    private let began: Int64?
    private let clock: ServiceClock

    /// - Parameter began: when a recording or simulated wearer begins, ms since 1970; now when nil.
    package init(isLive: Bool, began: Int64? = nil, clock: ServiceClock = .system) {
        self.began = isLive ? nil : began ?? clock.wall() / 1_000_000
        self.clock = clock
    }

    /// - Parameters:
    ///   - time: of the run, seconds x 50.
    ///   - waited: for how long a sensor's samples waited before they were looked at, ms.
    package func moment(at time: Int64, waited: Int64 = 0) -> DayTracker.Moment {
        if let began { return DayTracker.Moment(wall: began + time * 20, elapsed: time * 20) }
        return DayTracker.Moment(wall: clock.wall() / 1_000_000 - waited, elapsed: clock.sinceBoot() / 1_000_000 - waited)
    }
}
