internal import Cryptography
internal import HubDatabase
package import Support

/// A board that asked to register where a person approves each new one.
package struct WaitingBoard: Sendable, Equatable {
    package var id: String
    package var identifier: String
    /// SHA-256 of its public key's PEM, the first sixteen digits; nil for a client without a key.
    package var key: String?
    /// Seconds since 1970.
    package var asked: Double
    package var isApproved: Bool

    init(_ row: Row) {
        (id, identifier, asked, isApproved) = (row["id"], row["identifier"], row["asked"], row["approved"])
        key = (row["key"] as String?).map { String(Digest.text(Array($0.utf8)).prefix(16)) }
    }
}

/// Whether a board may have tokens where a person approves each new one.
package enum BoardApproval: Sendable, Equatable {
    /// It is known, or approved; or its bootstrap token is none.
    case notNeeded
    case waits(WaitingBoard)
    /// As many boards wait as the bootstrap token is for.
    case usedUp
}

extension HubStore {
    /// What nobody has approved for so long is forgotten, s.
    private static let waitingLife = 30.0 * 86_400

    /// Whether a board may have tokens: one that is known, or that a person approved with this key. One that is new waits from now on.
    ///
    /// - Parameters:
    ///   - token: a bootstrap token; one that is none keeps nobody waiting.
    ///   - key: PEM, as for ``bootstrap(_:org:identifier:scopes:lifetime:key:now:)``.
    /// - Throws: `.usage` with ``Fault/Condition/nameTaken`` where a board with another key waits under that name.
    package func approval(
        _ token: String, org: String, identifier: String, key: String?, now: Double
    ) async throws(Fault) -> BoardApproval {
        try await write { database in
            let hash = Secret.hash(token)
            try database.execute(sql: "DELETE FROM waiting WHERE asked < ?", arguments: [now - Self.waitingLife])
            let isKnown = try Row.fetchOne(
                database, sql: "SELECT id FROM devices WHERE org = ? AND identifier = ?", arguments: [org, identifier])
            let uses = try Int.fetchOne(
                database,
                sql: "SELECT uses FROM issued WHERE hash = ? AND kind = 'bootstrap' AND org = ? AND (expires IS NULL OR expires > ?)",
                arguments: [hash, org, now])
            guard isKnown == nil, let uses else { return .notNeeded }
            let place = "WHERE org = ? AND identifier = ?", arguments: StatementArguments = [org, identifier]
            if let row = try Row.fetchOne(database, sql: "SELECT * FROM waiting \(place)", arguments: arguments) {
                // Without a key the token is what tells boards apart.
                guard row["key"] == key, key != nil || row["token"] == hash else {
                    throw Fault(.usage, "another board called \(identifier) waits to be approved", condition: .nameTaken)
                }
                let board = WaitingBoard(row)
                return board.isApproved ? .notNeeded : .waits(board)
            }
            let taken =
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT (SELECT COUNT(*) FROM waiting WHERE token = ?) + (SELECT COUNT(*) FROM bootstrapped WHERE hash = ?)
                        """, arguments: [hash, hash]) ?? 0
            guard taken < uses else { return .usedUp }
            try database.execute(
                sql: "INSERT INTO waiting (id, org, identifier, key, token, asked) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [Secret.identifier(), org, identifier, key, hash, now])
            let row = try Row.fetchOne(database, sql: "SELECT * FROM waiting \(place)", arguments: arguments)
            return row.map { .waits(WaitingBoard($0)) } ?? .usedUp
        }
    }

    /// Those that were not refused and have not registered yet, the oldest first.
    package func waiting(org: String) async throws(Fault) -> [WaitingBoard] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT * FROM waiting WHERE org = ? ORDER BY asked, id", arguments: [org]).map { WaitingBoard($0) }
        }
    }

    /// Lets a board register with the key that it has shown. nil when none of that ID waits.
    package func approve(waiting id: String, org: String) async throws(Fault) -> WaitingBoard? {
        try await write { database in
            try database.execute(sql: "UPDATE waiting SET approved = 1 WHERE id = ? AND org = ?", arguments: [id, org])
            return try Row.fetchOne(database, sql: "SELECT * FROM waiting WHERE id = ? AND org = ?", arguments: [id, org]).map {
                WaitingBoard($0)
            }
        }
    }

    /// Forgets a board that waits; it may ask again. False when there is none.
    package func refuse(waiting id: String, org: String) async throws(Fault) -> Bool {
        try await write { database in
            let rows = try database.execute(sql: "DELETE FROM waiting WHERE id = ? AND org = ?", arguments: [id, org])
            return rows > 0
        }
    }
}
