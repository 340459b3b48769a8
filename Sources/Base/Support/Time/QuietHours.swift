/// Hours of the day, in local time, in which nothing is sent: "22:00-06:30".
package struct QuietHours: Sendable, Equatable {
    /// Minutes of the day; an end before the beginning is on the next day.
    let begin: Int, end: Int

    /// - Throws: `.configuration`.
    package init(_ text: String) throws(Fault) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minutes($0) }
        guard ends.count == 2, let begin = ends[0], let end = ends[1], begin != end else {
            throw Fault(.configuration, "\"\(text)\" are no quiet hours", remedy: "Write them as 22:00-06:30.")
        }
        (self.begin, self.end) = (begin, end)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    /// "22:00-06:30"
    package var text: String { Self.clock(begin) + "-" + Self.clock(end) }

    private static func clock(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    package func contain(_ time: CalendarTime) -> Bool {
        let now = time.hour * 60 + time.minute
        return begin < end ? (begin..<end).contains(now) : now >= begin || now < end
    }
}
