import GRDB
import Support
import Testing

@testable import HubDatabase
@testable import HubStore

@Suite struct UpgradeTests {
    private func file(ofVersion version: String) throws -> (path: String, database: DatabaseQueue) {
        let path = "/tmp/gaitway-hub-tests/\(Secret.identifier())/hub.sqlite"
        try SQLiteFile.prepare(path)
        let database = try DatabaseQueue(path: path)
        try SQLiteFile.migrator(Migrations.all).migrate(database, upTo: version)
        return (path, database)
    }

    @Test func whatHeartbeatsOfBeforeSaidIsLookedAt() async throws {
        let (path, old) = try file(ofVersion: "6")
        try await old.write { database in
            for (id, beat) in [
                ("a", #"{"metadata":{"battery_level":3,"activity":"WALKING","fall":"fallen","fall_at":"today"},"last_error_code":"E1"}"#),
                ("b", #"{"metadata":{"battery_level":"low","spool_files":500,"temperature_celsius":80.5}}"#), ("c", "no JSON"),
            ] {
                try database.execute(
                    sql: """
                        INSERT INTO devices (id, org, identifier, info, registered, updated, seen, beat)
                        VALUES (?, 'o', ?, '{}', 1, 1, 9, ?)
                        """, arguments: [id, id, beat])
            }
            try database.execute(sql: "INSERT INTO alerted VALUES ('a', 'fall', '\"today\"', 'told', 9)")
        }
        try old.close()
        let store = try await HubStore(path), counts = try await store.attention(org: "o", now: 10).counts
        let found = AttentionReason.allCases.filter { counts[$0] == 1 }
        #expect(found == [.fall, .lowBattery, .hot, .spool, .error])
        // A fall that was told is not told again.
        #expect(try await store.alerts([.fall], now: 11).isEmpty)
    }

    @Test func aHubOfTheFirstVersionKeepsWhatItHad() async throws {
        let (path, old) = try file(ofVersion: "2")
        try await old.write { database in
            try database.execute(
                sql: """
                    INSERT INTO models VALUES ('activity', 'o', 'activity', '', 1);
                    INSERT INTO versions VALUES ('activity', 3, 'c0ffee', 1, 'a', NULL, '', 1, NULL, x'01');
                    INSERT INTO rollouts VALUES (7, 'activity', 3, NULL, 10, 100, 10, 0.9, 0.1, 3, 'active', 'so', 5);
                    INSERT INTO rollout_history VALUES (7, 5, 'active', 'made');
                    INSERT INTO issued VALUES (x'00', 'bootstrap', 'o', 'b', 1, 1, NULL);
                    """)
        }
        try old.close()
        let store = try await HubStore(path), model = try #require(try await store.model("activity", org: "o"))
        let rollout = try #require(try await store.rollout(7, org: "o"))
        #expect(rollout.version == 3 && rollout.reason == "so" && rollout.versionName == nil)
        #expect(try await store.history(of: rollout).map(\.reason) == ["made"])
        let version = try #require(try await store.version(3, of: model))
        #expect(version.status == .published && version.isGaitways && version.shown == "3")
        #expect(try await store.issued().map(\.scopes) == [[]])
        // What hangs on a roll-out still goes with it, and its number is not used again.
        try await store.remove(rollout)
        #expect(try await store.history(of: rollout).isEmpty)
        #expect(try await store.start(Rollout(model: "activity", version: 3, created: 6), unsigned: true).id == 8)
    }
}
