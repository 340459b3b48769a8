internal import Cryptography
internal import HubDatabase
package import Support

/// A token that a person was given: their own for the API, or one that boards are registered with.
package struct IssuedToken: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Lets boards get tokens of their own.
        case bootstrap
        /// Lets a person do everything in an organisation.
        case person
        /// Lets a board of another make, whose name is the token's, ask for images of its system.
        case target

        var prefix: String {
            switch self {
            case .bootstrap: "gwb"
            case .person: "gwp"
            case .target: "gwt"
            }
        }
    }

    package var kind: Kind
    package var org: String
    package var name: String
    /// Of a bootstrap token: how many boards it is for, and how many had it.
    package var uses = 1
    package var used = 0
    package var created: Double
    package var expires: Double?
    /// The first eight hexadecimal digits of its hash, to name it.
    package var mark: String
    /// Of a person's.
    package var role = Role.owner
    /// Of a bootstrap token: what boards' tokens may be for; empty for everything.
    package var scopes: [Scope] = []
}

extension HubStore {
    /// Makes a token. It is returned this once.
    package func issue(
        _ kind: IssuedToken.Kind, org: String, name: String, uses: Int = 1, scopes: [Scope] = [], role: Role = .owner,
        expires: Double? = nil, now: Double
    ) async throws(Fault) -> String {
        let token = Secret.token(kind.prefix)
        try await write { database in
            try HubStore.keep(token, kind, org: org, name: name, uses: uses, scopes: scopes, role: role, expires: expires, now, database)
        }
        return token
    }

    static func keep(
        _ token: String, _ kind: IssuedToken.Kind, org: String, name: String, uses: Int = 1, scopes: [Scope] = [], role: Role,
        expires: Double?, _ now: Double, _ database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO issued (hash, kind, org, name, uses, scopes, role, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [Secret.hash(token), kind.rawValue, org, name, uses, HubStore.text(scopes), role.rawValue, now, expires])
    }

    package func issued() async throws(Fault) -> [IssuedToken] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT *, (SELECT COUNT(*) FROM bootstrapped b WHERE b.hash = issued.hash) AS used FROM issued ORDER BY created"
            ).compactMap { row in
                guard let kind = IssuedToken.Kind(rawValue: row["kind"]) else { return nil }
                let mark = Hexadecimal.text(row["hash"] as [UInt8]).prefix(8)
                return IssuedToken(
                    kind: kind, org: row["org"], name: row["name"], uses: row["uses"], used: row["used"], created: row["created"],
                    expires: row["expires"], mark: String(mark), role: Role(rawValue: row["role"]) ?? .viewer,
                    scopes: HubStore.scopes(row["scopes"]))
            }
        }
    }

    /// Takes an organisation's tokens back, by their name or else by the mark of one. How many there were.
    package func withdraw(_ name: String, org: String) async throws(Fault) -> Int {
        try await write { database in
            let isMark = name.allSatisfy(\.isHexDigit) && name.count >= 8
            let all = try Row.fetchAll(database, sql: "SELECT hash, name FROM issued WHERE org = ?", arguments: [org])
            var found = all.filter { $0["name"] == name }
            if found.isEmpty && isMark {
                found = all.filter { Hexadecimal.text($0["hash"] as [UInt8]).hasPrefix(name.lowercased()) }
            }
            for row in found { try database.execute(sql: "DELETE FROM issued WHERE hash = ?", arguments: [row["hash"] as [UInt8]]) }
            return found.count
        }
    }

    static func text(_ scopes: [Scope]) -> String { scopes.map(\.rawValue).joined(separator: " ") }
    static func scopes(_ text: String) -> [Scope] { text.split(separator: " ").compactMap { Scope(rawValue: String($0)) } }
}
