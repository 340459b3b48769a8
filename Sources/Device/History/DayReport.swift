internal import Charts
internal import HubProtocol
internal import Support

/// A day as one HTML file that needs nothing else.
package struct DayReport {
    private let day: Day
    private let now: Int64

    /// - Parameter now: ms since 1970.
    package init(_ day: Day, now: Int64) { (self.day, self.now) = (day, now) }

    private static let labels = [
        "WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING", "RUNNING", "CYCLING",
    ]

    package var html: String {
        var page = ReportPage(title: "The day \(day.name)")
        page.paragraph(
            """
            \(day.steps) steps, \(day.bouts.count) walks, \(Units.several(day.falls.count, "fall")), \
            \(Units.several(day.falls.count(where: \.wasAlarm), "alarm")).
            """)
        page.heading("Hour by hour")
        page.picture(Timeline.day(hours, hours: 6, labels: Self.labels))
        page.heading("Activities")
        page.table(
            ["activity", "minutes"],
            day.lengths.map { [$0.label, minutes($0.length)] }
                + (day.notWornLength > 0 ? [["not worn", minutes(day.notWornLength)]] : []))
        if let sitting = day.longestSitting {
            page.paragraph(
                "Longest sitting: \(minutes(sitting.to - sitting.from)) minutes from \(Calendar.clock(sitting.from)).", isNote: true)
        }
        page.heading("Steps by hour")
        page.table(
            ["hour", "steps"],
            day.stepsByHour.enumerated().filter { $0.element > 0 }.map { ["\($0.offset < 10 ? "0" : "")\($0.offset):00", "\($0.element)"] })
        page.heading("Walks")
        page.table(
            ["from", "minutes", "steps", "steps a minute"],
            day.bouts.map { [Calendar.clock($0.from), minutes($0.to - $0.from), "\($0.steps)", "\($0.cadence)"] })
        if !day.falls.isEmpty {
            page.heading("Falls")
            page.table(["at", "state"], day.falls.map { [Calendar.clock($0.at), $0.text] })
        }
        return page.html
    }

    private func minutes(_ milliseconds: Int64) -> String { Decimals.text(milliseconds, over: 60_000, places: 1) }

    // Six hours of the clock a row, stretched where clocks are put forward or back in it.
    private var hours: [(hour: Int, bands: [Timeline.Band])] {
        let all = day.stretches + day.notWorn.map { Day.Stretch(label: "not worn", from: $0.from, to: $0.to) }
        return stride(from: 0, to: 24, by: 6).map { hour in
            let start = Calendar.time(of: hour, after: day.from), end = Calendar.time(of: hour + 6, after: day.from)
            func place(_ time: Int64) -> Double { Double(min(max(time, start), end) - start) * 6 * 3600 / Double(max(1, end - start)) }
            let bands = all.filter { $0.to > start && $0.from < end }.map {
                Timeline.Band(
                    label: $0.label, from: place($0.from), to: place($0.to),
                    title: "\($0.label), \(Calendar.clock($0.from)) to \(Calendar.clock($0.to))")
            }
            return (hour, bands)
        }
    }
}
