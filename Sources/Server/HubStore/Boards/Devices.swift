internal import HubDatabase
package import Support
internal import Synchronization

/// A registered board.
package struct Device: Sendable, Equatable {
    package var id: String
    package var org: String
    /// Its own name, by which it registered.
    package var identifier: String
    /// What people call it; nil where that is its own name.
    package var name: String?
    package var tags: [String]
    /// What it said of itself when it registered: JSON.
    package var info: String
    /// Seconds since 1970.
    package var registered: Double
    package var updated: Double
    package var isRevoked: Bool
    /// Whether it proves each request for tokens with a key of its own.
    package var hasKey: Bool
    package var beat: Beat?

    static let columns = "d.*, n.name, n.tags FROM devices d JOIN names n ON n.device_id = d.id"

    // Of ``columns``.
    init(_ row: Row) {
        (id, org, identifier, info) = (row["id"], row["org"], row["identifier"], row["info"])
        (registered, updated, isRevoked) = (row["registered"], row["updated"], row["revoked"])
        hasKey = (row["key"] as String?) != nil
        (name, tags) = (row["name"], BoardNames.tags(row["tags"]))
        beat = (row["seen"] as Double?).map { Beat(seen: $0, body: row["beat"] ?? "{}", modelVersion: row["model_version"]) }
    }
}

extension HubStore {
    /// A board that registers again keeps its ID.
    ///
    /// - Parameter holder: the name that the board's token was made for; nil for a person, who may register any. EdgeML's README makes
    ///   the token for one name and registers another: the first registration decides, unless somebody else has that name.
    /// - Returns: nil when the token is another board's.
    package func register(org: String, identifier: String, info: String, holder: String? = nil, now: Double) async throws(Fault) -> Device?
    {
        let device: Device? = try await write { database in
            if let holder, holder != identifier {
                let known =
                    try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM devices WHERE org = ? AND identifier IN (?, ?)",
                        arguments: [org, identifier, holder]) ?? 0
                let tokens =
                    try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM families WHERE org = ? AND identifier = ?", arguments: [org, identifier]) ?? 0
                guard known == 0, tokens == 0 else { return nil }
                // The bootstrap token is used up by the name that the board has now.
                let tokensOfHolder = "hash IN (SELECT issuer FROM families WHERE org = ? AND identifier = ?)"
                try database.execute(
                    sql: "DELETE FROM bootstrapped WHERE identifier = ? AND \(tokensOfHolder)", arguments: [identifier, org, holder])
                try database.execute(
                    sql: "UPDATE bootstrapped SET identifier = ? WHERE identifier = ? AND \(tokensOfHolder)",
                    arguments: [identifier, holder, org, holder])
                try database.execute(
                    sql: "UPDATE families SET identifier = ? WHERE org = ? AND identifier = ?", arguments: [identifier, org, holder])
            }
            try database.execute(
                sql: """
                    INSERT INTO devices (id, org, identifier, info, registered, updated) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (org, identifier) DO UPDATE SET info = excluded.info, updated = excluded.updated
                    """, arguments: [Secret.identifier(), org, identifier, info, now, now])
            try BoardNames.begin(org: org, identifier: identifier, database)
            if holder != nil {
                try database.execute(
                    sql: """
                        UPDATE devices SET key = (SELECT key FROM families WHERE org = ? AND identifier = ?)
                        WHERE org = ? AND identifier = ? AND key IS NULL
                        """, arguments: [org, identifier, org, identifier])
            }
            let row = try Row.fetchOne(
                database, sql: "SELECT \(Device.columns) WHERE d.org = ? AND d.identifier = ?", arguments: [org, identifier])
            return row.map { Device($0) }
        }
        guard let device else { return nil }
        // Its tokens know its ID from now on.
        sessions.withLock { sessions in
            for (token, session) in sessions
            where session.org == org && session.holder == .device(identifier: holder ?? identifier, id: nil) {
                sessions[token]?.holder = .device(identifier: identifier, id: device.id)
            }
        }
        return device
    }

    package func device(_ id: String, org: String) async throws(Fault) -> Device? {
        try await writeBeats()
        return try await read { database in
            try Row.fetchOne(database, sql: "SELECT \(Device.columns) WHERE d.id = ? AND d.org = ?", arguments: [id, org]).map {
                Device($0)
            }
        }
    }

    /// Lets one board more register under the name of this one, with a key of its own: the card was replaced, or its key is lost. False
    /// when there is none.
    package func reopen(device id: String, org: String) async throws(Fault) -> Bool {
        try await write { database in
            let rows = try database.execute(sql: "UPDATE devices SET reopened = 1 WHERE id = ? AND org = ?", arguments: [id, org])
            return rows > 0
        }
    }

    /// Removes a board with all that is kept of it: heartbeat, events, outcomes, weights, its place in the crowd, tokens. False when there
    /// is none.
    package func delete(device id: String, org: String) async throws(Fault) -> Bool {
        beats.withLock { $0[id] = nil }
        let found = try await write { database in
            guard
                let identifier = try String.fetchOne(
                    database, sql: "SELECT identifier FROM devices WHERE id = ? AND org = ?", arguments: [id, org])
            else { return false }
            try HubStore.forget(uid: id, database)
            try HubStore.forgetMissed(device: id, database)
            // Its name stays with none of its bootstrap tokens; what that one could still do, it can again.
            try database.execute(
                sql: """
                    UPDATE bootstrapped SET identifier = ? WHERE identifier = ?
                    AND hash IN (SELECT hash FROM issued WHERE org = ?)
                    """, arguments: ["erased \(Secret.identifier())", identifier, org])
            try database.execute(sql: "DELETE FROM families WHERE org = ? AND identifier = ?", arguments: [org, identifier])
            try HubStore.withdrawTarget(identifier, org, database)
            // All else belongs to the device, and goes with it.
            try database.execute(sql: "DELETE FROM devices WHERE id = ?", arguments: [id])
            return true
        }
        forgetSessions()
        return found
    }

    /// A board whose tokens are worth nothing from now on. False when there is none.
    package func revoke(device id: String, org: String, revoked: Bool = true) async throws(Fault) -> Bool {
        let found = try await write { database in
            let rows = try database.execute(sql: "UPDATE devices SET revoked = ? WHERE id = ? AND org = ?", arguments: [revoked, id, org])
            let found = rows > 0
            if found { try database.execute(sql: "DELETE FROM alerted WHERE device_id = ?", arguments: [id]) }
            if revoked {
                try database.execute(
                    sql: "DELETE FROM families WHERE (org, identifier) IN (SELECT org, identifier FROM devices WHERE id = ? AND org = ?)",
                    arguments: [id, org])
                if found,
                    let name = try String.fetchOne(database, sql: "SELECT identifier FROM devices WHERE id = ?", arguments: [id])
                {
                    try HubStore.withdrawTarget(name, org, database)
                }
            }
            return found
        }
        forgetSessions()
        return found
    }
}
