import Glibc
import HubProtocol
import Support
import Synchronization
import TestHelpers
import Testing

@testable import History

private func directory() -> String { "/tmp/gaitway-\(getpid())-history-\(UInt32.random(in: 0 ... .max))" }

private let rows: [HistoryRow] = [
    .stretch(at: 1_795_423_325_380, label: "WALKING", length: 12_800, isStill: false),
    .stretch(at: 1_795_423_338_180, label: "SITTING|LAYING", length: 1, isStill: true),
    .minute(at: 1_795_423_320_000, steps: 31, movement: 144, seen: 60_000),
    .bout(at: 1_795_423_325_380, length: 12_800, steps: 22, cadence: 103),
    .fall(at: 1_795_423_400_000, state: .alarm),
    .void(at: 1_795_423_400_000, file: "20261124-000000.csv", length: 512),
]

@Suite struct HistoryRowTests {
    @Test func rowsAreReadBack() {
        for row in rows { #expect(HistoryRow(line: row.line[...]) == row) }
    }

    @Test func numbersThatCannotBeAreNone() {
        func line(_ fields: String) -> String { "\(fields),\(Checksum.text(Checksum.crc32("\(fields),".utf8)))" }
        #expect(HistoryRow(line: line("5,minute,1,2,60000")[...]) != nil)
        for fields in [
            "5,bout,9223372036854775807,5,100", "9223372036854775807,fall,alarm", "-1,fall,alarm", "5,minute,9223372036854775807,0,0",
            "5,minute,1,2,60001", "5,stretch,WALKING,9000000000000", "5,stretch,WALKING,-1", "5,fall,flight", "5,dance,1", "5,bout,1,2",
            ",,", "5,minute,1001,0,60000",
        ] { #expect(HistoryRow(line: line(fields)[...]) == nil, "\(fields)") }
        #expect(HistoryRow(line: HistoryRow.stretch(at: 5, label: "A,5\nB", length: 7, isStill: false).line[...])?.fields[2] == "A_5_B")
    }

    @Test func tornAndChangedLinesAreNone() {
        for row in rows {
            for count in 0..<row.line.utf8.count { #expect(HistoryRow(line: Substring(row.line.utf8.prefix(count))) == nil) }
            var bytes = Array(row.line.utf8)
            for index in bytes.indices {
                bytes[index] ^= 1
                #expect(HistoryRow(line: String(decoding: bytes, as: UTF8.self)[...]) == nil)
                bytes[index] ^= 1
            }
        }
    }
}

// Takes some appends whole, and half of the next one.
private struct FullDisk: Disk {
    private let disk = SystemDisk(), left: Counter
    private final class Counter: Sendable {
        let value: Mutex<Int>
        init(_ value: Int) { self.value = Mutex(value) }
    }

    private let cuts: Bool

    init(after count: Int, cuts: Bool = true) { (left, self.cuts) = (Counter(count), cuts) }

    func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        let isFull = left.value.withLock { left in
            left -= 1
            return left < 0
        }
        try disk.append(isFull ? bytes.prefix(bytes.count * 2 / 3) : bytes, to: file, path)
        if isFull { throw Fault(.failure, "the disk is full", condition: .diskFull) }
    }
    func makeDirectory(_ path: String) throws(Fault) { try disk.makeDirectory(path) }
    func create(_ path: String) throws(Fault) -> CInt { try disk.create(path) }
    func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) { try disk.overwrite(path, with: bytes) }
    func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) {
        guard cuts else { throw Fault(.failure, "the disk does not answer") }
        try disk.truncate(file, to: length, path)
    }
    func synchronise(_ file: CInt, _ path: String) throws(Fault) { try disk.synchronise(file, path) }
    func close(_ file: CInt) { disk.close(file) }
    func rename(_ path: String, to other: String) throws(Fault) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(Fault) { try disk.remove(path) }
    func synchronise(directory path: String) throws(Fault) { try disk.synchronise(directory: path) }
    func freeBytes(_ path: String) throws(Fault) -> Int64 { try disk.freeBytes(path) }
}

@Suite struct HistoryLogTests {
    private static let now: Int64 = 1_795_423_400_000

    private func read(_ place: String) throws -> [HistoryRow] { try HistoryLog.rows(in: place, from: 0, to: .max / 4) }

    /// The power goes before or within each operation: what was synchronised is there, nothing is read twice, and the next run goes on.
    @Test(arguments: CutDisk.Leftover.allCases) func aPowerCutLosesOnlyWhatWasNotSynchronised(_ leftover: CutDisk.Leftover) throws {
        for cut in 1...12 {
            let place = directory(), disk = CutDisk(cutAt: cut, leftover), log = HistoryLog(place, days: 0, disk: disk)
            var kept: [HistoryRow] = []
            for row in rows {
                do throws(Fault) {
                    try log.append([row], now: Self.now)
                    kept.append(row)
                } catch { break }
            }
            try disk.settle(undoesRenames: false)
            let found = try read(place)
            #expect(
                kept.allSatisfy(found.contains) && Set(found.map(\.line)).count == found.count && found.count <= kept.count + 1,
                "cut at \(cut)")
            try HistoryLog(place, days: 0).append([rows[4]], now: Self.now + 1000)
            #expect(try read(place).contains(rows[4]))
        }
    }

    @Test func oldDaysGoAndOthersStay() throws {
        let place = directory(), day: Int64 = 86_400_000
        try HistoryLog(place, days: 90).append([rows[0]], now: Self.now - 91 * day)
        try HistoryLog(place, days: 90).append([rows[1]], now: Self.now - 80 * day)
        // A clock that is years behind removes nothing.
        try HistoryLog(place, days: 90).append([rows[3]], now: 1_000_000_000_000)
        #expect(try Files.list(place).count == 3)
        // One that is years ahead removes what the newest file before it would have removed, and no more.
        try HistoryLog(place, days: 90).append([rows[4]], now: 4_000_000_000_000)
        #expect(try read(place).map(\.at) == [rows[0], rows[1], rows[4]].map(\.at).sorted())
        // The right clock removes as if the one ahead had not been.
        try HistoryLog(place, days: 90).append([rows[2]], now: Self.now)
        #expect(try read(place).map(\.at) == [rows[1], rows[2], rows[4]].map(\.at).sorted())
    }

    @Test func aClockThatIsAheadRemovesAFewAtMost() throws {
        let place = directory(), day: Int64 = 86_400_000, row = HistoryRow.bout(at: 5, length: 1, steps: 2, cadence: 100)
        for index in 0..<60 { try HistoryLog(place, days: 90).append([row], now: Self.now - Int64(60 - index) * day) }
        // Two starts of the program in a year to come, then the right time.
        for later in [365, 366] { try HistoryLog(place, days: 90).append([row], now: Self.now + Int64(later) * day) }
        try HistoryLog(place, days: 90).append([row], now: Self.now)
        #expect(try Files.list(place).count >= 63 - 4)
    }

    @Test func onlyItsOwnFilesAreReadAndRemoved() throws {
        let place = directory()
        try HistoryLog(place, days: 1).append([rows[0]], now: Self.now)
        let others = ["2019-taxes.csv", "1.csv", "(old) notes.csv", "20190101-120000.txt", "20190230-120000.csv"]
        for name in others { try Files.write(Array("mine".utf8), to: "\(place)/\(name)") }
        try Files.write(Array("old".utf8), to: "\(place)/20190101-120000.csv")
        #expect(mkfifo("\(place)/20261124-000000.csv", 0o600) == 0)
        try HistoryLog(place, days: 1).append([rows[1]], now: Self.now)
        let left = try Files.list(place)
        #expect(others.allSatisfy(left.contains) && !left.contains("20190101-120000.csv"))
        #expect(try read(place).count == 2)
    }

    @Test func whatADiskTookInPartCountsOnce() throws {
        let place = directory()
        try Files.makeDirectory(place)
        let log = HistoryLog(place, days: 0, disk: FullDisk(after: 1))
        try log.append([rows[0]], now: Self.now)
        #expect(throws: Fault.self) { try log.append([rows[2], rows[3]], now: Self.now + 1000) }
        #expect(try read(place) == [rows[0]])
        try HistoryLog(place, days: 0).append([rows[2], rows[3]], now: Self.now + 3 * 86_400_000)
        #expect(try read(place).count == 3, "what waited for days is read, too")
    }

    /// Two runs in one minute may have rows that are equal: both count.
    @Test func equalRowsOfTwoRunsCountTwice() throws {
        let place = directory()
        for run in 0..<2 { try HistoryLog(place, days: 0).append([rows[2]], now: Self.now + Int64(run) * 1000) }
        #expect(try read(place) == [rows[2], rows[2]])
    }

    /// What a disk took, but not surely, and did not cut off: it is written again, and counts once.
    @Test func whatIsWrittenAgainCountsOnce() throws {
        let place = directory()
        try Files.makeDirectory(place)
        let log = HistoryLog(place, days: 0, disk: FullDisk(after: 1, cuts: false))
        try log.append([rows[0]], now: Self.now)
        #expect(throws: Fault.self) { try log.append([rows[2], rows[2], rows[2], rows[3]], now: Self.now + 1000) }
        #expect(try read(place).count(where: { $0 == rows[2] }) == 2, "two thirds of it")
        // The clock was set back meanwhile: the file that says so has an earlier name.
        #expect(throws: Fault.self) { try log.append([rows[2], rows[2], rows[2], rows[3]], now: Self.now - 86_400_000) }
        let again = HistoryLog(place, days: 0)
        again.doubtful = log.doubtful
        try again.append([rows[2], rows[2], rows[2], rows[3]], now: Self.now - 86_399_000)
        #expect(try read(place).count(where: { $0 == rows[2] }) == 3 && again.doubtful.isEmpty)
        #expect(try read(place).contains(rows[0]) && read(place).count == 5)
    }

    @Test func aFileThatIsTooLargeIsLeftOut() throws {
        let place = directory(), day: Int64 = 86_400_000
        try HistoryLog(place, days: 0).append([rows[0]], now: Self.now)
        let large = "\(place)/20261130-000000.csv"
        try Files.write([], to: large)
        #expect(truncate(large, 65 << 20) == 0)
        func found(until end: Int64) throws -> (rows: Int, unread: [Fault]) {
            var unread: [Fault] = []
            let rows = try HistoryLog.rows(in: place, from: Self.now - day, to: end) { (fault) throws(Fault) in unread.append(fault) }
            return (rows.count, unread)
        }
        let whole = try found(until: Self.now + day)
        #expect(whole.rows == 1 && whole.unread.map(\.code) == [.badData])
        #expect(try found(until: Self.now - 7 * day).unread.isEmpty, "it is of so much later")
    }

    @Test func aDirectoryThatIsNotThereHasNoRows() throws { #expect(try read("/nonexistent/history").isEmpty) }

    @Test func whatTheDiskDoesNotTakeComesBack() {
        var tracker = DayTracker()
        tracker.take(.impact, at: 5)
        let taken = tracker.takeRows()
        tracker.take(.fallen, at: 6)
        tracker.giveBack(taken)
        #expect(tracker.takeRows().map(\.at) == [5, 6])
    }
}

@Suite struct DayTrackerTests {
    private func at(_ seconds: Double, clock: Int64 = 1_795_420_800_000) -> DayTracker.Moment {
        .init(wall: clock + Int64(seconds * 1000), elapsed: Int64(seconds * 1000))
    }

    /// Windows of 1.28 s of one activity.
    private func play(_ tracker: inout DayTracker, _ label: String, from: Double, to: Double, steps: Int64 = 0, movement: Double = 100) {
        for window in stride(from: from, to: to, by: 1.28) { tracker.take(label, at: at(window), steps: steps, movement: movement) }
    }

    @Test func stretchesMinutesAndBouts() {
        var tracker = DayTracker()
        play(&tracker, "STANDING", from: 0, to: 60, movement: 10)
        play(&tracker, "WALKING", from: 60.16, to: 180, steps: 2)
        // Two windows of something else do not end a walk.
        play(&tracker, "STANDING", from: 180.48, to: 183)
        play(&tracker, "WALKING", from: 183.04, to: 240, steps: 2)
        play(&tracker, "SITTING", from: 240.64, to: 300)
        tracker.end()
        let found = tracker.takeRows()
        let stretches = found.compactMap { row -> String? in
            if case .stretch(_, let label, _, _) = row { label } else { nil }
        }
        #expect(stretches == ["STANDING", "WALKING", "WALKING", "STANDING", "WALKING", "SITTING"], "a piece a minute")
        let bouts = found.compactMap { row -> (steps: Int, cadence: Int)? in
            if case .bout(_, _, let steps, let cadence) = row { (steps, cadence) } else { nil }
        }
        // Pieces of a minute at most, which a day joins.
        let day = Day("", from: 0, to: .max / 4, rows: found)
        #expect(bouts.count == 3 && day.bouts.count == 1 && (268...280).contains(day.bouts[0].steps), "\(bouts)")
        #expect((85...97).contains(day.bouts[0].cadence))
        let minutes = found.compactMap { row -> Int? in
            if case .minute(_, let steps, _, _) = row { steps } else { nil }
        }
        #expect(minutes.count == 5 && minutes.reduce(0, +) == bouts.reduce(0) { $0 + $1.steps })
    }

    @Test func aSensorThatIsAwayEndsAStretch() {
        var tracker = DayTracker()
        play(&tracker, "SITTING", from: 0, to: 30)
        play(&tracker, "SITTING", from: 600, to: 630)
        tracker.end()
        let lengths = tracker.takeRows().compactMap { row -> Int64? in
            if case .stretch(_, _, let length, _) = row { length } else { nil }
        }
        #expect(lengths.count == 2 && lengths.allSatisfy { $0 < 31_000 })
    }

    @Test func aClockThatIsSetMovesNothing() {
        var tracker = DayTracker()
        play(&tracker, "SITTING", from: 0, to: 30)
        // The wall clock jumps by a year: the length is of the other clock.
        tracker.take("WALKING", at: at(30.72, clock: 1_795_420_800_000 + 31_536_000_000), steps: 0, movement: 0)
        guard
            case .stretch(_, "SITTING", let length, false)? = tracker.takeRows().first(where: {
                if case .stretch = $0 { true } else { false }
            })
        else {
            Issue.record("no stretch")
            return
        }
        #expect(length == 30_720)
    }

    @Test func whatGoesOnIsWrittenEachMinute() {
        var tracker = DayTracker()
        play(&tracker, "SITTING", from: 0, to: 150)
        #expect(tracker.takeRows().count { if case .stretch = $0 { true } else { false } } == 2)
    }

    @Test func cadenceIsWhatWasCountedNotStepsOverTime() {
        var tracker = DayTracker()
        // Steps of the first seconds come late, all at once.
        for window in 0..<6 {
            tracker.take("WALKING", at: at(Double(window) * 1.28), steps: window == 3 ? 9 : 2, cadence: 112, movement: 100)
        }
        tracker.end()
        let bouts = Day("", from: 0, to: .max / 4, rows: tracker.takeRows()).bouts
        #expect(bouts.map(\.cadence) == [112])
    }

    @Test func aSleepingSensorIsAStillStretch() {
        var tracker = DayTracker()
        play(&tracker, "LAYING", from: 0, to: 10)
        tracker.take("LAYING", at: at(11), steps: 0, movement: 0, isStill: true)
        tracker.take("STANDING", at: at(4000), steps: 0, movement: 50)
        let still = tracker.takeRows().compactMap { row -> Int64? in
            if case .stretch(_, _, let length, true) = row { length } else { nil }
        }
        #expect(still == [3_989_000])
    }
}

@Suite struct DayTests {
    private static let midnight: Int64 = 1_795_392_000_000
    private func day(_ rows: [HistoryRow]) -> Day { Day("2026-11-23", from: Self.midnight, to: Self.midnight + 86_400_000, rows: rows) }

    @Test func aDayWithoutTheSensorIsNoEmptyDay() {
        let found = day([.stretch(at: Self.midnight, label: "LAYING", length: 7_200_000, isStill: true)])
        #expect(DayText.text(found, now: found.to).contains("not worn") && DayText.text(day([]), now: 0).contains("nothing is kept"))
    }

    @Test func whatReachesOverMidnightIsCut() {
        let found = day([.stretch(at: Self.midnight - 3_600_000, label: "LAYING", length: 7_200_000, isStill: false)])
        #expect(found.lengths.count == 1 && found.lengths[0].length == 3_600_000)
    }

    @Test func anHourWithoutMovementIsNotWorn() {
        var rows: [HistoryRow] = [.stretch(at: Self.midnight, label: "LAYING", length: 3 * 3_600_000, isStill: false)]
        // Two hours of a sensor on a table, one of somebody who lies and breathes.
        for minute in 0..<180 {
            rows.append(.minute(at: Self.midnight + Int64(minute) * 60_000, steps: 0, movement: minute < 120 ? 4 : 20, seen: 60_000))
        }
        let found = day(rows)
        #expect(found.notWornLength == 7_200_000 && found.lengths.map(\.length) == [3_600_000])
        #expect(found.stretches.map(\.from) == [Self.midnight + 7_200_000])
    }

    /// Half an hour before midnight and half an hour after it: nobody wears the sensor on either day.
    @Test func aSensorIsNotWornOverMidnight() {
        let half: Int64 = 30 * 60_000
        for at in [Self.midnight, Self.midnight + 86_400_000] {
            var rows: [HistoryRow] = [.stretch(at: at - half, label: "LAYING", length: 2 * half, isStill: false)]
            rows += (-30..<30).map { .minute(at: at + Int64($0) * 60_000, steps: 0, movement: 4, seen: 60_000) }
            #expect(day(rows).notWornLength == half && day(rows).lengths.isEmpty)
            #expect(day(Array(rows.dropLast(5))).notWornLength == 0)
        }
    }

    @Test func theLongestSittingForgivesAMoment() {
        let found = day([
            .stretch(at: Self.midnight, label: "SITTING", length: 1_000_000, isStill: false),
            .stretch(at: Self.midnight + 1_000_000, label: "STANDING", length: 30_000, isStill: false),
            .stretch(at: Self.midnight + 1_030_000, label: "SITTING", length: 1_000_000, isStill: false),
            .stretch(at: Self.midnight + 3_000_000, label: "SITTING", length: 1_500_000, isStill: false),
        ])
        #expect(found.longestSitting.map { $0.to - $0.from } == 2_030_000)
    }

    @Test(arguments: ["2026-02-30", "2026-13-01", "2026-11-32", "tomorrow", "2026-11", "20261124", "1969-01-01", ""])
    func whatIsNoDayIsAnError(_ name: String) { #expect(throws: Fault.self) { try Calendar.day(name, now: 0) } }

    @Test func aDayIsBetweenMidnights() throws {
        let (name, from, to) = try Calendar.day("2026-11-24", now: 0)
        #expect(name == "2026-11-24" && [23, 24, 25].contains((to - from) / 3_600_000) && Calendar.clock(from) == "00:00")
        #expect(try Calendar.day("today", now: from + 5).from == from)
        #expect(try Calendar.day("yesterday", now: from + 5).to == from)
    }

    @Test func textAndPageNameWhatThereWas() {
        let found = day([
            .stretch(at: Self.midnight + 40_000_000, label: "WALKING", length: 600_000, isStill: false),
            .minute(at: Self.midnight + 40_020_000, steps: 900, movement: 200, seen: 60_000),
            .bout(at: Self.midnight + 40_000_000, length: 600_000, steps: 900, cadence: 90),
            .fall(at: Self.midnight + 50_000_000, state: .alarm),
        ])
        let text = DayText.text(found, now: found.to), page = DayReport(found, now: found.to).html
        for word in ["WALKING", "10 min", "900", "alarm"] { #expect(text.contains(word), "\(text)") }
        for word in ["WALKING", "900", "alarm", "<svg"] { #expect(page.contains(word)) }
        #expect(DayText.json(found).text.contains("\"steps\":900"))
    }
}
