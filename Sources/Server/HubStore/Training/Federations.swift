internal import HubDatabase
package import Support

/// Names under which EdgeML's clients train together; all of an organisation's boards are in each.
package struct Federation: Sendable, Equatable {
    package var id: String
    package var name: String
    package var created: Double
}

extension HubStore {
    package func federations(org: String, named name: String?) async throws(Fault) -> [Federation] {
        try await read {
            try Row.fetchAll(
                $0, sql: "SELECT * FROM federations WHERE org = ? AND (CAST(? AS TEXT) IS NULL OR name = ?) ORDER BY name",
                arguments: [org, name, name]
            ).map { Federation(id: $0["id"], name: $0["name"], created: $0["created"]) }
        }
    }

    /// The one of that name, made where there is none.
    package func federation(_ name: String, org: String, now: Double) async throws(Fault) -> Federation {
        try await write {
            try $0.execute(
                sql: "INSERT INTO federations (id, org, name, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [Secret.identifier(), org, name, now])
        }
        guard let found = try await federations(org: org, named: name).first else {
            throw Fault(.failure, "the federation could not be kept")
        }
        return found
    }
}
