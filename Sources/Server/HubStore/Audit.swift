internal import HubDatabase
package import Support

/// Something that a person asked the hub to change.
package struct AuditEntry: Sendable, Equatable {
    /// Seconds since 1970.
    package var at: Double
    package var org: String
    /// The name of the person's token.
    package var who: String
    /// Method and path.
    package var action: String
    /// HTTP's: what came of it.
    package var status: Int

    package init(at: Double, org: String, who: String, action: String, status: Int) {
        (self.at, self.org, self.who, self.action, self.status) = (at, org, who, action, status)
    }
}

extension HubStore {
    static let auditLife = 400.0 * 86_400

    package func note(_ entry: AuditEntry) async throws(Fault) {
        _ = try await storage.add {
            try $0.execute(
                sql: "INSERT INTO audit (at, org, who, action, status) VALUES (?, ?, ?, ?, ?)",
                arguments: [entry.at, entry.org, entry.who, entry.action, entry.status])
        }
    }

    /// The newest first.
    package func audit(org: String, limit: Int = 1000) async throws(Fault) -> [AuditEntry] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT * FROM audit WHERE org = ? ORDER BY id DESC LIMIT ?", arguments: [org, limit]).map {
                AuditEntry(at: $0["at"], org: $0["org"], who: $0["who"], action: $0["action"], status: $0["status"])
            }
        }
    }
}
