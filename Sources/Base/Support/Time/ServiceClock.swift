/// The clocks that a service goes by; tests give their own.
package struct ServiceClock: Sendable {
    /// Nanoseconds since the machine started, going on while it sleeps.
    package var sinceBoot: @Sendable () -> Int64
    /// Nanoseconds since 1970 in UTC; it may jump.
    package var wall: @Sendable () -> Int64

    package init(sinceBoot: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64) {
        (self.sinceBoot, self.wall) = (sinceBoot, wall)
    }

    package static let system = ServiceClock(sinceBoot: { SystemTime.sinceBoot }, wall: { SystemTime.wall })

    /// The time of day, local.
    package var timeOfDay: CalendarTime { CalendarTime(nanoseconds: wall()) }
}
