package import Support

/// The days' rows on disk: text that is only ever appended to, a file for each run and day (UTC), whatever is older than `days` removed.
///
/// A power cut costs at most what was not yet synchronised; a torn line is left out when it is read.
package final class HistoryLog {
    private let directory: String
    private let disk: any Disk
    private let days: Int
    private var open: (file: CInt, path: String, day: Int64)?

    /// - Parameter days: that rows are kept; 0: for ever.
    package init(_ directory: String, days: Int, disk: any Disk = SystemDisk()) {
        (self.directory, self.days, self.disk) = (directory, days, disk)
    }

    deinit { if let open { disk.close(open.file) } }

    /// Appends rows and waits until the disk has them.
    ///
    /// - Parameter now: ms since 1970.
    /// - Throws: those of the disk; the rows may be given again.
    package func append(_ rows: [HistoryRow], now: Int64) throws(Fault) {
        guard !rows.isEmpty else { return }
        let (file, path) = try file(for: now)
        do throws(Fault) {
            try disk.append(Array(rows.map { $0.line + "\n" }.joined().utf8)[...], to: file, path)
            try disk.synchronise(file, path)
        } catch {
            // What follows half a line goes to another file.
            disk.close(file)
            open = nil
            throw error
        }
    }

    private func file(for now: Int64) throws(Fault) -> (CInt, String) {
        let day = Self.day(now)
        if let open, open.day == day { return (open.file, open.path) }
        if let open { disk.close(open.file) }
        open = nil
        if !Files.isDirectory(directory) { try disk.makeDirectory(directory) }
        removeOld(before: now)
        let name = "\(directory)/\(CalendarTime(utc: now / 1000).padded)"
        var path = name + ".csv", count = 0
        while Files.exists(path) {
            count += 1
            path = "\(name)-\(count).csv"
        }
        let file = try disk.create(path)
        try disk.synchronise(directory: directory)
        open = (file, path, day)
        return (file, path)
    }

    // A clock that was wrong must not remove what is right: only files below today's name, and never those of a later time.
    private func removeOld(before now: Int64) {
        guard days > 0 else { return }
        let oldest = CalendarTime(utc: now / 1000 - Int64(days) * 86_400).padded
        for name in (try? Files.list(directory)) ?? [] where name.hasSuffix(".csv") && name < oldest {
            try? disk.remove("\(directory)/\(name)")
        }
    }

    private static func day(_ milliseconds: Int64) -> Int64 { milliseconds / 86_400_000 }

    /// Rows that began from `start` on and before `end`, ms since 1970, in order of time.
    ///
    /// - Throws: those of reading. A directory that is not there has no rows.
    package static func rows(in directory: String, from start: Int64, to end: Int64) throws(Fault) -> [HistoryRow] {
        guard Files.isDirectory(directory) else { return [] }
        // A file holds one day from its name on; a stretch may have begun long before it was written.
        let first = CalendarTime(utc: max(0, start / 1000 - 86_400)).padded, last = CalendarTime(utc: end / 1000 + 86_400).padded
        var rows: [HistoryRow] = []
        for name in try Files.list(directory) where name.hasSuffix(".csv") && name >= first && name <= last {
            let text = String(decoding: try Files.read("\(directory)/\(name)", limit: 64 << 20), as: UTF8.self)
            for line in text.split(separator: "\n") {
                if let row = HistoryRow(line: line), row.at >= start, row.at < end { rows.append(row) }
            }
        }
        return rows.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
