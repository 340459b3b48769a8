internal import Glibc

/// A moment in the calendar.
package struct CalendarTime: Sendable, Equatable {
    package var year, month, day, hour, minute, second: Int

    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day, self.hour, self.minute, self.second) = (year, month, day, hour, minute, second)
    }

    /// In the local time zone.
    ///
    /// - Parameter nanoseconds: since 1970 in UTC.
    package init(nanoseconds: Int64) { self.init(local: nanoseconds / 1_000_000_000) }

    /// In the local time zone; seconds since 1970 in UTC.
    package init(local seconds: Int64) {
        var seconds = time_t(truncatingIfNeeded: seconds), parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        unsafe self.init(parts)
    }

    /// In UTC; seconds since 1970.
    package init(utc seconds: Int64) {
        var seconds = time_t(truncatingIfNeeded: seconds), parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        unsafe self.init(parts)
    }

    private init(_ parts: tm) {
        unsafe self.init(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour),
            minute: Int(parts.tm_min),
            second: Int(parts.tm_sec))
    }

    /// Days since 1970 of a date in UTC; nil for what is none.
    package static func day(year: Int, month: Int, day: Int) -> Int64? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        var parts = unsafe tm()
        unsafe parts.tm_year = CInt(year - 1900)
        unsafe parts.tm_mon = CInt(month - 1)
        unsafe parts.tm_mday = CInt(day)
        let seconds = unsafe Int64(timegm(&parts))
        // 31 February became a day of March.
        return unsafe parts.tm_mday == CInt(day) ? seconds / 86_400 : nil
    }

    package static var now: CalendarTime { CalendarTime(local: Int64(time(nil))) }

    /// "20261121090305": what sorts as time goes.
    package var digits: String {
        func digits(_ value: Int, _ count: Int) -> String { String(repeating: "0", count: max(0, count - "\(value)".count)) + "\(value)" }
        return digits(year, 4) + digits(month, 2) + digits(day, 2) + digits(hour, 2) + digits(minute, 2) + digits(second, 2)
    }

    /// "20261121-090305"
    package var padded: String { digits.prefix(8) + "-" + digits.dropFirst(8) }

    /// Swift-HAR's "20261121-935", which may stand for several moments.
    package var unpadded: String { "\(year)\(month)\(day)-\(hour)\(minute)\(second)" }
}
