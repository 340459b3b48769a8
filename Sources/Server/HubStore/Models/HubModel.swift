internal import HubDatabase
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
    /// How many there are, and the highest that is published; where there is none, the highest draft.
    package var versions: Int
    package var latest: Int?
    /// What that one's author calls it.
    package var latestName: String?
    /// What clients said of it beside that: a JSON object.
    package var details: String

    init(_ row: Row) {
        (id, org, name, description) = (row["id"], row["org"], row["name"], row["description"])
        (created, updated, versions, latest) = (row["created"], row["updated"], row["versions"], row["latest"])
        (latestName, details) = (row["latest_name"], row["details"])
    }

    private static let newest =
        "FROM versions v WHERE v.model_id = m.id AND v.status <> 'deprecated' ORDER BY v.status = 'published' DESC, v.version DESC LIMIT 1"

    static let columns = """
        m.*, (SELECT v.version \(newest)) AS latest, (SELECT v.name \(newest)) AS latest_name,
        (SELECT COUNT(*) FROM versions v WHERE v.model_id = m.id) AS versions,
        COALESCE((SELECT MAX(created) FROM versions v WHERE v.model_id = m.id), m.created) AS updated FROM models m
        """
}

extension HubStore {
    /// Makes a model; its name is its ID, where nobody else has that or had it.
    ///
    /// - Parameter details: what else its maker says of it, a JSON object.
    /// - Returns: nil when there is one of that name.
    package func makeModel(
        _ name: String, description: String, details: String = "{}", org: String, now: Double
    ) async throws(Fault) -> HubModel? {
        try await write { database in
            // Nor of that ID: a model is found by either.
            let others = try Row.fetchOne(
                database, sql: "SELECT id FROM models WHERE org = ? AND (name = ? OR id = ?)", arguments: [org, name, name])
            guard others == nil else { return nil }
            let taken =
                try Row.fetchOne(
                    database, sql: "SELECT id FROM models WHERE id = ? UNION SELECT id FROM used WHERE kind = 'model' AND id = ?",
                    arguments: [name, name]) != nil
            let id = taken ? Secret.identifier() : name
            try database.execute(
                sql: "INSERT INTO models (id, org, name, description, details, created) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, org, name, description, details, now])
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

    /// - Throws: `.usage` when another model of the organisation has that name.
    package func change(_ model: HubModel, name: String, description: String, details: String) async throws(Fault) -> HubModel {
        let changed: HubModel? = try await write { database in
            let others =
                try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM models WHERE org = ? AND (name = ? OR id = ?) AND id <> ?",
                    arguments: [model.org, name, name, model.id]) ?? 0
            guard others == 0 else { throw Fault(.usage, "there is a model \(name) already") }
            try database.execute(
                sql: "UPDATE models SET name = ?, description = ?, details = ? WHERE id = ?",
                arguments: [name, description, details, model.id])
            return try Row.fetchOne(database, sql: "SELECT \(HubModel.columns) WHERE m.id = ?", arguments: [model.id]).map { HubModel($0) }
        }
        guard let changed else { throw Fault(.usage, "the model was removed meanwhile") }
        return changed
    }

    /// Removes a model with its versions, roll-outs, rounds and experiments.
    ///
    /// - Throws: `.usage` while a roll-out or an experiment of it goes on.
    package func remove(_ model: HubModel) async throws(Fault) {
        try await write { database in
            try HubStore.refuseWhileInUse(model.id, version: nil, database)
            try database.execute(sql: "INSERT INTO used (kind, id) VALUES ('model', ?) ON CONFLICT DO NOTHING", arguments: [model.id])
            try database.execute(sql: "DELETE FROM models WHERE id = ?", arguments: [model.id])
        }
    }

    static func refuseWhileInUse(_ model: String, version: Int?, _ database: Database) throws {
        let rollout = try Int.fetchOne(
            database,
            sql: """
                SELECT id FROM rollouts WHERE model_id = ? AND (CAST(? AS TEXT) IS NULL OR version = ?)
                    AND state IN ('pending', 'active', 'paused')
                """, arguments: [model, version, version])
        if let rollout { throw Fault(.usage, "roll-out \(rollout) of it goes on: stop it first") }
        let experiment = try String.fetchOne(
            database,
            sql: """
                SELECT e.id FROM experiments e JOIN variants v ON v.experiment = e.id
                WHERE e.model_id = ? AND (CAST(? AS TEXT) IS NULL OR v.version = ?) AND e.state IN ('draft', 'running', 'paused')
                """, arguments: [model, version, version])
        if let experiment { throw Fault(.usage, "experiment \(experiment) with it goes on: complete or cancel it first") }
    }
}
