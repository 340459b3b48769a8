internal import HubDatabase
package import Support

/// Files that come before the version that they are of: EdgeML's clients ask for an address, upload, and name the file then.
extension HubStore {
    /// How many may wait in an organisation, and how long, seconds.
    private static let stagedLimit = 20
    static let stagedLife = 86_400.0

    /// A place for a file; where there are too many the oldest goes.
    package func stage(for model: HubModel, now: Double) async throws(Fault) -> String {
        try await write { database in
            let id = Secret.identifier()
            try database.execute(
                sql: "INSERT INTO staged (id, model_id, created) VALUES (?, ?, ?)", arguments: [id, model.id, now])
            try database.execute(
                sql: """
                    DELETE FROM staged WHERE id IN (SELECT s.id FROM staged s JOIN models m ON m.id = s.model_id WHERE m.org = ?
                        ORDER BY s.created DESC LIMIT 1000000 OFFSET ?)
                    """, arguments: [model.org, HubStore.stagedLimit])
            return id
        }
    }

    /// False where there is no such place, or it was filled before.
    package func fill(_ id: String, _ bytes: [UInt8]) async throws(Fault) -> Bool {
        try await write { database in
            let rows = try database.execute(
                sql: "UPDATE staged SET bytes = ? WHERE id = ? AND bytes IS NULL", arguments: [bytes, id])
            return rows > 0
        }
    }

    /// The file at a place of a model.
    package func staged(_ id: String, of model: HubModel) async throws(Fault) -> [UInt8]? {
        try await read { database in
            try [UInt8].fetchOne(
                database, sql: "SELECT bytes FROM staged WHERE id = ? AND model_id = ? AND bytes IS NOT NULL", arguments: [id, model.id]
            )
        }
    }

    package func unstage(_ id: String) async throws(Fault) {
        try await write { try $0.execute(sql: "DELETE FROM staged WHERE id = ?", arguments: [id]) }
    }
}
