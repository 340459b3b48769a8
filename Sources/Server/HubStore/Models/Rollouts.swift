internal import Cryptography
internal import HubDatabase
package import Support

/// A version on its way to boards: to a growing share of them, for as long as it does well.
package struct Rollout: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case pending, active, paused, stopped, completed
        /// Whether boards are offered its version.
        var offers: Bool { self == .active || self == .completed }
    }

    package var id: Int
    package var model: String
    package var version: Int
    /// What the version's author calls it.
    package var versionName: String?
    /// nil for all boards.
    package var group: String?
    /// Percent of the boards that are offered it now, and in the end.
    package var percentage: Double
    package var target: Double
    /// By how much it grows when it does well.
    package var increment: Double
    /// Share of the boards reached that must have taken it before it grows, 0 ... 1.
    package var success: Double
    /// Share of the reports that may be bad; beyond, it stops.
    package var error: Double
    /// Reports before either is looked at.
    package var minimum: Int
    package var state: State
    package var reason = ""
    package var created: Double

    package init(
        model: String, version: Int, group: String? = nil, percentage: Double = 10, target: Double = 100, increment: Double = 10,
        success: Double = 0.9,
        error: Double = 0.1, minimum: Int = 3, state: State = .active, created: Double
    ) {
        (id, self.model, self.version, self.group, self.percentage, self.target) = (0, model, version, group, percentage, target)
        (self.increment, self.success, self.error, self.minimum, self.state, self.created) = (
            increment, success, error, minimum, state, created
        )
    }

    init?(_ row: Row) {
        guard let state = State(rawValue: row["state"]) else { return nil }
        self.init(
            model: row["model_id"], version: row["version"], group: row["group_id"], percentage: row["percentage"], target: row["target"],
            increment: row["increment"],
            success: row["success"], error: row["error"], minimum: row["minimum"], state: state, created: row["created"])
        (id, reason, versionName) = (row["id"], row["reason"], row["version_name"])
    }

    /// Where a board stands in the order in which boards are reached: 0 ..< 100, for good.
    package static func bucket(of device: String, model: String, version: Int) -> Double {
        Double(Digest.first32(Array("\(model)/\(version)/\(device)".utf8))) / 4_294_967_296 * 100
    }

    // With the version's name.
    static let columns = "r.*, v.name AS version_name FROM rollouts r JOIN versions v ON v.model_id = r.model_id AND v.version = r.version"

    package func reaches(_ device: String, in groups: [String]) -> Bool {
        (group.map(groups.contains) ?? true) && Self.bucket(of: device, model: model, version: version) < percentage
    }
}

extension HubStore {
    /// - Parameter unsigned: whether the version may be one without a signature.
    /// - Throws: `.usage` when another roll-out of that version goes on, or the version is not signed.
    package func start(_ rollout: Rollout, unsigned: Bool = false) async throws(Fault) -> Rollout {
        let made: Rollout? = try await write { database in
            let others =
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT COUNT(*) FROM rollouts WHERE model_id = ? AND version = ?
                            AND group_id IS NOT DISTINCT FROM CAST(? AS TEXT) AND state IN ('pending', 'active', 'paused')
                        """,
                    arguments: [rollout.model, rollout.version, rollout.group]) ?? 0
            guard others == 0 else { throw Fault(.usage, "version \(rollout.version) is being rolled out there already") }
            let row = try Row.fetchOne(
                database, sql: "SELECT \(ModelVersion.columns) WHERE model_id = ? AND version = ?",
                arguments: [rollout.model, rollout.version])
            guard let version = row.map({ ModelVersion($0) }) else { throw Fault(.usage, "there is no version \(rollout.version)") }
            guard version.status != .deprecated else { throw Fault(.usage, "version \(version.shown) is deprecated") }
            // No board installs a release of gaitway that is not signed.
            let mayBeUnsigned = version.format != ModelVersion.program && (unsigned || !version.isGaitways)
            guard version.isSigned || mayBeUnsigned else {
                throw Fault(
                    .usage, "version \(version.shown) is not signed: boards with a trusted key would refuse it",
                    remedy: "Sign it and add it again (gaitway model sign); or say that it need not be (--unsigned, allow_unsigned).")
            }
            try HubStore.refuseBelowFleet(rollout, database)
            let id = try Int.fetchOne(
                database,
                sql: """
                    INSERT INTO rollouts (model_id, version, group_id, percentage, target, increment, success, error, minimum,
                        state, reason, created)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?) RETURNING id
                    """,
                arguments: [
                    rollout.model, rollout.version, rollout.group, rollout.percentage, rollout.target, rollout.increment, rollout.success,
                    rollout.error, rollout.minimum,
                    rollout.state.rawValue, rollout.created,
                ])
            guard let id else { return nil }
            try HubStore.remember(id, rollout.state, "made", rollout.created, database)
            return try Row.fetchOne(database, sql: "SELECT \(Rollout.columns) WHERE r.id = ?", arguments: [id]).flatMap { Rollout($0) }
        }
        guard let made else { throw Fault(.failure, "the roll-out could not be kept") }
        if made.state == .active { look(at: made) }
        return made
    }

    // Boards never go down: below what all of them have, a roll-out would go on for ever.
    private static func refuseBelowFleet(_ rollout: Rollout, _ database: Database) throws {
        let higher = try Row.fetchOne(
            database,
            sql: """
                SELECT id, version FROM rollouts WHERE model_id = ? AND version > ? AND state IN ('active', 'completed')
                    AND percentage >= 100 AND (group_id IS NULL OR group_id IS NOT DISTINCT FROM CAST(? AS TEXT)) ORDER BY version DESC
                """, arguments: [rollout.model, rollout.version, rollout.group])
        guard let higher else { return }
        let version: Int = higher["version"], id: Int = higher["id"]
        throw Fault(
            .usage, "roll-out \(id) brings version \(version) to these boards, and none goes back to \(rollout.version)",
            remedy: "To go back, give the old contents a version above \(version); or stop roll-out \(id).")
    }

    package func rollouts(of model: String? = nil, org: String) async throws(Fault) -> [Rollout] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Rollout.columns) JOIN models m ON m.id = r.model_id
                    WHERE m.org = ? AND (CAST(? AS TEXT) IS NULL OR m.id = ?) ORDER BY r.id DESC
                    """,
                arguments: [org, model, model]
            ).compactMap { Rollout($0) }
        }
    }

    package func rollout(_ id: Int, org: String) async throws(Fault) -> Rollout? {
        try await read {
            try Row.fetchOne(
                $0, sql: "SELECT \(Rollout.columns) JOIN models m ON m.id = r.model_id WHERE m.org = ? AND r.id = ?", arguments: [org, id]
            ).flatMap { Rollout($0) }
        }
    }

    /// By a person's will: starts, pauses, resumes, stops, or reaches more boards.
    ///
    /// - Throws: `.usage` for one that is complete, unless it is to stop or to reach more boards.
    package func change(
        _ rollout: Rollout, to state: Rollout.State, percentage: Double? = nil, reason: String, now: Double
    ) async throws(Fault) -> Rollout {
        guard rollout.state != .completed || state == .stopped || percentage != nil else {
            throw Fault(.usage, "roll-out \(rollout.id) is complete: it can only be stopped")
        }
        var changed = rollout
        (changed.state, changed.reason) = (state, reason)
        if let percentage { (changed.percentage, changed.target) = (percentage, max(rollout.target, percentage)) }
        try await write { [changed] database in
            // Who begins it anew has looked into what was wrong: what was reported before does not stop it again.
            if rollout.state == .stopped, changed.state == .active {
                try database.execute(
                    sql: "DELETE FROM outcomes WHERE model_id = ? AND version = ? AND state IN ('deferred', 'refused', 'rolled_back')",
                    arguments: [rollout.model, rollout.version])
            }
            try HubStore.save(changed, now, database)
        }
        if state == .active { look(at: changed) }
        return changed
    }

    package func remove(_ rollout: Rollout) async throws(Fault) {
        try await write { try $0.execute(sql: "DELETE FROM rollouts WHERE id = ?", arguments: [rollout.id]) }
    }

    package func history(of rollout: Rollout) async throws(Fault) -> [(at: Double, state: String, reason: String)] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT * FROM rollout_history WHERE rollout = ? ORDER BY at", arguments: [rollout.id]).map {
                ($0["at"], $0["state"], $0["reason"])
            }
        }
    }

    static func save(_ rollout: Rollout, _ now: Double, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE rollouts SET state = ?, percentage = ?, target = ?, reason = ? WHERE id = ?",
            arguments: [rollout.state.rawValue, rollout.percentage, rollout.target, rollout.reason, rollout.id])
        try remember(rollout.id, rollout.state, rollout.reason, now, database)
    }

    private static func remember(_ id: Int, _ state: Rollout.State, _ reason: String, _ now: Double, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO rollout_history (rollout, at, state, reason) VALUES (?, ?, ?, ?)",
            arguments: [id, now, state.rawValue, reason])
    }
}
