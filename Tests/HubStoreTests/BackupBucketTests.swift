import Support
import Synchronization
import Testing

@testable import HubStore

/// Files in memory, which may fail.
private final class FakeFolder: RemoteFolder {
    let place = "s3://bucket/prefix"
    let files = Mutex<[String: [UInt8]]>([:])
    let fault = Mutex<Fault?>(nil)

    private func check() throws(Fault) { if let fault = fault.withLock({ $0 }) { throw fault } }

    func names() throws(Fault) -> [String] {
        try check()
        return files.withLock { Array($0.keys) }
    }

    func put(_ path: String, as name: String) throws(Fault) {
        try check()
        let bytes = try Files.read(path, limit: 1 << 24)
        files.withLock { $0[name] = bytes }
    }

    func fetch(_ name: String, to path: String) throws(Fault) {
        try check()
        try Files.write(files.withLock { $0[name] } ?? [], to: path)
    }

    func remove(_ name: String) throws(Fault) {
        try check()
        files.withLock { $0[name] = nil }
    }
}

@Suite struct BackupBucketTests {
    private let folder = FakeFolder()

    private func hub() async throws -> (path: String, store: HubStore) {
        let directory = "/tmp/gaitway-hub-tests/\(Secret.identifier())"
        try Files.makeDirectory(directory)
        return ("\(directory)/hub.sqlite", try await HubStore("\(directory)/hub.sqlite"))
    }

    @Test func oldCopiesGoOnceANewerOneIsThere() async throws {
        let (path, store) = try await hub(), bucket = BackupBucket(folder, of: path)
        folder.files.withLock { $0["notes"] = [1] }
        for moment in [1000.0, 1005, 1020] { _ = try await bucket.add(store, now: moment, kept: 10) }
        #expect(try bucket.copies().map(\.moment) == [1020])
        #expect(try bucket.copies()[0].path == "s3://bucket/prefix/hub-19700101T001700Z.sqlite")
        #expect(folder.files.withLock { $0["notes"] } == [1])
        #expect(!Files.exists(path + ".backup"))
        // A clock that went back removes nothing that is newer.
        _ = try await bucket.add(store, now: 500, kept: 10)
        #expect(try bucket.copies().map(\.moment) == [500, 1020])
        #expect(try bucket.copy(at: 700).moment == 500)
        #expect(throws: Fault.self) { try bucket.copy(at: 499) }
    }

    @Test func whatFailsIsTriedAgain() async throws {
        let (path, store) = try await hub(), bucket = BackupBucket(folder, of: path)
        var series = BackupSeries(of: path, in: bucket, kept: 10)
        folder.fault.withLock { $0 = Fault(.temporary, "no network") }
        await #expect(throws: Fault(.temporary, "no network")) { try await series.next(now: 1000) }
        #expect(!Files.exists(path + ".backup"))
        folder.fault.withLock { $0 = nil }
        #expect(try await series.next(now: 1001)?.moment == 1001)
        #expect(try await series.next(now: 1002) == nil)
        _ = store
    }

    @Test func aCopyIsTheHub() async throws {
        let (path, store) = try await hub(), bucket = BackupBucket(folder, of: path)
        _ = try await store.makeModel("gait", description: "", org: "default", now: 5)
        let copy = try await bucket.add(store, now: 1000, kept: 10), (other, _) = try await hub()
        let fetched = try BackupBucket(folder, of: other).fetch(copy)
        _ = try HubStore.restore(fetched, to: other)
        #expect(try await HubStore(other).models(org: "default").map(\.id) == ["gait"])
    }
}
