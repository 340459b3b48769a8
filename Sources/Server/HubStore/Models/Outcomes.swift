internal import HubDatabase
package import HubProtocol
package import Support
internal import Synchronization

/// What became of a version on a board, in its own words.
package struct Outcome: Sendable, Equatable {
    package var version: Int
    package var device: String
    package var state: ModelState
    package var reason: String
    package var updated: Double

    package init(version: Int, device: String, state: ModelState, reason: String, updated: Double) {
        (self.version, self.device, self.state, self.reason, self.updated) = (version, device, state, reason, updated)
    }

    init?(_ row: Row) {
        guard let state = ModelState(rawValue: row["state"]) else { return nil }
        self.init(version: row["version"], device: row["device_id"], state: state, reason: row["reason"], updated: row["updated"])
    }
}

extension HubStore {
    // Of one model on one board.
    private static let mostOutcomes = 200

    /// Keeps what a board says of versions. The roll-outs that they are part of go on or stop with the next
    /// ``advance(now:everywhere:completed:)``.
    package func report(_ outcomes: [Outcome], of model: HubModel) async throws(Fault) {
        let changed = try await write { database in
            var changed: Set<Int> = []
            for outcome in outcomes {
                // A board may tell of versions that were never here; not of any number of them.
                let others =
                    try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM outcomes WHERE model_id = ? AND device_id = ? AND version <> ?",
                        arguments: [model.id, outcome.device, outcome.version]) ?? 0
                guard others < HubStore.mostOutcomes else { continue }
                let rows = try database.execute(
                    sql: """
                        INSERT INTO outcomes (model_id, version, device_id, state, reason, updated) VALUES (?, ?, ?, ?, ?, ?)
                        ON CONFLICT (model_id, version, device_id) DO UPDATE SET state = excluded.state, reason = excluded.reason,
                            updated = excluded.updated
                        WHERE outcomes.state <> excluded.state OR outcomes.reason <> excluded.reason
                        """,
                    arguments: [model.id, outcome.version, outcome.device, outcome.state.rawValue, outcome.reason, outcome.updated])
                if rows > 0 { changed.insert(outcome.version) }
            }
            return changed
        }
        if !changed.isEmpty { reported.withLock { $0[model.id, default: []].formUnion(changed) } }
    }

    /// Whether any of these is other than what is kept of that board.
    package func isNews(_ outcomes: [Outcome], of model: HubModel) async throws(Fault) -> Bool {
        guard let device = outcomes.first?.device else { return false }
        let kept = try await read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM outcomes WHERE model_id = ? AND device_id = ?", arguments: [model.id, device]
            ).compactMap { Outcome($0) }
        }
        return outcomes.contains { new in
            guard let known = kept.first(where: { $0.version == new.version }) else { return kept.count < HubStore.mostOutcomes }
            // Of two words on a version the last one is kept.
            let last = outcomes.last { $0.version == new.version } ?? new
            return known.state != last.state || known.reason != last.reason
        }
    }

    /// The next ``advance(now:everywhere:completed:)`` sees whether it should grow.
    func look(at rollout: Rollout) { reported.withLock { _ = $0[rollout.model, default: []].insert(rollout.version) } }

    /// Lets roll-outs that boards reported on grow, or stops them. It looks at every board, so it is done now and then, not with each
    /// report.
    ///
    /// - Parameters:
    ///   - everywhere: also where nothing new was reported to this process: boards come and go without a report.
    ///   - completed: everywhere, also those that are complete: what was reported just before a hub died may stop them.
    package func advance(now: Double, everywhere: Bool = false, completed: Bool = false) async throws(Fault) {
        var pending = reported.withLock { reported in
            defer { reported = [:] }
            return reported
        }
        if everywhere {
            for (model, version) in try await going(completed: completed) { pending[model, default: []].insert(version) }
        }
        guard !pending.isEmpty else { return }
        try await writeBeats()
        let since = reachableSince(now)
        do throws(Fault) {
            for (model, versions) in pending {
                for version in versions { try await advance(model, version, now, reachableSince: since) }
            }
        } catch {
            reported.withLock { reported in for (model, versions) in pending { reported[model, default: []].formUnion(versions) } }
            throw error
        }
    }

    private func going(completed: Bool) async throws(Fault) -> [(model: String, version: Int)] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT model_id AS m, version AS v FROM rollouts
                    WHERE state = 'active' OR CAST(? AS INTEGER) = 1 AND state = 'completed'
                    """,
                arguments: [completed]
            )
            .map { ($0["m"], $0["v"]) }
        }
    }

    // At once; the others come with the next turn.
    private static let stepLimit = 20

    // Boards are counted first: a million of them hold up nobody who writes.
    private func advance(_ model: String, _ version: Int, _ now: Double, reachableSince since: Double) async throws(Fault) {
        for rollout in try await going(model, version) {
            let boards = try await boards(of: rollout, reachableSince: since)
            var steps: [Rollout] = [], last = rollout
            // A share may bring no board that has not taken it yet.
            while steps.count < Self.stepLimit {
                let next = RolloutProgress(boards, of: last).next(of: last)
                guard next.state != last.state || next.percentage != last.percentage else { break }
                (last.state, last.percentage, last.reason) = next
                steps.append(last)
            }
            guard !steps.isEmpty else { continue }
            let isSaved = try await write { [steps] database in
                // A person or another server may have changed it meanwhile.
                let row = try Row.fetchOne(database, sql: "SELECT \(Rollout.columns) WHERE r.id = ?", arguments: [rollout.id])
                guard row.flatMap({ Rollout($0) }) == rollout else { return false }
                for (index, step) in steps.enumerated() {
                    // One after the other in its history.
                    try HubStore.save(step, now + 0.001 * Double(index), database)
                    if step.state == .completed { try HubStore.supersede(by: step, now, database) }
                }
                return true
            }
            if !isSaved { look(at: rollout) }
        }
    }

    private func going(_ model: String, _ version: Int) async throws(Fault) -> [Rollout] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT \(Rollout.columns) WHERE r.model_id = ? AND r.version = ? AND r.state IN ('active', 'completed')",
                arguments: [model, version]
            ).compactMap { Rollout($0) }
        }
    }

    // Lower versions come to no board of it any more.
    private static func supersede(by rollout: Rollout, _ now: Double, _ database: Database) throws {
        guard rollout.percentage >= 100 else { return }
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT \(Rollout.columns) WHERE r.model_id = ? AND r.version < ? AND r.state IN ('pending', 'active', 'paused')
                    AND (CAST(? AS TEXT) IS NULL OR r.group_id IS NOT DISTINCT FROM CAST(? AS TEXT))
                """, arguments: [rollout.model, rollout.version, rollout.group, rollout.group])
        {
            guard var lower = Rollout(row) else { continue }
            (lower.state, lower.reason) = (.stopped, "its boards have version \(rollout.version) by roll-out \(rollout.id)")
            try save(lower, now, database)
        }
    }

    /// What boards said of a version, the last ones first.
    package func outcomes(
        of model: String, version: Int, limit: Int = 100, offset: Int = 0
    ) async throws(Fault) -> (boards: [(outcome: Outcome, identifier: String, name: String)], total: Int) {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT o.*, d.identifier, COALESCE(n.name, d.identifier) AS called
                    FROM outcomes o JOIN devices d ON d.id = o.device_id JOIN names n ON n.device_id = o.device_id
                    WHERE o.model_id = ? AND o.version = ? ORDER BY o.updated DESC, o.device_id LIMIT ? OFFSET ?
                    """, arguments: [model, version, limit, offset])
            let total = try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM outcomes WHERE model_id = ? AND version = ?", arguments: [model, version])
            return (rows.compactMap { row in Outcome(row).map { ($0, row["identifier"], row["called"]) } }, total ?? 0)
        }
    }

    package func outcomes(of device: String) async throws(Fault) -> [(model: String, outcome: Outcome)] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM outcomes WHERE device_id = ? ORDER BY version DESC", arguments: [device])
                .compactMap { row in Outcome(row).map { (row["model_id"], $0) } }
        }
    }
}
