import ArgumentParser
import History
import Settings
import Support

struct Today: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "A day of the wearer: activities, steps, walks, falls.",
        discussion: """
            DATE is 2026-11-24, today or yesterday, in local time. Read from what `gaitway run` keeps of a sensor's days (history.* in \
            `gaitway config explain`); the last minute may be missing. Minutes in which nothing moved the sensor for an hour and more do \
            not count: nobody wore it.
            """)

    @Argument(help: ArgumentHelp("The day.", valueName: "date")) var date = "today"
    @Option(help: ArgumentHelp("Write a page with the day's timeline.", valueName: "file"), completion: .file()) var html: String?
    @Flag(help: "Print the rows that are kept, as CSV: time in ms since 1970, kind, numbers.") var csv = false
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard !(csv && (format.json || html != nil)) else { throw ValidationError("--csv goes alone") }
    }

    func run() throws {
        let settings = try place.load(), now = SystemTime.wall / 1_000_000
        guard settings.history.enabled else {
            throw Fault(.configuration, "no days are kept: history.enabled is false", remedy: "See history.* in gaitway config explain.")
        }
        if !Files.exists(settings.history.place) {
            Console.note(
                """
                gaitway: \(settings.history.place) is not there yet: gaitway run keeps a sensor's days in it, and a simulated wearer's \
                where history.directory is set
                """)
        }
        let (name, from, to) = try Calendar.day(date, now: now)
        // A stretch that began the day before may reach into it, and one without the sensor beyond it.
        let rows = try HistoryLog.rows(
            in: settings.history.place, from: from - 86_400_000, to: to + Day.notWornAfter
        ) { (fault) throws(Fault) in
            guard fault.code != .permission else { throw fault }
            Console.note("gaitway: \(fault.message): what it holds is left out")
        }
        if csv {
            for row in rows where row.at >= from && row.at < to { try Console.print(Printable.text(row.fields.joined(separator: ","))) }
            return
        }
        let day = Day(name, from: from, to: to, rows: rows)
        if let html { try Files.write(Array(DayReport(day, now: now).html.utf8), to: html, isPrivate: true) }
        try Console.print(format.json ? DayText.json(day).text : DayText.text(day, now: now))
    }
}
