internal import HubDatabase
package import Support

/// What a board of another make is to install: an image of its system.
package struct ImageOffer: Sendable, Equatable {
    package var rollout: Rollout
    package var version: ModelVersion
}

extension HubStore {
    /// Registers a board of another make, such as SWUpdate's or RAUC's, and makes its token, which is returned this once. Tokens of before
    /// stay.
    ///
    /// - Throws: `.usage` for a name that no address can hold.
    package func addTarget(_ name: String, org: String, expires: Double? = nil, now: Double) async throws(Fault) -> String {
        let isName = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".+_:-".utf8.contains(byte)
        }
        guard isName, (1...100).contains(name.utf8.count), ![".", ".."].contains(name) else {
            throw Fault(.usage, "\"\(name)\" is not 1 to 100 letters, digits, \".\", \"+\", \"_\", \":\" and \"-\"")
        }
        guard let board = try await register(org: org, identifier: name, info: "{}", now: now), !board.isRevoked else {
            throw Fault(.usage, "\(name) is revoked", remedy: "Delete it first: gaitway-hub devices delete \(name)")
        }
        return try await issue(.target, org: org, name: name, expires: expires, now: now)
    }

    /// The image that a roll-out brings to a board, where it is another than the one that the board installed last; nil for none.
    package func image(for device: String, org: String) async throws(Fault) -> ImageOffer? {
        try await read { database in
            let models = try String.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT m.id FROM models m JOIN versions v ON v.model_id = m.id WHERE m.org = ? AND v.format = ? ORDER BY m.id
                    """, arguments: [org, ModelVersion.image])
            for model in models {
                let installed = try Int.fetchOne(
                    database, sql: "SELECT MAX(version) FROM outcomes WHERE model_id = ? AND device_id = ? AND state = 'committed'",
                    arguments: [model, device])
                guard
                    let rollout = try HubStore.offers(model, device, above: installed ?? -1, ModelVersion.image, database),
                    let row = try Row.fetchOne(
                        database, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?",
                        arguments: [model, rollout.version])
                else { continue }
                return ImageOffer(rollout: rollout, version: ModelVersion(row))
            }
            return nil
        }
    }
}

extension Session {
    /// What such a token is for: asking for images and nothing else.
    package static let images = "images"

    package var isTarget: Bool { scopes == [Self.images] }

    static func target(_ hash: [UInt8], _ now: Double, _ database: Database) throws -> Session? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT i.*, d.id AS device FROM issued i JOIN devices d ON d.org = i.org AND d.identifier = i.name
                WHERE i.hash = ? AND i.kind = 'target' AND (i.expires IS NULL OR i.expires > ?) AND d.revoked = 0
                """, arguments: [hash, now]
        ).map { row in
            Session(
                holder: .device(identifier: row["name"], id: row["device"]), org: row["org"], scopes: [images],
                expires: row["expires"] ?? .infinity)
        }
    }
}
