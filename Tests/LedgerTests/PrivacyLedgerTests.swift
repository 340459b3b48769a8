import Glibc
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Ledger

@Suite struct PrivacyLedgerTests {
    private let directory = temporaryDirectory()

    @Test func whatLeavesIsCountedByWayAndPlace() throws {
        let ledger = PrivacyLedger(in: directory)
        ledger.note(.uploads, to: "s3://a", items: 10, bytes: 1000)
        ledger.note(.uploads, to: "s3://a", items: 5, bytes: 500)
        ledger.note(.heartbeats, to: "https://hub", items: 0)
        #expect(try PrivacyLedger.read(in: directory).entries.isEmpty)
        try ledger.save()
        let found = try PrivacyLedger.read(in: directory)
        #expect(found.since > 0)
        #expect(found.entries.map(\.kind) == [.uploads, .heartbeats])
        #expect(found.entries.map { [$0.messages, $0.items, $0.bytes] } == [[2, 15, 1500], [1, 0, 0]])
        #expect(try Files.isPrivate(directory + "/privacy.json"))
    }

    @Test func twoProgramsCountInOneFile() throws {
        let one = PrivacyLedger(in: directory), other = PrivacyLedger(in: directory)
        one.note(.events, to: "h", items: 3)
        other.note(.events, to: "h", items: 4)
        try one.save()
        try other.save()
        try one.save()
        #expect(try PrivacyLedger.read(in: directory).entries.map(\.items) == [7])
    }

    @Test func itIsWrittenEveryTenMinutesAtMost() throws {
        let time = FakeTime(), ledger = PrivacyLedger(in: directory, clock: time.clock)
        ledger.note(.broker, to: "mqtt://b", items: 1)
        time.pass(599)
        ledger.note(.broker, to: "mqtt://b", items: 1)
        #expect(try PrivacyLedger.read(in: directory).entries.isEmpty)
        time.pass(2)
        ledger.note(.broker, to: "mqtt://b", items: 1)
        #expect(try PrivacyLedger.read(in: directory).entries.map(\.items) == [3])
    }

    @Test func whatWasErasedStaysSoAndNewThingsCountAnew() throws {
        let ledger = PrivacyLedger(in: directory)
        ledger.note(.events, to: "h", items: 3)
        ledger.note(.events, to: "other", items: 1)
        try ledger.save()
        try ledger.noteErased(.events, at: "h")
        ledger.note(.events, to: "h", items: 2)
        try ledger.save()
        let found = try PrivacyLedger.read(in: directory).entries
        #expect(found.map(\.items) == [3, 1, 2])
        #expect(found.map { $0.erased != nil } == [true, false, false])
    }

    @Test func aDamagedFileIsPutAsideAndSaidSo() throws {
        for text in [
            "{", #"{"since":1,"entries":[{"kind":"events","destination":"h","messages":-1,"items":0,"bytes":0,"first":0,"last":0}]}"#,
        ] {
            try Files.write(Array(text.utf8), to: directory + "/privacy.json")
            #expect(throws: Fault.self) { try PrivacyLedger.read(in: directory) }
            let ledger = PrivacyLedger(in: directory)
            ledger.note(.events, to: "h", items: 1)
            try ledger.save()
            #expect(try PrivacyLedger.read(in: directory).entries.map(\.items) == [1])
            #expect(try Files.read(directory + "/privacy.json.damaged", limit: 1000) == Array(text.utf8))
        }
    }

    @Test func whatTheDiskDoesNotTakeWaits() throws {
        let ledger = PrivacyLedger(in: directory + "/file/below")
        try Files.write([1], to: directory + "/file")
        ledger.note(.events, to: "h", items: 1)
        #expect(throws: Fault.self) { try ledger.save() }
        try Files.remove(directory + "/file")
        try ledger.save()
        #expect(try PrivacyLedger.read(in: directory + "/file/below").entries.map(\.items) == [1])
    }

    @Test func aPipeOrADirectoryInItsPlaceIsNotWaitedFor() throws {
        let path = directory + "/privacy.json", ledger = PrivacyLedger(in: directory)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: Fault.self) { try PrivacyLedger.read(in: directory) }
        ledger.note(.events, to: "h", items: 1)
        try ledger.save()
        try Files.remove(path)
        #expect(symlink(path, path) == 0)
        #expect(throws: Fault.self) { try PrivacyLedger.read(in: directory) }
        try Files.remove(path)
        try Files.makeDirectory(path)
        #expect(throws: Fault.self) { try PrivacyLedger.read(in: directory) }
    }

    @Test(arguments: [Int64.min, -1, Int64.max]) func aClockThatIsWrongSpoilsNothing(nanoseconds: Int64) throws {
        let ledger = PrivacyLedger(in: directory, clock: ServiceClock(sinceBoot: { 1 }, wall: { nanoseconds }))
        ledger.note(.events, to: "h", items: 1)
        try ledger.save()
        try ledger.noteErased(.events, at: "h")
        let found = try PrivacyLedger.read(in: directory)
        #expect(found.entries.map(\.items) == [1] && found.entries[0].erased != nil)
    }

    @Test func whenItWasErasedStays() throws {
        let now = Mutex<Int64>(1_800_000_000_000_000_000)
        let ledger = PrivacyLedger(in: directory, clock: ServiceClock(sinceBoot: { 1 }, wall: { now.withLock { $0 } }))
        ledger.note(.events, to: "h", items: 1)
        try ledger.save()
        try ledger.noteErased(.events, at: "h")
        now.withLock { $0 += 60_000_000_000 }
        try ledger.noteErased(.events, at: "h")
        #expect(try PrivacyLedger.read(in: directory).entries.map(\.erased) == [1_800_000_000])
    }

    @Test func manyPlacesMakeNoLargeFile() throws {
        let ledger = PrivacyLedger(in: directory)
        for number in 0..<500 { ledger.note(.heartbeats, to: "https://hub\(number)", items: 1) }
        try ledger.save()
        let found = try PrivacyLedger.read(in: directory).entries
        #expect(found.count == PrivacyLedger.mostEntries + 1)
        #expect(found.reduce(0) { $0 + $1.items } == 500)
    }
}
