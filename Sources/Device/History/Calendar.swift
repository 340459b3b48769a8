internal import Glibc
package import Support

/// Days of the local calendar; times in ms since 1970.
package enum Calendar {
    /// The hour of the day, 0 ... 23.
    static func hour(of milliseconds: Int64) -> Int { CalendarTime(local: milliseconds / 1000).hour }

    /// "09:03"
    package static func clock(_ milliseconds: Int64) -> String {
        let time = CalendarTime(local: milliseconds / 1000)
        return two(time.hour) + ":" + two(time.minute)
    }

    /// "2026-11-24", local.
    package static func name(of milliseconds: Int64) -> String {
        let time = CalendarTime(local: milliseconds / 1000)
        return "\(time.year)-\(two(time.month))-\(two(time.day))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The midnights that a day lies between; a day in which clocks are put forward or back has 23 or 25 hours.
    ///
    /// - Parameter name: "2026-11-24", "today" or "yesterday".
    /// - Throws: `.usage` for what is no day.
    package static func day(_ name: String, now: Int64) throws(Fault) -> (name: String, from: Int64, to: Int64) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        var time = CalendarTime(local: now / 1000)
        if parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            CalendarTime.day(year: year, month: month, day: day) != nil
        {
            (time.year, time.month, time.day) = (year, month, day)
        } else if name == "yesterday" {
            time.day -= 1
        } else if name != "today" {
            throw Fault(.usage, "\"\(name)\" is no day", remedy: "Write it as 2026-11-24, today or yesterday.")
        }
        let (from, to) = midnights(of: time)
        return (self.name(of: from + 43_200_000), from, to)
    }

    /// The midnights around a time. Allocates nothing: the loop asks when a day ends.
    static func midnights(around milliseconds: Int64) -> (from: Int64, to: Int64) {
        midnights(of: CalendarTime(local: milliseconds / 1000))
    }

    /// When the clock shows an hour of the day that begins at a midnight; 24 is the next midnight.
    static func time(of hour: Int, after midnight: Int64) -> Int64 {
        guard hour < 24 else { return midnights(around: midnight).to }
        var time = CalendarTime(local: midnight / 1000)
        time.hour = hour
        return instant(of: time)
    }

    private static func midnights(of time: CalendarTime) -> (from: Int64, to: Int64) { (midnight(time), midnight(time, later: 1)) }

    private static func midnight(_ time: CalendarTime, later days: Int = 0) -> Int64 {
        var midnight = time
        (midnight.day, midnight.hour) = (time.day + days, 0)
        return instant(of: midnight)
    }

    // Minutes and seconds do not count.
    private static func instant(of time: CalendarTime) -> Int64 {
        var parts = unsafe tm()
        unsafe parts.tm_year = CInt(time.year - 1900)
        unsafe parts.tm_mon = CInt(time.month - 1)
        unsafe parts.tm_mday = CInt(time.day)
        unsafe parts.tm_hour = CInt(time.hour)
        unsafe parts.tm_isdst = -1
        return unsafe Int64(mktime(&parts)) * 1000
    }
}
