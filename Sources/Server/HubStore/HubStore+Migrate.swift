internal import HubDatabase
package import Support

extension HubStore {
    /// All tables, those that others belong to first.
    static let tables = [
        "settings", "devices", "issued", "bootstrapped", "families", "tokens", "groups", "memberships", "models", "versions", "rollouts",
        "rollout_history", "outcomes", "events", "batches", "accounts", "crowd", "crowd_users", "crowd_errors", "used", "staged", "rounds",
        "updates", "personal", "federations", "experiments", "variants", "experiment_groups", "measurements", "observed", "audit",
        "waiting", "alerted", "names", "history",
    ]
    private static let numbered = ["families": "id", "rollouts": "id", "events": "id", "audit": "id", "measurements": "id"]

    /// Copies a hub's file into PostgreSQL, all of it or nothing. Boards, tokens and addresses stay good.
    ///
    /// - Parameters:
    ///   - path: the file. It keeps its contents, in the form of this version.
    ///   - address: postgresql://..., of a database that is empty.
    /// - Returns: rows of each table.
    /// - Throws: `.temporary` while a server runs with the file, `.usage` for a database that has a hub's data; those of both.
    package static func migrate(_ path: String, to address: String) async throws(Fault) -> [(table: String, rows: Int)] {
        guard Files.isFile(path) else { throw Fault(.noInput, "there is no hub's file \(path)") }
        guard let lock = try FileLock(servingLock(path)) else {
            throw Fault(
                .temporary, "a server runs with \(path): what it takes meanwhile would be missing",
                remedy: "Stop it first: systemctl stop gaitway-hub")
        }
        defer { lock.release() }
        let file = try SQLiteStorage(path, Migrations.all), database = try await PostgresStorage(address, Migrations.all)
        return try await TableCopy.run(from: file, to: database, tables, numbered: numbered)
    }
}
