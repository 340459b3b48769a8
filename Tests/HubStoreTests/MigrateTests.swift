import GRDB
import Support
import Testing

@testable import HubDatabase
@testable import HubStore

@Suite struct MigrateTests {
    @Test func allTablesAreCopied() async throws {
        let store = try await Store.file()
        let found = try await DatabaseQueue(path: store.path).read { database in
            try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'")
        }
        #expect(found.sorted() == HubStore.tables.sorted())
    }

    /// With PostgreSQL alone: Tests/Postgres/run.
    @Test(.enabled(if: Store.address != nil, "Tests/Postgres/run starts PostgreSQL")) func whatAFileHasIsInTheDatabase() async throws {
        let file = try await Store.file()
        let model = try #require(try await file.makeModel("activity", description: "", org: "o", now: 1000))
        for number in 1...3 {
            let new = NewVersion(version: number, labels: ["A"], bytes: [0, UInt8(number), 255], signature: [9], description: "")
            let version = try await file.add(new, to: model, now: 1001)
            _ = try await file.start(Rollout(model: model.id, version: version.version, created: 1002))
        }
        // The last number is gone, and comes in the database neither.
        let last = try #require(try await file.rollouts(org: "o").first)
        try await file.remove(last)
        let token = try await file.issue(.bootstrap, org: "o", name: "b", now: 1000)
        let tokens = try #require(
            try await file.bootstrap(token, org: "o", identifier: "board", scopes: [.writesDevice], lifetime: 3600, now: 1000))
        let device = try #require(try await file.register(org: "o", identifier: "board", info: "{}", holder: "board", now: 1000))
        try await file.note(Beat(seen: 1005, body: #"{"metadata":{"battery_level":7}}"#, modelVersion: 2), of: device.id)
        try await file.settle()

        let address = try await Store.schema()
        let counts = try await HubStore.migrate(file.path, to: address)
        #expect(counts.first { $0.table == "versions" }?.rows == 3)
        let store = try await HubStore(address)
        #expect(try await store.session(tokens.access, now: 1006)?.deviceID == device.id)
        #expect(try await store.device(device.id, org: "o")?.beat?.modelVersion == 2)
        #expect(try await store.attention(org: "o", now: 1006).counts[.lowBattery] == 1)
        let copied = try #require(try await store.version(2, of: model))
        #expect(try await store.bytes(of: copied) == [0, 2, 255])
        #expect(try await store.signature(of: copied) == [9])
        #expect(try await store.start(Rollout(model: model.id, version: 3, created: 1003)).id == last.id + 1)
        // A second time it would be there twice.
        await #expect(throws: Fault.self) { _ = try await HubStore.migrate(file.path, to: address) }
    }
}
