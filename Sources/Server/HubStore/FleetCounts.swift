internal import HubDatabase
package import Support

/// How many boards and roll-outs there are of each kind.
package struct FleetCounts: Sendable {
    package var online = 0, stale = 0, offline = 0, revoked = 0
    /// Boards that run each version, the most frequent first.
    package var byVersion: [(version: Int, boards: Int)] = []
    /// Roll-outs in each state.
    package var rollouts: [(state: String, count: Int)] = []
    package var models = 0
}

extension HubStore {
    /// Versions that are told apart: a metric has few labels.
    private static let mostVersions = 20

    package func counts(org: String, now: Double) async throws(Fault) -> FleetCounts {
        let fleet = try await fleet(org: org, now: now)
        return try await read { database in
            var counts = FleetCounts()
            (counts.online, counts.stale, counts.offline) = (fleet.online, fleet.stale, fleet.offline)
            func number(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql, arguments: [org]) ?? 0 }
            counts.revoked = try number("SELECT COUNT(*) FROM devices WHERE org = ? AND revoked = 1")
            counts.models = try number("SELECT COUNT(*) FROM models WHERE org = ?")
            let versions = fleet.versions.compactMap { entry in entry.version.map { (version: $0, boards: entry.devices) } }
            counts.byVersion = Array(
                versions.sorted { ($0.boards, $0.version) > ($1.boards, $1.version) }.prefix(Self.mostVersions))
            counts.rollouts = try Row.fetchAll(
                database,
                sql: """
                    SELECT state, COUNT(*) AS n FROM rollouts WHERE model_id IN (SELECT id FROM models WHERE org = ?) GROUP BY state
                    """, arguments: [org]
            ).map { ($0["state"], $0["n"]) }
            return counts
        }
    }
}
