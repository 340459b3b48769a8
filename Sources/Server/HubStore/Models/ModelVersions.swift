internal import Cryptography
internal import HubDatabase
package import Support

extension HubStore {
    /// Boards count in 32 bits.
    package static let versionRange = 0...2_000_000_000

    /// - Throws: `.usage` when the model has, or had, that version with other bytes: versions never change; or for a number beyond
    ///   ``versionRange``.
    package func add(_ new: NewVersion, to model: HubModel, now: Double) async throws(Fault) -> ModelVersion {
        try await write { try HubStore.insert(new, model, now, $0) }
    }

    static func insert(_ new: NewVersion, _ model: HubModel, _ now: Double, _ database: Database) throws -> ModelVersion {
        let checksum = Digest.text(new.bytes), version = try new.version ?? nextVersion(of: model.id, database)
        guard versionRange.contains(version) else {
            throw Fault(.usage, "version \(version) is not within \(versionRange.lowerBound) ... \(versionRange.upperBound)")
        }
        let isUsed = try Row.fetchOne(
            database, sql: "SELECT id FROM used WHERE kind = 'version' AND id = ?", arguments: ["\(model.id)/\(version)"])
        guard isUsed == nil else { throw Fault(.usage, "\(model.name) had a version \(version), and boards may remember it") }
        try database.execute(
            sql: """
                INSERT INTO versions (model_id, version, name, status, format, metrics, checksum, size, labels, expires,
                    description, created, signature, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
            arguments: [
                model.id, version, new.name, new.status.rawValue, new.format, new.metrics, checksum, new.bytes.count,
                new.labels.joined(separator: "\n"), new.expires, new.description, now, new.signature, new.bytes,
            ])
        // Added again, a file is back that was lost where `serve --models` put it.
        try database.execute(
            sql: "UPDATE versions SET bytes = ? WHERE model_id = ? AND version = ? AND checksum = ? AND length(bytes) = 0",
            arguments: [new.bytes, model.id, version, checksum])
        if let signature = new.signature {
            try database.execute(
                sql: "UPDATE versions SET signature = ? WHERE model_id = ? AND version = ? AND checksum = ?",
                arguments: [signature, model.id, version, checksum])
        }
        let row = try Row.fetchOne(
            database, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND (name = ? OR version = ?) ORDER BY name IS NULL",
            arguments: [model.id, new.name, version])
        let there = row.map { ModelVersion($0) }
        guard let found = there, found.checksum == checksum else {
            let isOfAnotherName = there?.name != new.name && there?.version == version
            throw Fault(
                .usage,
                isOfAnotherName
                    ? "\(model.name) has a file of the number \(version) already, version \(there?.shown ?? ""), and it is another one"
                    : "\(model.name) has a version \(new.name ?? "\(version)") already, and it is another file",
                remedy: "Give the new one a higher version.")
        }
        if let name = new.name, found.name != name {
            throw Fault(.usage, "this very file is version \(found.shown) already", remedy: "A version has one name.")
        }
        return found
    }

    // Above all that there are and were.
    private static func nextVersion(of model: String, _ database: Database) throws -> Int {
        let present = try Int.fetchOne(database, sql: "SELECT MAX(version) FROM versions WHERE model_id = ?", arguments: [model]) ?? 0
        let used = try String.fetchAll(
            database, sql: "SELECT id FROM used WHERE kind = 'version' AND substr(id, 1, length(CAST(? AS TEXT)) + 1) = ?",
            arguments: [model, model + "/"]
        ).compactMap { $0.split(separator: "/").last.flatMap { Int($0) } }
        return min(max(present, used.max() ?? 0), versionRange.upperBound) + 1
    }

    /// Removes a version; nothing else will ever have its number.
    ///
    /// - Throws: `.usage` while a roll-out or an experiment of it goes on.
    package func remove(_ version: ModelVersion) async throws(Fault) {
        try await write { database in
            try HubStore.refuseWhileInUse(version.model, version: version.version, database)
            try database.execute(
                sql: "INSERT INTO used (kind, id) VALUES ('version', ?) ON CONFLICT DO NOTHING",
                arguments: ["\(version.model)/\(version.version)"])
            try database.execute(
                sql: "DELETE FROM versions WHERE model_id = ? AND version = ?", arguments: [version.model, version.version])
        }
    }

    /// - Parameters:
    ///   - status: as before when nil, and so is `metrics`: a JSON object.
    package func change(
        _ version: ModelVersion, status: ModelVersion.Status? = nil, metrics: String? = nil
    ) async throws(Fault) -> ModelVersion {
        try await write { database in
            try database.execute(
                sql: "UPDATE versions SET status = ?, metrics = ? WHERE model_id = ? AND version = ?",
                arguments: [(status ?? version.status).rawValue, metrics ?? version.metrics, version.model, version.version])
        }
        var changed = version
        (changed.status, changed.metrics) = (status ?? version.status, metrics ?? version.metrics)
        return changed
    }

    /// The highest first.
    package func versions(of model: HubModel) async throws(Fault) -> [ModelVersion] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? ORDER BY version DESC", arguments: [model.id]).map
            { ModelVersion($0) }
        }
    }

    /// By its name or its number.
    package func version(named name: String, of model: HubModel) async throws(Fault) -> ModelVersion? {
        try await read {
            try Row.fetchOne(
                $0, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND (name = ? OR version = ?) ORDER BY name IS NULL",
                arguments: [model.id, name, Int(name)]
            ).map { ModelVersion($0) }
        }
    }

    package func version(_ version: Int, of model: HubModel) async throws(Fault) -> ModelVersion? {
        try await read {
            try Row.fetchOne($0, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?", arguments: [model.id, version])
                .map { ModelVersion($0) }
        }
    }

    package func bytes(of version: ModelVersion) async throws(Fault) -> [UInt8]? {
        let row = try await read {
            try Row.fetchOne(
                $0, sql: "SELECT bytes, size, checksum FROM versions WHERE model_id = ? AND version = ?",
                arguments: [version.model, version.version])
        }
        return try await bytes(row)
    }

    package func bytes(checksum: String) async throws(Fault) -> [UInt8]? {
        let row = try await read {
            try Row.fetchOne($0, sql: "SELECT bytes, size, checksum FROM versions WHERE checksum = ? LIMIT 1", arguments: [checksum])
        }
        return try await bytes(row)
    }

    /// nil when it has none.
    package func signature(of version: ModelVersion) async throws(Fault) -> [UInt8]? {
        try await read {
            try [UInt8].fetchOne(
                $0, sql: "SELECT signature FROM versions WHERE model_id = ? AND version = ?", arguments: [version.model, version.version]
            )
        }
    }

    /// False when there is no such version.
    package func sign(_ version: ModelVersion, _ signature: [UInt8]) async throws(Fault) -> Bool {
        try await write { database in
            let rows = try database.execute(
                sql: "UPDATE versions SET signature = ? WHERE model_id = ? AND version = ?",
                arguments: [signature, version.model, version.version])
            return rows > 0
        }
    }
}
