internal import HubDatabase
package import Support
internal import Synchronization

/// People's accounts for the crowd: an e-mail address and a password, of which the file has yescrypt's hash.
extension HubStore {
    private static let lifetime = 3600

    /// nil when the address is taken.
    ///
    /// - Throws: `.usage` for a password that cannot be.
    package func makeAccount(_ email: String, password: String, org: String, now: Double) async throws(Fault) -> DeviceTokens? {
        let hash = try Password.hash(password), uid = String(Secret.token("u").prefix(30))
        return try await write { database in
            guard try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM accounts WHERE email = ?", arguments: [email.lowercased()]) == 0
            else { return nil }
            try database.execute(
                sql: "INSERT INTO accounts (uid, org, email, hash, created) VALUES (?, ?, ?, ?, ?)",
                arguments: [uid, org, email.lowercased(), hash, now])
            return try HubStore.family(of: uid, org, now, database)
        }
    }

    /// nil when address and password do not belong together; which of them is wrong is not revealed.
    package func signIn(_ email: String, password: String, now: Double) async throws(Fault) -> DeviceTokens? {
        let found: (uid: String, org: String, hash: String)? = try await read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM accounts WHERE email = ?", arguments: [email.lowercased()]).map {
                ($0["uid"], $0["org"], $0["hash"])
            }
        }
        guard Password.matches(password, found?.hash ?? Password.nobody), let found else { return nil }
        return try await write { try HubStore.family(of: found.uid, found.org, now, $0) }
    }

    package func accounts(org: String) async throws(Fault) -> [(uid: String, email: String, created: Double)] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT * FROM accounts WHERE org = ? ORDER BY email", arguments: [org]).map {
                ($0["uid"], $0["email"], $0["created"])
            }
        }
    }

    /// By address. What it signed in with ends.
    package func removeAccount(_ email: String, org: String) async throws(Fault) -> Bool {
        let found = try await write { database in
            guard
                let uid = try String.fetchOne(
                    database, sql: "SELECT uid FROM accounts WHERE email = ? AND org = ?", arguments: [email.lowercased(), org])
            else { return false }
            try database.execute(sql: "DELETE FROM accounts WHERE uid = ?", arguments: [uid])
            try HubStore.forget(uid: uid, database)
            try database.execute(sql: "DELETE FROM families WHERE identifier = ?", arguments: [Session.account(uid)])
            return true
        }
        if found { forgetSessions() }
        return found
    }

    // Each device that somebody signs in on has its own.
    private static func family(of uid: String, _ org: String, _ now: Double, _ database: Database) throws -> DeviceTokens {
        let identifier = Session.account(uid)
        let family = try Int64.fetchOne(
            database, sql: "INSERT INTO families (org, identifier, scopes, ttl) VALUES (?, ?, ?, ?) RETURNING id",
            arguments: [org, identifier, "crowd", lifetime])
        return try generation(
            1, of: family ?? 0, org: org, identifier: identifier, scopes: ["crowd"], lifetime: lifetime, now: now,
            in: database)
    }
}
