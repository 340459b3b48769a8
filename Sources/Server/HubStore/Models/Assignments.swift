internal import HubDatabase
internal import HubProtocol
package import Support

/// Which version of a model a board should have, and why.
package struct Assignment: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        case rollout(Int)
        /// An experiment, and which of its versions.
        case experiment(String, variant: String)
    }

    package var version: Int
    package var source: Source
    /// Where the board is in the order in which a roll-out reaches boards, or among those of an experiment: 0 ..< 100.
    package var bucket: Double
}

extension HubStore {
    /// What experiments say, else what roll-outs do; nil when nothing above `current` is for the board.
    ///
    /// - Parameter format: of files that the board can use; nil for any.
    package func assignment(
        of model: HubModel, to device: String, above current: Int, format: String? = nil
    ) async throws(Fault) -> Assignment? {
        try await read { try HubStore.assignment(model.id, device, above: current, format, $0) }
    }

    /// The roll-out that a board's version comes from; nil when none above `current` is for it.
    package func offer(_ model: HubModel, to device: String, above current: Int) async throws(Fault) -> Rollout? {
        try await read { try HubStore.offers(model.id, device, above: current, nil, $0) }
    }

    static func assignment(
        _ model: String, _ device: String, above current: Int, _ format: String?, _ database: Database
    ) throws -> Assignment? {
        if let place = try Experiment.place(of: device, model: model, database) {
            let isFailed = try failed(model, device, database).contains(place.version)
            let known = try String.fetchOne(
                database, sql: "SELECT format FROM versions WHERE model_id = ? AND version = ?", arguments: [model, place.version])
            return place.version > current && !isFailed && (format == nil || format == known) ? place : nil
        }
        return try offers(model, device, above: current, format, database).map {
            Assignment(
                version: $0.version, source: .rollout($0.id), bucket: Rollout.bucket(of: device, model: model, version: $0.version))
        }
    }

    private static func failed(_ model: String, _ device: String, _ database: Database) throws -> Set<Int> {
        let known = try Row.fetchAll(
            database, sql: "SELECT version, state FROM outcomes WHERE model_id = ? AND device_id = ?", arguments: [model, device])
        return Set(known.compactMap { row in ModelState(rawValue: row["state"])?.isFailure == true ? row["version"] as Int : nil })
    }

    static func offers(
        _ model: String, _ device: String, above current: Int, _ format: String?, _ database: Database
    ) throws -> Rollout? {
        let groups = try String.fetchAll(database, sql: "SELECT group_id FROM memberships WHERE device_id = ?", arguments: [device])
        let failed = try failed(model, device, database)
        return try Row.fetchAll(
            database,
            sql: """
                SELECT \(Rollout.columns) WHERE r.model_id = ? AND r.version > ? AND v.status <> 'deprecated'
                    AND (CAST(? AS TEXT) IS NULL OR v.format = ?) ORDER BY r.version DESC, r.id DESC
                """, arguments: [model, current, format, format]
        )
        .compactMap { Rollout($0) }.first { $0.state.offers && !failed.contains($0.version) && $0.reaches(device, in: groups) }
    }
}
