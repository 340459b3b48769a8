package import Support

/// The days' rows on disk: text that is only ever appended to, a file for each run and day (UTC), whatever is older than `days` removed.
///
/// A power cut costs at most what was not yet synchronised; a torn line is left out when it is read.
package final class HistoryLog {
    private let directory: String
    private let disk: any Disk
    private let days: Int
    private static let mostRemoved = 4
    private static let largest = 64 << 20
    // Days for which rows may have waited for their file.
    private static let patience: Int64 = 7
    private var open: (file: CInt, path: String, day: Int64, length: Int64)?
    // Files that hold a part of what is given again, which could not be cut off.
    var doubtful: [(file: String, length: Int64)] = []

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
        let (file, path, length) = try file(for: now)
        let all = doubtful.map { HistoryRow.void(at: now, file: $0.file, length: $0.length) } + rows
        let bytes = Array(all.map { $0.line + "\n" }.joined().utf8)
        do throws(Fault) {
            try disk.append(bytes[...], to: file, path)
            try disk.synchronise(file, path)
            open?.length = length + Int64(bytes.count)
            doubtful = []
        } catch {
            // The rows come again: none of them may stay.
            let isCut = (try? disk.truncate(file, to: length, path)) != nil, isGone = length == 0 && (try? disk.remove(path)) != nil
            if !isCut && !isGone { doubtful.append((String(path.dropFirst(directory.utf8.count + 1)), length)) }
            disk.close(file)
            open = nil
            throw error
        }
    }

    private func file(for now: Int64) throws(Fault) -> (CInt, String, Int64) {
        let day = Self.day(now)
        if let open, open.day == day { return (open.file, open.path, open.length) }
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
        open = (file, path, day, 0)
        return (file, path, 0)
    }

    // A clock that is ahead must not remove what is right: days are counted back from the newest file that is kept, too; and only a few
    // files go with each new one, since that clock may have made the newest.
    private func removeOld(before now: Int64) {
        let kept = Self.files(in: directory)
        guard days > 0, let newest = kept.last?.day else { return }
        let oldest = min(Self.day(now), newest + 1) - Int64(days)
        for file in kept.prefix(Self.mostRemoved) where file.day < oldest { try? disk.remove("\(directory)/\(file.name)") }
    }

    // The store's own files, by their names "20261124-090305.csv" and "20261124-090305-1.csv", the oldest first.
    private static func files(in directory: String) -> [(name: String, day: Int64)] {
        ((try? Files.list(directory)) ?? []).compactMap { name in
            let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
            guard name.hasSuffix(".csv"), (2...3).contains(parts.count), parts[0].utf8.count == 8, parts[1].utf8.count == 6,
                parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }), let date = Int(parts[0]),
                let day = CalendarTime.day(year: date / 10_000, month: date / 100 % 100, day: date % 100)
            else { return nil }
            return (name, day)
        }.sorted { $0.name.dropLast(4) < $1.name.dropLast(4) }
    }

    private static func day(_ milliseconds: Int64) -> Int64 { milliseconds / 86_400_000 }

    /// Rows that began from `start` on and before `end`, ms since 1970, in order of time.
    ///
    /// - Parameter unread: gets why a file of these days is left out: `.permission`, `.badData` for one of more than 64 MiB.
    /// - Throws: `.permission` where the directory may not be read, `.noInput` where it is something else; what `unread` throws. What is
    ///   no file of the store is passed over. A directory that is not there has no rows.
    package static func rows(
        in directory: String, from start: Int64, to end: Int64, unread: (Fault) throws(Fault) -> Void = { (_) throws(Fault) in }
    ) throws(Fault) -> [HistoryRow] {
        guard Files.exists(directory) else { return [] }
        do throws(Fault) { _ = try Files.list(directory) } catch  where error.code == .permission {
            throw Fault(
                .permission, "no permission to read \(directory)", remedy: "Ask as its owner: sudo gaitway today, for the service's.")
        }
        // A file holds what ended from its name on, which may have begun a day before; a full disk may have held it back for days.
        var rows: [(row: HistoryRow, file: String, place: Int64)] = [], ends: [String: Int64] = [:]
        for file in files(in: directory) where file.day >= day(start) - 1 && Files.isFile("\(directory)/\(file.name)") {
            let bytes: [UInt8]
            do throws(Fault) { bytes = try Files.read("\(directory)/\(file.name)", limit: largest) } catch {
                // It was removed meanwhile, or is of so much later that hardly any disk was full as long.
                if Files.exists("\(directory)/\(file.name)"), file.day <= day(end) + patience { try unread(error) }
                continue
            }
            var place: Int64 = 0
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                if let row = HistoryRow(line: String(decoding: line, as: UTF8.self)[...]) {
                    if case .void(_, let other, let length) = row {
                        // One of its own name was another file, which is gone.
                        if other != file.name { ends[other] = min(ends[other] ?? length, length) }
                    } else if row.at >= start, row.at < end {
                        rows.append((row, file.name, place))
                    }
                }
                place += Int64(line.count) + 1
            }
        }
        return rows.filter { $0.place < ends[$0.file] ?? .max }.map(\.row).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
