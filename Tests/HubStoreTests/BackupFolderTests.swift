import GRDB
import Glibc
import Support
import Testing

@testable import HubDatabase
@testable import HubStore

@Suite struct BackupFolderTests {
    private func folder() throws -> BackupFolder { try BackupFolder("/tmp/gaitway-hub-tests/\(Secret.identifier())/") }

    @Test func copiesAreNamedByTheirMomentAndTheNewestAlwaysStays() async throws {
        let store = try await Store.file(), folder = try folder(), first = 1_767_225_600.0 // 2026-01-01
        for hours in [0.0, 1, 30] { _ = try await folder.add(store, now: first + hours * 3600, kept: 86_400) }
        let copies = try folder.copies()
        #expect(copies.map(\.moment) == [first + 30 * 3600])
        #expect(copies[0].path.hasSuffix("/hub-20260102T060000Z.sqlite"))
        // Long after: what is kept is old, and is all that there is.
        _ = try await folder.add(store, now: first + 3_000_000, kept: 1)
        #expect(try folder.copies().count == 1)
    }

    @Test func theNewestUntilAMomentIsFound() async throws {
        let store = try await Store.file(), folder = try folder(), first = 1_767_225_600.0
        #expect(throws: Fault.self) { try folder.copy(at: 4e9) }
        for day in 0..<3 { _ = try await folder.add(store, now: first + Double(day) * 86_400, kept: 1e9) }
        #expect(try folder.copy(at: 4e9).moment == first + 2 * 86_400)
        #expect(try folder.copy(at: first + 86_400).moment == first + 86_400)
        #expect(try folder.copy(at: first + 86_399).moment == first)
        #expect(throws: Fault.self) { try folder.copy(at: first - 1) }
    }

    @Test func whatIsNoWholeCopyIsNone() async throws {
        let store = try await Store.file(), folder = try folder()
        for name in [
            "hub-20260101T000000Z.sqlite.part", "hub-2026.sqlite", "hub-20269999T999999Z.sqlite", "hub-\u{661}0260101T000000Z.sqlite",
            "notes.txt",
            "hub-\u{1f600}\u{1f600}\u{1f600}\u{1f600}.sqlite",
        ] { try Files.write([1], to: "\(folder.path)/\(name)") }
        #expect(try folder.copies().isEmpty)
        _ = try await folder.add(store, now: 1_767_225_600, kept: 1)
        #expect(try Files.list(folder.path).sorted().contains("notes.txt"))
        #expect(try !Files.list(folder.path).contains("hub.part"))
        #expect(try folder.copies().count == 1)
    }

    @Test func aLogThatIsLeftIsNotTheCopys() async throws {
        let store = try await Store.file(), folder = try folder()
        _ = try await store.secret()
        let copy = try await folder.add(store, now: 1_767_225_600, kept: 1e9)
        try await store.write { try $0.execute(sql: "INSERT INTO settings (name, value) VALUES ('later', '1')") }
        // The file is gone, what was written last is in its log.
        let path = store.path, link = path + ".link"
        try Files.remove(path)
        _ = symlink(path, link)
        #expect(try HubStore.restore(copy.path, to: path) == nil)
        let back = try await HubStore(path)
        let (later, check) = try await back.read {
            (
                try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = 'later'"),
                try String.fetchOne($0, sql: "PRAGMA integrity_check")
            )
        }
        #expect(later == nil && check == "ok")
        // A link stays one.
        _ = try HubStore.restore(copy.path, to: link)
        #expect(!Files.target(ofLink: link).isEmpty)
    }

    @Test func twoBackupsAtOnceAreOneAfterTheOther() async throws {
        let store = try await Store.file(), folder = try folder()
        let lock = try #require(try FileLock(folder.path + "/.lock"))
        await #expect(throws: Fault.self) { try await folder.add(store, now: 1_767_225_600, kept: 1) }
        lock.release()
        _ = try await folder.add(store, now: 1_767_225_600, kept: 1)
    }

    @Test func aFileIsNoFolder() throws {
        let folder = try folder()
        try Files.write([], to: folder.path + "/file")
        #expect(throws: Fault.self) { try BackupFolder(folder.path + "/file") }
    }

    @Test func aSeriesCopiesWhatChangedAndFollowsARestoredFile() async throws {
        let first = try await Store.file(), folder = try folder(), start = 1_767_225_600.0
        var series = BackupSeries(of: first.path, in: folder, kept: 1e9)
        #expect(try await series.next(now: start) != nil)
        #expect(try await series.next(now: start + 1) == nil)
        let other = try await HubStore(first.place)
        _ = try await other.secret()
        #expect(try await series.next(now: start + 2) != nil)
        _ = try HubStore.restore(try folder.copy(at: start).path, to: first.path)
        #expect(try await series.next(now: start + 3) != nil)
        for end in ["", "-wal", "-shm"] { try? Files.remove(first.path + end) }
        await #expect(throws: Fault.self) { try await series.next(now: start + 4) }
        #expect(!Files.exists(first.path))
    }
}
