internal import Cryptography
internal import GRDB
package import Support

/// A model that has versions, by which boards ask for it.
package struct HubModel: Sendable, Equatable {
    package var id: String
    package var org: String
    package var name: String
    package var description: String
    /// Seconds since 1970: made, and given its newest version.
    package var created: Double
    package var updated: Double
    /// How many there are, and the highest.
    package var versions: Int
    package var latest: Int?

    init(_ row: Row) {
        (id, org, name, description) = (row["id"], row["org"], row["name"], row["description"])
        (created, updated, versions, latest) = (row["created"], row["updated"], row["versions"], row["latest"])
    }

    static let columns = """
        m.*, (SELECT MAX(version) FROM versions v WHERE v.model_id = m.id) AS latest, (SELECT COUNT(*) FROM versions v
            WHERE v.model_id = m.id) AS versions,
        COALESCE((SELECT MAX(created) FROM versions v WHERE v.model_id = m.id), m.created) AS updated FROM models m
        """
}

/// One version of a model, without its bytes.
package struct ModelVersion: Sendable, Equatable {
    package var model: String
    package var version: Int
    /// SHA-256 of the file, 64 hexadecimal digits.
    package var checksum: String
    package var size: Int
    package var labels: [String]
    /// Seconds since 1970.
    package var expires: Int?
    package var description: String
    package var created: Double
    package var isSigned: Bool

    init(_ row: Row) {
        (model, version, checksum, size) = (row["model_id"], row["version"], row["checksum"], row["size"])
        (expires, description, created, isSigned) = (row["expires"], row["description"], row["created"], row["signed"])
        labels = (row["labels"] as String).split(separator: "\n").map(String.init)
    }

    static let columns =
        "model_id, version, checksum, size, labels, expires, description, created, signature IS NOT NULL AS signed FROM versions"
}

/// What a new version consists of.
package struct NewVersion: Sendable {
    package var version: Int
    package var labels: [String]
    package var expires: Int?
    package var bytes: [UInt8]
    package var signature: [UInt8]?
    package var description: String

    package init(version: Int, labels: [String], expires: Int?, bytes: [UInt8], signature: [UInt8]?, description: String) {
        (self.version, self.labels, self.expires) = (version, labels, expires)
        (self.bytes, self.signature, self.description) = (bytes, signature, description)
    }
}

extension HubStore {
    /// Makes a model; its name is its ID, where nobody else has that.
    package func makeModel(_ name: String, description: String, org: String, now: Double) async throws(Fault) -> HubModel? {
        try await write { database in
            guard try Row.fetchOne(database, sql: "SELECT id FROM models WHERE org = ? AND name = ?", arguments: [org, name]) == nil else {
                return nil
            }
            let taken = try Row.fetchOne(database, sql: "SELECT id FROM models WHERE id = ?", arguments: [name]) != nil
            let id = taken ? Secret.identifier() : name
            try database.execute(
                sql: "INSERT INTO models (id, org, name, description, created) VALUES (?, ?, ?, ?, ?)",
                arguments: [id, org, name, description, now])
            return try Row.fetchOne(database, sql: "SELECT \(HubModel.columns) WHERE m.id = ?", arguments: [id]).map { HubModel($0) }
        }
    }

    package func models(org: String) async throws(Fault) -> [HubModel] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT \(HubModel.columns) WHERE m.org = ? ORDER BY m.name", arguments: [org]).map { HubModel($0) }
        }
    }

    /// By its ID or its name.
    package func model(_ key: String, org: String) async throws(Fault) -> HubModel? {
        try await read {
            try Row.fetchOne(
                $0, sql: "SELECT \(HubModel.columns) WHERE m.org = ? AND (m.id = ? OR m.name = ?)", arguments: [org, key, key]
            ).map { HubModel($0) }
        }
    }

    /// - Throws: `.usage` when the model has that version with other bytes: versions never change.
    package func add(_ new: NewVersion, to model: HubModel, now: Double) async throws(Fault) -> ModelVersion {
        let checksum = Digest.text(new.bytes)
        let added: ModelVersion? = try await write { database in
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO versions (model_id, version, checksum, size, labels, expires, description, created,
                        signature, bytes)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    model.id, new.version, checksum, new.bytes.count, new.labels.joined(separator: "\n"), new.expires, new.description, now,
                    new.signature.map(HubStore.data), HubStore.data(new.bytes),
                ])
            if let signature = new.signature {
                try database.execute(
                    sql: "UPDATE versions SET signature = ? WHERE model_id = ? AND version = ? AND checksum = ?",
                    arguments: [HubStore.data(signature), model.id, new.version, checksum])
            }
            let found = try Row.fetchOne(
                database, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?", arguments: [model.id, new.version]
            ).map { ModelVersion($0) }
            return found?.checksum == checksum ? found : nil
        }
        guard let added else {
            throw Fault(
                .usage, "\(model.name) has a version \(new.version) already, and it is another file",
                remedy: "Give the new one a higher version.")
        }
        return added
    }

    /// The highest first.
    package func versions(of model: HubModel) async throws(Fault) -> [ModelVersion] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? ORDER BY version DESC", arguments: [model.id]).map
            { ModelVersion($0) }
        }
    }

    package func version(_ version: Int, of model: HubModel) async throws(Fault) -> ModelVersion? {
        try await read {
            try Row.fetchOne($0, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?", arguments: [model.id, version])
                .map { ModelVersion($0) }
        }
    }

    package func bytes(of version: ModelVersion) async throws(Fault) -> [UInt8]? {
        try await read {
            try FoundationData.fetchOne(
                $0, sql: "SELECT bytes FROM versions WHERE model_id = ? AND version = ?", arguments: [version.model, version.version]
            ).map { [UInt8]($0) }
        }
    }

    package func bytes(checksum: String) async throws(Fault) -> [UInt8]? {
        try await read {
            try FoundationData.fetchOne($0, sql: "SELECT bytes FROM versions WHERE checksum = ?", arguments: [checksum]).map { [UInt8]($0) }
        }
    }

    /// nil when it has none.
    package func signature(of version: ModelVersion) async throws(Fault) -> [UInt8]? {
        try await read {
            try FoundationData.fetchOne(
                $0, sql: "SELECT signature FROM versions WHERE model_id = ? AND version = ?", arguments: [version.model, version.version]
            ).map { [UInt8]($0) }
        }
    }

    /// False when there is no such version.
    package func sign(_ version: ModelVersion, _ signature: [UInt8]) async throws(Fault) -> Bool {
        try await write { database in
            try database.execute(
                sql: "UPDATE versions SET signature = ? WHERE model_id = ? AND version = ?",
                arguments: [HubStore.data(signature), version.model, version.version])
            return database.changesCount > 0
        }
    }

    /// How many boards run each version of a model, as their heartbeats tell.
    package func spread(org: String) async throws(Fault) -> [(version: Int?, devices: Int)] {
        try await writeBeats()
        return try await read { database in
            try Row.fetchAll(
                database,
                sql:
                    "SELECT model_version AS v, COUNT(*) AS n FROM devices WHERE org = ? AND revoked = 0 GROUP BY model_version ORDER BY v",
                arguments: [org]
            ).map { ($0["v"], $0["n"]) }
        }
    }
}
