internal import Cryptography
internal import HubDatabase
package import Support

/// Versions of a model side by side, on boards that are split by chance, compared by what they report.
package struct Experiment: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case draft, running, paused, completed, cancelled

        /// Whether a person may bring it there.
        package func leads(to next: State) -> Bool {
            switch (self, next) {
            case (.draft, .running), (.running, .paused), (.paused, .running), (.running, .completed), (.paused, .completed): true
            case (.draft, .cancelled), (.running, .cancelled), (.paused, .cancelled): true
            default: false
            }
        }
    }

    /// One of its versions.
    package struct Variant: Sendable, Equatable {
        package var name: String
        package var version: Int
        /// Percent of the boards in it.
        package var allocation: Double
        package var isControl: Bool

        package init(name: String, version: Int, allocation: Double, isControl: Bool) {
            (self.name, self.version, self.allocation, self.isControl) = (name, version, allocation, isControl)
        }
    }

    package var id: String
    package var model: String
    package var name: String
    package var state: State
    /// Percent of the boards that are in it.
    package var traffic: Double
    package var variants: [Variant]
    /// What its maker said beside that: a JSON object.
    package var settings: String
    package var created: Double
    package var updated: Double

    package init(model: String, name: String, traffic: Double, variants: [Variant], settings: String, now: Double) {
        (id, self.model, self.name, state, self.traffic) = (Secret.identifier(), model, name, .draft, traffic)
        (self.variants, self.settings, created, updated) = (variants, settings, now, now)
    }

    init?(_ row: Row, _ database: Database) throws {
        guard let state = State(rawValue: row["state"]) else { return nil }
        (id, model, name, self.state, traffic) = (row["id"], row["model_id"], row["name"], state, row["traffic"])
        (settings, created, updated) = (row["settings"], row["created"], row["updated"])
        variants = try Row.fetchAll(
            database, sql: "SELECT * FROM variants WHERE experiment = ? ORDER BY place", arguments: [row["id"] as String]
        )
        .map { Variant(name: $0["name"], version: $0["version"], allocation: $0["allocation"], isControl: $0["is_control"]) }
    }

    // The same number for the same words, anywhere: 0 ..< 100.
    private static func chance(_ words: String) -> Double {
        Double(UInt32(Digest.text(Array(words.utf8)).prefix(8), radix: 16) ?? 0) / 4_294_967_296 * 100
    }

    /// Which of its versions a board has; nil for boards that are not in it. It stays with a board for as long as the shares stay.
    package func variant(of device: String) -> Variant? {
        guard Self.chance("\(id)/\(device)") < traffic else { return nil }
        let total = variants.reduce(0) { $0 + $1.allocation }
        var left = Self.chance("\(id)/\(device)/variant") / 100 * total
        for variant in variants {
            if left < variant.allocation { return variant }
            left -= variant.allocation
        }
        return variants.last
    }

    /// The oldest running experiment of a model that a board is in.
    static func place(of device: String, model: String, _ database: Database) throws -> Assignment? {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM experiments WHERE model_id = ? AND state = 'running' ORDER BY created, id", arguments: [model])
        for row in rows {
            guard let experiment = try Experiment(row, database), let variant = experiment.variant(of: device) else { continue }
            let groups = try HubStore.groups(of: experiment.id, database)
            let isMember =
                try groups.isEmpty
                || !groups.isDisjoint(
                    with: String.fetchAll(database, sql: "SELECT group_id FROM memberships WHERE device_id = ?", arguments: [device]))
            guard isMember else { continue }
            return Assignment(
                version: variant.version, source: .experiment(experiment.id, variant: variant.name),
                bucket: chance("\(experiment.id)/\(device)"))
        }
        return nil
    }
}

extension HubStore {
    package func make(_ experiment: Experiment) async throws(Fault) {
        try await write { database in
            try database.execute(
                sql: """
                    INSERT INTO experiments (id, model_id, name, state, traffic, settings, created, updated)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    experiment.id, experiment.model, experiment.name, experiment.state.rawValue, experiment.traffic, experiment.settings,
                    experiment.created, experiment.updated,
                ])
            try HubStore.put(experiment.variants, of: experiment.id, database)
        }
    }

    private static func put(_ variants: [Experiment.Variant], of id: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM variants WHERE experiment = ?", arguments: [id])
        for (place, variant) in variants.enumerated() {
            try database.execute(
                sql: "INSERT INTO variants (experiment, place, name, version, allocation, is_control) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, place, variant.name, variant.version, variant.allocation, variant.isControl])
        }
    }

    /// The newest first.
    package func experiments(of model: String?, org: String) async throws(Fault) -> [Experiment] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT e.* FROM experiments e JOIN models m ON m.id = e.model_id
                        WHERE m.org = ? AND (CAST(? AS TEXT) IS NULL OR m.id = ?) ORDER BY e.created DESC, e.id
                    """, arguments: [org, model, model]
            ).compactMap { try Experiment($0, database) }
        }
    }

    package func experiment(_ id: String, org: String) async throws(Fault) -> Experiment? {
        try await read { database in
            try Row.fetchOne(
                database, sql: "SELECT e.* FROM experiments e JOIN models m ON m.id = e.model_id WHERE m.org = ? AND e.id = ?",
                arguments: [org, id]
            ).flatMap { try Experiment($0, database) }
        }
    }

    /// - Throws: `.usage` when it has another state by now, or one of its versions is gone.
    package func turn(_ experiment: Experiment, to state: Experiment.State, now: Double) async throws(Fault) {
        try await write { database in
            for variant in experiment.variants where state == .running {
                let found = try Row.fetchOne(
                    database, sql: "SELECT 1 FROM versions WHERE model_id = ? AND version = ?",
                    arguments: [experiment.model, variant.version])
                guard found != nil else { throw Fault(.usage, "version \(variant.version) of \(variant.name) is not there any more") }
            }
            let rows = try database.execute(
                sql: "UPDATE experiments SET state = ?, updated = ? WHERE id = ? AND state = ?",
                arguments: [state.rawValue, now, experiment.id, experiment.state.rawValue])
            guard rows > 0 else { throw Fault(.usage, "somebody else changed experiment \(experiment.id) meanwhile") }
        }
    }

    /// Keeps its variants' shares.
    ///
    /// - Throws: `.usage` for one that has ended.
    package func allocate(_ experiment: Experiment) async throws(Fault) {
        try await write { database in
            let rows = try database.execute(
                sql: "UPDATE experiments SET updated = ? WHERE id = ? AND state IN ('draft', 'running', 'paused')",
                arguments: [experiment.updated, experiment.id])
            guard rows > 0 else { throw Fault(.usage, "experiment \(experiment.id) has ended") }
            try HubStore.put(experiment.variants, of: experiment.id, database)
        }
    }

    /// The groups whose boards alone are in an experiment; none for all boards.
    package func groups(of experiment: Experiment) async throws(Fault) -> [String] {
        try await read { try HubStore.groups(of: experiment.id, $0).sorted() }
    }

    static func groups(of experiment: String, _ database: Database) throws -> Set<String> {
        Set(try String.fetchAll(database, sql: "SELECT group_id FROM experiment_groups WHERE experiment = ?", arguments: [experiment]))
    }

    package func set(groups: [String], of experiment: Experiment) async throws(Fault) {
        try await write { database in
            try database.execute(sql: "DELETE FROM experiment_groups WHERE experiment = ?", arguments: [experiment.id])
            for group in Set(groups) {
                try database.execute(
                    sql: "INSERT INTO experiment_groups (experiment, group_id) VALUES (?, ?)", arguments: [experiment.id, group])
            }
        }
    }
}
