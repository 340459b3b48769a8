internal import HubDatabase
internal import JSONReading
package import Support

/// What a board of another make is to install: an image of its system.
package struct ImageOffer: Sendable, Equatable {
    package var rollout: Rollout
    package var version: ModelVersion
}

/// A board of another make, such as SWUpdate's or RAUC's.
package struct Target: Sendable, Equatable {
    package var id: String
    package var org: String
    /// What it said of itself (configData); nil before.
    package var metadata: [String: JSONValue]?

    // Of `devices`; nil for a board of Gaitway's.
    init?(_ row: Row) {
        guard let info = JSONValue(reading: Array((row["info"] as String).utf8)), info["target"] == true else { return nil }
        (id, org) = (row["id"], row["org"])
        if case .object(let said)? = info["metadata"] { metadata = said }
    }

    static func info(_ metadata: [String: JSONValue]?) -> String {
        let info = JSONValue.members([("target", true), ("metadata", metadata.map { .object($0) })])
        return String(decoding: info.bytes, as: UTF8.self)
    }
}

extension HubStore {
    /// Registers a board of another make and makes its token, which is returned this once. The one before ends.
    ///
    /// - Throws: `.usage` for a name that no address can hold, or that a board of Gaitway's has.
    package func addTarget(_ name: String, org: String, expires: Double? = nil, now: Double) async throws(Fault) -> String {
        let isName = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".+_:-".utf8.contains(byte)
        }
        guard isName, (1...100).contains(name.utf8.count), ![".", ".."].contains(name) else {
            throw Fault(.usage, "\"\(name)\" is not 1 to 100 letters, digits, \".\", \"+\", \"_\", \":\" and \"-\"")
        }
        let token = Secret.token(IssuedToken.Kind.target.prefix)
        try await write { database in
            if let row = try Row.fetchOne(database, sql: "SELECT * FROM devices WHERE org = ? AND identifier = ?", arguments: [org, name]) {
                guard Target(row) != nil, row["revoked"] == 0 else {
                    throw Fault(
                        .usage, "a board called \(name) is registered already, \(row["revoked"] == 0 ? "as Gaitway's" : "and revoked")",
                        remedy: "Take another name, or delete that board first: gaitway-hub devices delete \(name)")
                }
                try HubStore.withdrawTarget(name, org, database)
            } else {
                let others =
                    try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM families WHERE org = ? AND identifier = ?", arguments: [org, name]) ?? 0
                guard others == 0 else { throw Fault(.usage, "a board called \(name) has tokens already", remedy: "Take another name.") }
                try database.execute(
                    sql: "INSERT INTO devices (id, org, identifier, info, registered, updated) VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [Secret.identifier(), org, name, Target.info(nil), now, now])
                try BoardNames.begin(org: org, identifier: name, database)
            }
            try HubStore.keep(token, .target, org: org, name: name, role: .viewer, expires: expires, now, database)
        }
        forgetSessions()
        return token
    }

    static func withdrawTarget(_ name: String, _ org: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM issued WHERE kind = 'target' AND org = ? AND name = ?", arguments: [org, name])
    }

    /// nil for a board that is none, or revoked. Heartbeats that wait are not looked at.
    package func target(_ id: String, org: String) async throws(Fault) -> Target? {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM devices WHERE id = ? AND org = ? AND revoked = 0", arguments: [id, org])
                .flatMap { Target($0) }
        }
    }

    /// Keeps what it says of itself; nil for what it is to say anew.
    package func describe(_ target: Target, _ metadata: [String: JSONValue]?, now: Double) async throws(Fault) {
        guard metadata != target.metadata else { return }
        try await write(tellsOthers: false) {
            try $0.execute(
                sql: "UPDATE devices SET info = ?, updated = ? WHERE id = ? AND revoked = 0",
                arguments: [Target.info(metadata), now, target.id])
        }
    }

    /// The image that a roll-out brings to a board: higher than every version that it installed, and none that failed on it; nil for none.
    package func image(for target: Target) async throws(Fault) -> ImageOffer? {
        try await read { database in
            let models = try String.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT m.id FROM models m JOIN versions v ON v.model_id = m.id WHERE m.org = ? AND v.format = ? ORDER BY m.id
                    """, arguments: [target.org, ModelVersion.image])
            for model in models {
                let installed = try Int.fetchOne(
                    database, sql: "SELECT MAX(version) FROM outcomes WHERE model_id = ? AND device_id = ? AND state = 'committed'",
                    arguments: [model, target.id])
                if let rollout = try HubStore.offers(model, target.id, above: installed ?? -1, ModelVersion.image, database) {
                    return try HubStore.offer(rollout, database)
                }
            }
            return nil
        }
    }

    /// A roll-out of an image, for a board that it reaches or that has told of it already; and what the board told.
    package func image(
        of rollout: Int, for target: Target
    ) async throws(Fault) -> (offer: ImageOffer, told: Outcome?)? {
        try await read { database in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT \(Rollout.columns) JOIN models m ON m.id = r.model_id WHERE m.org = ? AND r.id = ?",
                    arguments: [target.org, rollout]), let rollout = Rollout(row), let offer = try HubStore.offer(rollout, database),
                offer.version.format == ModelVersion.image
            else { return nil }
            let told = try Row.fetchOne(
                database, sql: "SELECT * FROM outcomes WHERE model_id = ? AND version = ? AND device_id = ?",
                arguments: [rollout.model, rollout.version, target.id]
            ).flatMap { Outcome($0) }
            let groups = try String.fetchAll(
                database, sql: "SELECT group_id FROM memberships WHERE device_id = ?", arguments: [target.id])
            guard told != nil || rollout.state.offers && rollout.reaches(target.id, in: groups) else { return nil }
            return (offer, told)
        }
    }

    private static func offer(_ rollout: Rollout, _ database: Database) throws -> ImageOffer? {
        try Row.fetchOne(
            database, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?",
            arguments: [rollout.model, rollout.version]
        ).map { ImageOffer(rollout: rollout, version: ModelVersion($0)) }
    }
}

extension Session {
    /// What such a token is for: asking for images and nothing else.
    static let images = "images"

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
