internal import HubDatabase
package import Support

/// A round of federated learning: boards send weights that they learnt from a version, and a new version comes of them.
package struct TrainingRound: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case waiting = "waiting_for_updates"
        case completed, cancelled
    }

    package struct Settings: Sendable, Equatable {
        /// Updates that it takes, and with how many it ends by itself; nil for when a person says so.
        package var least = 1
        package var most: Int?
        package var minutes = 60
        /// The longest Euclidean norm of a change; twice the median when nil.
        package var clip: Double?
        /// FedProx's, for clients that train by it.
        package var proximal: Double?

        package init() {}

        init(_ text: String) {
            let value = JSONValue(parsing: Array(text.utf8)) ?? .null
            func whole(_ name: String) -> Int? { value[name]?.number.flatMap { Int(exactly: $0) } }
            (least, most, minutes) = (whole("least") ?? 1, whole("most"), whole("minutes") ?? 60)
            (clip, proximal) = (value["clip"]?.number, value["proximal"]?.number)
        }

        var text: String {
            String(
                decoding: JSONValue.members([
                    ("least", .integer(least)), ("most", JSONValue(most)), ("minutes", .integer(minutes)),
                    ("clip", clip.map { .number($0) }),
                    ("proximal", proximal.map { .number($0) }),
                ]).bytes, as: UTF8.self)
        }
    }

    package var id: String
    package var model: String
    /// The version that boards begin with.
    package var base: Int
    package var state: State
    package var settings: Settings
    /// Seconds since 1970.
    package var created: Double
    package var ended: Double?
    /// The version that came of it.
    package var result: Int?
    package var updates: Int

    /// Whether it takes updates.
    package func isOpen(at now: Double) -> Bool { state == .waiting && now < created + Double(settings.minutes) * 60 }

    static let columns = "r.*, (SELECT COUNT(*) FROM updates u WHERE u.round = r.id) AS updates FROM rounds r"

    init?(_ row: Row) {
        guard let state = State(rawValue: row["state"]) else { return nil }
        (id, model, base, self.state) = (row["id"], row["model_id"], row["base"], state)
        (settings, created, ended, result) = (Settings(row["settings"]), row["created"], row["ended"], row["result"])
        updates = row["updates"]
    }
}

extension HubStore {
    package func makeRound(
        of model: HubModel, base: Int, _ settings: TrainingRound.Settings, now: Double
    ) async throws(Fault) -> TrainingRound {
        let made: TrainingRound? = try await write { database in
            let id = Secret.identifier()
            try database.execute(
                sql: "INSERT INTO rounds (id, model_id, base, state, settings, created) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, model.id, base, TrainingRound.State.waiting.rawValue, settings.text, now])
            return try HubStore.round(id, org: model.org, database)
        }
        guard let made else { throw Fault(.failure, "the round could not be kept") }
        return made
    }

    /// The newest first.
    package func rounds(of model: String?, org: String) async throws(Fault) -> [TrainingRound] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(TrainingRound.columns) JOIN models m ON m.id = r.model_id
                        WHERE m.org = ? AND (CAST(? AS TEXT) IS NULL OR m.id = ?) ORDER BY r.created DESC, r.id LIMIT 500
                    """, arguments: [org, model, model]
            ).compactMap { TrainingRound($0) }
        }
    }

    package func round(_ id: String, org: String) async throws(Fault) -> TrainingRound? {
        try await read { try HubStore.round(id, org: org, $0) }
    }

    private static func round(_ id: String, org: String, _ database: Database) throws -> TrainingRound? {
        try Row.fetchOne(
            database, sql: "SELECT \(TrainingRound.columns) JOIN models m ON m.id = r.model_id WHERE m.org = ? AND r.id = ?",
            arguments: [org, id]
        ).flatMap { TrainingRound($0) }
    }

    /// The round of a model that takes updates to a version, whoever sends them; made where there is none, for as long as it takes.
    package func openRound(of model: HubModel, base: Int, now: Double) async throws(Fault) -> TrainingRound {
        let open = try await rounds(of: model.id, org: model.org).first { $0.isOpen(at: now) && $0.base == base }
        if let open { return open }
        var settings = TrainingRound.Settings()
        settings.minutes = 30 * 1440
        return try await makeRound(of: model, base: base, settings, now: now)
    }

    package func end(_ round: TrainingRound, as state: TrainingRound.State, result: Int?, now: Double) async throws(Fault) {
        try await write { try HubStore.end(round, as: state, result: result, now, $0) }
    }

    // What people's boards learnt is not kept longer than it is needed.
    static func end(_ round: TrainingRound, as state: TrainingRound.State, result: Int?, _ now: Double, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE rounds SET state = ?, result = ?, ended = ? WHERE id = ?", arguments: [state.rawValue, result, now, round.id])
        try database.execute(sql: "UPDATE updates SET weights = ?, metrics = '{}' WHERE round = ?", arguments: [[UInt8](), round.id])
    }

    /// Ends rounds whose time is over, with what they hold.
    static func endRounds(_ now: Double, _ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT \(TrainingRound.columns) WHERE r.state = 'waiting_for_updates'") {
            // A person may still join what came in time, for a day.
            guard let round = TrainingRound(row), !round.isOpen(at: now - 86_400) else { continue }
            try end(round, as: .cancelled, result: nil, now, database)
        }
    }
}
