import Glibc
import Logging
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Upload

@Suite struct SpoolTests {
    private let model = RecordedModel(labels: ["A", "B"], version: 7, window: 128, hop: 64)

    private func fill(_ spool: Spool, files: Int, from second: Int64 = 1_790_000_000) throws {
        let writer = SpoolWriter(spool)
        for file in 0..<files {
            try writer.begin(at: second + Int64(file), RowFormat(content: .raw, model: model).attributes)
            try writer.append { text in
                text.append(Double(file))
                text.endRow(hasLabels: true)
            }
            try writer.finish(hop: 64)
        }
    }

    @Test func theOldestGoFirstAndOrderIsKept() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0)), store = FakeStore(keepsMetadata: true)
        try fill(spool, files: 3)
        let names = try spool.waiting()
        let result = try Uploader(spool, to: store, log: quiet).drain()
        #expect(result == Uploader.Result(sent: 3, refused: 0, bytes: 12))
        #expect(store.stored.withLock { $0 } == names)
        let row = try #require(store.rows.withLock { $0.first })
        #expect(
            row[RowKey.user] == "u" && row[RowKey.date]?.count == 14 && row[RowKey.field(0)] == names[0] && row[RowKey.field(2)] == "A,B"
                && row[RowKey.field(4)] == "7")
        #expect(try spool.waiting().isEmpty && Files.list("\(spool.directory)/attributes").isEmpty)
    }

    @Test func failuresOfAllKinds() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0))
        try fill(spool, files: 3)
        let names = try spool.waiting()
        // The network is down: everything stays.
        #expect(throws: RemoteFailure.self) { try Uploader(spool, to: FakeStore([.temporary(retryAfter: nil)]), log: quiet).drain() }
        #expect(throws: RemoteFailure.self) { try Uploader(spool, to: FakeStore([.blocked]), log: quiet).drain() }
        #expect(try spool.waiting() == names)
        // One is refused, one's name is taken.
        let store = FakeStore([.refused, .taken])
        #expect(try Uploader(spool, to: store, log: quiet).drain() == Uploader.Result(sent: 2, refused: 1, bytes: 8))
        let stored = store.stored.withLock { $0 }
        #expect(try spool.refusals() == [names[0]] && stored.count == 2 && !names.contains(stored[0]) && stored[1] == names[2])
        #expect(try spool.retryRefused() == 1)
        #expect(try Uploader(spool, to: store, log: quiet).drain().sent == 1)
        #expect(try spool.status().files == 0)
    }

    @Test func aFileStaysUntilItsMetadataWentToo() throws {
        for (kind, waiting, refused) in [(RemoteFailure.Kind.temporary(retryAfter: 5), 1, 0), (.blocked, 1, 0), (.refused, 0, 1)] {
            let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0)),
                store = FakeStore(keepsMetadata: true, table: kind)
            try fill(spool, files: 1)
            _ = try? Uploader(spool, to: store, log: quiet).drain()
            #expect(try (spool.waiting().count, spool.refusals().count) == (waiting, refused))
            #expect(store.stored.withLock { $0 }.count == 1)
        }
    }

    @Test func limits() throws {
        for (limits, left) in [
            (SpoolLimits(bytes: 8, keepFree: 0), 2), (SpoolLimits(files: 3, keepFree: 0), 3), (SpoolLimits(keepFree: .max), 0),
        ] {
            let directory = temporaryDirectory()
            try fill(try Spool(directory, user: "u", limits: SpoolLimits(keepFree: 0)), files: 5)
            let spool = try Spool(directory, user: "u", limits: limits), names = try spool.waiting()
            #expect(try spool.enforceLimits() == Array(names.prefix(5 - left)))
            #expect(try spool.waiting() == Array(names.suffix(left)))
            let counts = try Spool(directory, user: "u").status().counts
            #expect((counts.droppedFiles, counts.droppedBytes) == (5 - left, Int64(5 - left) * 4))
        }
    }

    @Test func ageIsOfTheClockOnlyWhileThatIsLikely() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(age: 86_400, keepFree: 0))
        try fill(spool, files: 2)
        #expect(try spool.enforceLimits(now: 1_790_000_000 + 3600).isEmpty)
        #expect(try spool.enforceLimits(now: 1_790_000_000 + 70 * 365 * 86_400).isEmpty, "a clock that jumped")
        #expect(try spool.enforceLimits(now: 1_790_000_000 + 2 * 86_400).count == 2)
    }

    @Test func namesNeverComeTwice() throws {
        let directory = temporaryDirectory(), spool = try Spool(directory, user: "u")
        var names: Set<String> = []
        for second: Int64 in [1_790_000_000, 1_790_000_000, 1_789_999_000, 1_790_000_000] { names.insert(try spool.newName(at: second)) }
        names.insert(try Spool(directory, user: "u").newName(at: 1_790_000_000))
        #expect(names.count == 5)
        #expect(names.allSatisfy { $0.hasPrefix("u_2026") && $0.hasSuffix("_data.csv") })
        // A clock that was a year ahead is not followed for ever.
        #expect(try Spool(directory, user: "u").newName(at: 1_760_000_000).hasPrefix("u_2025"))
    }

    @Test func othersFilesAreLeftAlone() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0)), store = FakeStore()
        try Files.write(Array("x".utf8), to: "\(spool.directory)/pending/notes.txt")
        try Files.write([], to: spool.path(pending: "u_20260101000000_data.csv"))
        _ = try spool.recover()
        #expect(try Uploader(spool, to: store, log: quiet).drain().sent == 0)
        #expect(Files.exists("\(spool.directory)/pending/notes.txt") && Files.exists("\(spool.directory)/torn/u_20260101000000_data.csv"))
    }

    @Test func aFileThatIsBeingWrittenIsNotTouched() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0)), writer = SpoolWriter(spool)
        try writer.begin(at: 1_790_000_000, RowFormat(content: .raw, model: model).attributes)
        try writer.append { text in
            text.append(1)
            text.endRow(hasLabels: true)
        }
        #expect(try Spool(spool.directory, user: "u").recover() == Spool.Recovery())
        try writer.finish(hop: 64)
        #expect(try spool.waiting().count == 1)
    }

    @Test func theRecorderCountsWhatAFullDiskLoses() throws {
        let directory = temporaryDirectory(), recorder = WindowRecorder(content: .raw, seconds: 600, log: quiet)
        recorder.start { () throws(Fault) in try Spool(directory, user: "u", limits: SpoolLimits(keepFree: .max)) }
        for index in 0..<20 {
            recorder.take(
                RecordedWindow(time: 1_790_000_000_000 + Int64(index) * 1000, samples: [1, 2, 3], decision: 0), by: model, waits: true)
        }
        recorder.stop()
        let status = try Spool(directory, user: "u").status()
        #expect((status.files, status.counts.lostWindows) == (0, 20))
    }

    @Test func windowsBecomeRowsInOrder() throws {
        let directory = temporaryDirectory(), recorder = WindowRecorder(content: .raw, seconds: 10, log: quiet)
        recorder.start { () throws(Fault) in try Spool(directory, user: "u", limits: SpoolLimits(keepFree: 0)) }
        for index in 0..<25 {
            if index == 5 { try UserLabel(label: "B", until: 1_790_000_007).set(in: directory) }
            recorder.take(
                RecordedWindow(time: 1_790_000_000_000 + Int64(index) * 1000, samples: [4096, 0, Int16(index)], decision: index % 2),
                by: model,
                waits: true)
        }
        recorder.stop()
        let spool = try Spool(directory, user: "u")
        let rows = try spool.waiting().flatMap {
            String(decoding: try Files.read(spool.path(pending: $0), limit: 1 << 20), as: UTF8.self).split(separator: "\n")
        }
        #expect(try spool.waiting().count == 3 && rows.count == 25)
        #expect(rows[0] == "1790000000.0,1.0,0.0,0.0,1.0,0.0,0.0,0.0" && rows[5] == "1790000005.0,1.0,0.0,0.001220703125,0.0,1.0,0.0,1.0")
        #expect(rows[7].hasSuffix("0.0,1.0,0.0,0.0"), "the label's time is over")
        #expect(try spool.status().hours != nil)
    }

    @Test func quietHours() throws {
        func at(_ hour: Int, _ minute: Int) -> CalendarTime {
            CalendarTime(year: 2026, month: 1, day: 1, hour: hour, minute: minute, second: 0)
        }
        let night = try QuietHours("22:00-06:30"), day = try QuietHours("08:00-18:00")
        #expect(night.contain(at(23, 0)) && night.contain(at(6, 29)) && !night.contain(at(6, 30)) && !night.contain(at(12, 0)))
        #expect(day.contain(at(8, 0)) && !day.contain(at(18, 0)))
        for bad in ["", "22-6", "25:00-06:00", "06:00-06:00", "1:00-2:00", "a"] { #expect(throws: Fault.self) { try QuietHours(bad) } }
    }

    @Test func backOff() {
        var backOff = BackOff(base: 1, cap: 60), random = RandomNumbers(seed: 1), longest = 0.0
        for _ in 0..<100 { longest = max(longest, backOff.next(using: &random)) }
        #expect(longest <= 60 && longest > 50)
        #expect(backOff.next(least: 90, using: &random) == 90)
        backOff.reset()
        #expect(backOff.next(using: &random) <= 1)
    }

    @Test(arguments: ["", "/pending", "/refused", "/torn", "/attributes"]) func whatLiesBehindALinkIsNotDeleted(folder: String) throws {
        let directory = temporaryDirectory(), other = temporaryDirectory()
        let spool = try Spool(directory + "/spool", user: "u")
        try Files.write([1], to: other + "/precious")
        let place = directory + "/spool" + folder
        #expect(rename(place, place + ".before") == 0 && symlink(other, place) == 0)
        #expect(throws: Fault.self) { try spool.clear() }
        #expect(Files.exists(other + "/precious"))
    }
}
