internal import HubDatabase
internal import HubProtocol
package import Support

/// What became of a version on the boards that a roll-out reaches.
package struct RolloutProgress: Sendable, Equatable {
    /// Boards of its share that are reachable, or that said what became of it.
    package var reached = 0
    /// Running it for good; trying it; could not fetch it yet; refused or rolled back.
    package var committed = 0
    package var trying = 0
    package var deferred = 0
    package var failed = 0
    /// Boards of its share that are switched off or gone: it does not wait for them.
    package var away = 0
    /// Of the reachable boards that do not have it yet, the bucket of the first.
    package var nearest: Double?

    private mutating func count(_ state: ModelState?, bucket: Double, isReachable: Bool, of rollout: Rollout) {
        guard bucket < rollout.percentage else {
            if isReachable { nearest = min(nearest ?? bucket, bucket) }
            return
        }
        switch state {
        case .committed: committed += 1
        case .refused, .rolledBack: failed += 1
        case .shadow where isReachable, .probation where isReachable: trying += 1
        case .deferred where isReachable: deferred += 1
        case nil where isReachable: break
        default:
            away += 1
            return
        }
        reached += 1
    }

    /// What the roll-out does next.
    package func next(of rollout: Rollout) -> (state: Rollout.State, percentage: Double, reason: String) {
        if reached == 0, rollout.state == .active, let nearest, rollout.increment > 0, rollout.percentage < rollout.target {
            // Nobody would ever report: on to the first who can.
            let steps = ((nearest - rollout.percentage) / rollout.increment).rounded(.down) + 1
            let percentage = min(rollout.target, rollout.percentage + steps * rollout.increment)
            return (.active, percentage, "no reachable board is within \(Int(rollout.percentage)) %: on to \(Int(percentage)) %")
        }
        let reports = committed + failed
        guard rollout.state.offers, reports >= min(rollout.minimum, max(1, reached)) else {
            return (rollout.state, rollout.percentage, rollout.reason)
        }
        if Double(failed) > rollout.error * Double(reports) {
            return (.stopped, rollout.percentage, "\(failed) of \(reports) boards that reported refused it or rolled it back")
        }
        guard rollout.state == .active, Double(committed) >= rollout.success * Double(reached) else {
            return (rollout.state, rollout.percentage, rollout.reason)
        }
        if rollout.percentage >= rollout.target { return (.completed, rollout.percentage, "\(committed) of \(reached) boards run it") }
        let percentage = min(rollout.target, rollout.percentage + rollout.increment)
        return (.active, percentage, "\(committed) of \(reached) boards run it: on to \(Int(percentage)) %")
    }
}

/// A board that has a say in a roll-out.
struct RolloutBoard {
    var state: ModelState?
    /// ``Rollout/bucket(of:model:version:)``.
    var bucket: Double
    var isReachable: Bool
}

extension RolloutProgress {
    init(_ boards: [RolloutBoard], of rollout: Rollout) {
        for board in boards { count(board.state, bucket: board.bucket, isReachable: board.isReachable, of: rollout) }
    }
}

extension HubStore {
    /// - Parameter now: seconds since 1970.
    package func progress(of rollout: Rollout, now: Double) async throws(Fault) -> RolloutProgress {
        RolloutProgress(try await boards(of: rollout, reachableSince: reachableSince(now)), of: rollout)
    }

    // Boards that came after its start have no say in it, unless there were none: whoever registers many could stop it.
    /// - Parameter since: whoever registered or beat later is reachable, seconds since 1970.
    func boards(of rollout: Rollout, reachableSince since: Double) async throws(Fault) -> [RolloutBoard] {
        try await writeBeats()
        return try await read { database in
            var boards: [RolloutBoard] = []
            try database.forEachRow(
                sql: """
                    SELECT d.id, o.state, COALESCE(d.seen, d.registered) >= ? AS reachable
                    FROM devices d JOIN models m ON m.org = d.org AND m.id = ? LEFT JOIN outcomes o ON o.device_id = d.id
                        AND o.model_id = m.id AND o.version = ?
                    WHERE d.revoked = 0 AND (CAST(? AS TEXT) IS NULL OR d.id IN (SELECT device_id FROM memberships WHERE group_id = ?))
                        AND (d.registered <= ? OR NOT EXISTS (
                            SELECT 1 FROM devices e
                            WHERE e.org = (SELECT org FROM models WHERE id = ?) AND e.revoked = 0 AND e.registered <= ?
                                AND (CAST(? AS TEXT) IS NULL OR e.id IN (SELECT device_id FROM memberships WHERE group_id = ?))))
                    """,
                arguments: [
                    since, rollout.model, rollout.version, rollout.group, rollout.group, rollout.created, rollout.model, rollout.created,
                    rollout.group, rollout.group,
                ]
            ) { row in
                boards.append(
                    RolloutBoard(
                        state: (row["state"] as String?).flatMap(ModelState.init(rawValue:)),
                        bucket: Rollout.bucket(of: row["id"], model: rollout.model, version: rollout.version),
                        isReachable: row["reachable"]))
            }
            return boards
        }
    }
}
