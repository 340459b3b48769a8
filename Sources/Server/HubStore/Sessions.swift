internal import HubDatabase
package import Support
internal import Synchronization

/// Whom a token belongs to.
package struct Session: Sendable, Equatable {
    package enum Holder: Sendable, Equatable {
        case person(String)
        /// By its own name; its ID once it is registered.
        case device(identifier: String, id: String?)
        /// Of the crowd, by uid.
        case account(String)

        /// The same for all tokens that it has.
        package var name: String {
            switch self {
            case .person(let name): "person \(name)"
            case .device(let identifier, _): "device \(identifier)"
            case .account(let uid): "account \(uid)"
            }
        }
    }

    package var holder: Holder
    package var org: String
    package var scopes: [String]
    package var expires: Double
    /// Of a person.
    package var role: Role?

    /// Whether a device's token is for that; people's are for everything.
    package func allows(_ scope: Scope) -> Bool {
        guard case .device = holder else { return true }
        return scopes.contains { Scope(rawValue: $0)?.covers(scope) ?? false }
    }

    package var deviceID: String? {
        if case .device(_, let id) = holder { return id }
        return nil
    }

    // An account's families of tokens are kept as a device's whose name no device may have.
    static func account(_ uid: String) -> String { "account\u{1}\(uid)" }

    static func holder(_ identifier: String, _ device: String?) -> Holder {
        let account = Self.account("")
        return identifier.hasPrefix(account)
            ? .account(String(identifier.dropFirst(account.count))) : .device(identifier: identifier, id: device)
    }
}

/// What a board gets for a bootstrap or refresh token.
package struct DeviceTokens: Sendable, Equatable {
    package var access: String
    package var refresh: String
    /// Seconds since 1970, and from now.
    package var expires: Double
    package var lifetime: Int
    package var org: String
    package var identifier: String
    package var scopes: [String]

    /// The uid, where they are an account's.
    package var account: String? {
        if case .account(let uid) = Session.holder(identifier, nil) { return uid }
        return nil
    }
}

// Refresh tokens rotate: a family has generations. The one before is good until the newer was used, since an answer can be lost on its
// way; after that, whoever brings it stole it (or was stolen from), and the family ends.
extension HubStore {
    static let refreshLifetime = 30.0 * 86_400

    /// The holder of an access or person token; nil when it is none, or has ended.
    package func session(_ token: String, now: Double) async throws(Fault) -> Session? {
        if let known = sessions.withLock({ $0[token] }) { return known.expires > now ? known : nil }
        let before = forgotten.withLock { $0 }
        guard let found = try await find(Secret.hash(token), now) else { return nil }
        sessions.withLock {
            guard forgotten.withLock({ $0 }) == before else { return }
            if $0.count >= 100_000 { $0.removeAll() }
            $0[token] = found
        }
        return found
    }

    private func find(_ hash: [UInt8], _ now: Double) async throws(Fault) -> Session? {
        let found: (session: Session, family: Int64, unconfirmed: Int?)? = try await read { database in
            if let row = try Row.fetchOne(
                database, sql: "SELECT * FROM issued WHERE hash = ? AND kind = 'person' AND (expires IS NULL OR expires > ?)",
                arguments: [hash, now])
            {
                return (
                    Session(
                        holder: .person(row["name"]), org: row["org"], scopes: ["admin"], expires: row["expires"] ?? .infinity,
                        role: Role(rawValue: row["role"]) ?? .viewer), 0, nil
                )
            }
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT f.*, t.generation, t.expires, d.id AS device FROM tokens t JOIN families f ON f.id = t.family
                        LEFT JOIN devices d ON d.org = f.org AND d.identifier = f.identifier
                        WHERE t.hash = ? AND t.refreshes = 0 AND t.expires > ? AND COALESCE(d.revoked, 0) = 0
                        """, arguments: [hash, now])
            else {
                // Last: most tokens are of Gaitway's boards.
                return try Session.target(hash, now, database).map { ($0, 0, nil) }
            }
            let session = Session(
                holder: Session.holder(row["identifier"], row["device"]), org: row["org"],
                scopes: (row["scopes"] as String).split(separator: " ").map(String.init), expires: row["expires"])
            let generation: Int = row["generation"]
            return (session, row["id"], generation > row["confirmed"] as Int ? generation : nil)
        }
        guard let found else { return nil }
        if let generation = found.unconfirmed { try await confirm(found.family, generation) }
        return found.session
    }

    private func confirm(_ family: Int64, _ generation: Int) async throws(Fault) {
        try await write(tellsOthers: false) {
            try $0.execute(
                sql: "UPDATE families SET confirmed = ? WHERE id = ? AND confirmed < ?", arguments: [generation, family, generation])
        }
    }

    /// nil when the token is no bootstrap token, has ended, or was used up by other boards.
    ///
    /// - Parameters:
    ///   - wanted: what the tokens are to be for; the bootstrap token narrows it.
    ///   - key: PEM, of which the board has proved that it has the private half.
    /// - Throws: `.permission` when the bootstrap token allows none of it; `.usage` with ``Fault/Condition/nameTaken`` where a board of
    ///   that name is registered that has another key or none, unless a person reopened the name.
    package func bootstrap(
        _ token: String, org: String, identifier: String, scopes wanted: [Scope], lifetime: Int, key: String? = nil, now: Double
    ) async throws(Fault) -> DeviceTokens? {
        let tokens: DeviceTokens? = try await write { database in
            let hash = Secret.hash(token)
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM issued WHERE hash = ? AND kind = 'bootstrap' AND org = ? AND (expires IS NULL OR expires > ?)",
                    arguments: [hash, org, now])
            else { return nil }
            let others =
                try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM bootstrapped WHERE hash = ? AND identifier <> ?", arguments: [hash, identifier])
                ?? 0
            guard others < row["uses"] as Int else { return nil }
            let scopes = Scope.narrow(wanted, to: HubStore.scopes(row["scopes"])).map(\.rawValue)
            guard !scopes.isEmpty else { throw Fault(.permission, "the bootstrap token allows none of the scopes that are asked for") }
            let device = try Row.fetchOne(
                database, sql: "SELECT * FROM devices WHERE org = ? AND identifier = ?", arguments: [org, identifier])
            guard device?["revoked"] ?? 0 == 0 else { return nil }
            if let device {
                // Any other bootstrap token of the organisation would take the board over.
                guard device["reopened"] == 1 || key != nil && device["key"] == key else {
                    throw Fault(.usage, "a board called \(identifier) is registered, and this is not its key", condition: .nameTaken)
                }
                try database.execute(
                    sql: "UPDATE devices SET reopened = 0, key = ? WHERE id = ?", arguments: [key, device["id"] as String])
            }
            try database.execute(
                sql: "INSERT INTO bootstrapped (hash, identifier) VALUES (?, ?) ON CONFLICT DO NOTHING", arguments: [hash, identifier])
            try database.execute(sql: "DELETE FROM waiting WHERE org = ? AND identifier = ?", arguments: [org, identifier])
            // A board has one family: who bootstraps anew leaves the old one.
            try database.execute(sql: "DELETE FROM families WHERE org = ? AND identifier = ?", arguments: [org, identifier])
            let family = try Int64.fetchOne(
                database, sql: "INSERT INTO families (org, identifier, scopes, ttl, key, issuer) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
                arguments: [org, identifier, scopes.joined(separator: " "), lifetime, key, hash])
            guard let family else { return nil }
            return try HubStore.generation(
                1, of: family, org: org, identifier: identifier, scopes: scopes, lifetime: lifetime, now: now, in: database)
        }
        // Tokens of the family that went are worth nothing at once.
        if tokens != nil { forgetSessions() }
        return tokens
    }

    /// The key of the board that a refresh token was made for, as PEM; nil where it has none.
    package func key(ofRefreshToken token: String) async throws(Fault) -> String? {
        try await read { database in
            try String.fetchOne(
                database, sql: "SELECT f.key FROM tokens t JOIN families f ON f.id = t.family WHERE t.hash = ? AND t.refreshes = 1",
                arguments: [Secret.hash(token)])
        }
    }

    /// nil when the refresh token is not one any more.
    ///
    /// - Parameters:
    ///   - wanted: fewer scopes than before; nil for the same. They never grow again.
    ///   - key: that the board has proved; it is the board's from now on where it had none.
    /// - Throws: `.permission` for none of those before.
    package func refresh(
        _ token: String, scopes wanted: [Scope]? = nil, key: String? = nil, now: Double
    ) async throws(Fault) -> DeviceTokens? {
        let result: (tokens: DeviceTokens?, ended: Bool) = try await write { database in
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT f.*, t.generation FROM tokens t JOIN families f ON f.id = t.family LEFT
                            JOIN devices d ON d.org = f.org AND d.identifier = f.identifier
                        WHERE t.hash = ? AND t.refreshes = 1 AND t.expires > ? AND COALESCE(d.revoked, 0) = 0
                        """, arguments: [Secret.hash(token), now])
            else { return (nil, false) }
            let family: Int64 = row["id"], generation: Int = row["generation"]
            // Whoever calls has asked for the proof.
            if let known = row["key"] as String?, known != key { return (nil, false) }
            guard generation >= row["confirmed"] as Int else {
                try database.execute(sql: "DELETE FROM families WHERE id = ?", arguments: [family])
                return (nil, true)
            }
            try database.execute(
                sql: "DELETE FROM tokens WHERE family = ? AND (generation > ? OR generation < ? OR expires < ?)",
                arguments: [family, generation, generation - 1, now])
            // Bringing this one proves that it arrived.
            try database.execute(sql: "UPDATE families SET confirmed = ? WHERE id = ?", arguments: [generation, family])
            if let key {
                try database.execute(sql: "UPDATE families SET key = ? WHERE id = ?", arguments: [key, family])
                try database.execute(
                    sql: "UPDATE devices SET key = ? WHERE org = ? AND identifier = ? AND key IS NULL",
                    arguments: [key, row["org"] as String, row["identifier"] as String])
            }
            var scopes = (row["scopes"] as String).split(separator: " ").map(String.init)
            if let wanted {
                scopes = Scope.narrow(wanted, to: HubStore.scopes(row["scopes"])).map(\.rawValue)
                guard !scopes.isEmpty else { throw Fault(.permission, "the token never had any of the scopes that are asked for") }
                try database.execute(
                    sql: "UPDATE families SET scopes = ? WHERE id = ?", arguments: [scopes.joined(separator: " "), family])
            }
            return (
                try HubStore.generation(
                    generation + 1, of: family, org: row["org"], identifier: row["identifier"], scopes: scopes, lifetime: row["ttl"],
                    now: now, in: database), false
            )
        }
        if result.ended || wanted != nil { forgetSessions() }
        return result.tokens
    }

    /// Whether there was such a token.
    @discardableResult
    package func revoke(refreshToken token: String) async throws(Fault) -> Bool {
        let found = try await write { database in
            let rows = try database.execute(
                sql: "DELETE FROM families WHERE id = (SELECT family FROM tokens WHERE hash = ? AND refreshes = 1)",
                arguments: [Secret.hash(token)])
            return rows > 0
        }
        if found { forgetSessions() }
        return found
    }

    static func generation(
        _ generation: Int, of family: Int64, org: String, identifier: String, scopes: [String], lifetime: Int, now: Double,
        in database: Database
    ) throws -> DeviceTokens {
        let access = Secret.token("gwa"), refresh = Secret.token("gwr"), expires = now + Double(lifetime)
        let insert = "INSERT INTO tokens (hash, family, generation, refreshes, expires) VALUES (?, ?, ?, ?, ?)"
        try database.execute(sql: insert, arguments: [Secret.hash(access), family, generation, 0, expires])
        try database.execute(sql: insert, arguments: [Secret.hash(refresh), family, generation, 1, now + refreshLifetime])
        return DeviceTokens(
            access: access, refresh: refresh, expires: expires, lifetime: lifetime, org: org, identifier: identifier, scopes: scopes)
    }
}
