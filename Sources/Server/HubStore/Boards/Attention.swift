internal import HubDatabase
internal import HubProtocol
package import Support

/// Why somebody should look at a board.
package enum AttentionReason: String, Sendable, CaseIterable {
    /// What it says of a fall has not been settled.
    case fall
    /// It never sent a heartbeat.
    case neverSeen = "never_seen"
    /// It sends none any more.
    case offline
    /// A model was refused, or taken back, within a week.
    case refused
    case lowBattery = "low_battery"
    case hot
    /// Uploads that wait.
    case spool
    /// What its last heartbeat says of an error.
    case error
}

/// A board that somebody should look at.
package struct BoardInNeed: Sendable, Equatable {
    package var device: Device
    package var reasons: [AttentionReason]
}

/// The boards that somebody should look at.
package struct Attention: Sendable {
    /// Falls first, then by name.
    package var boards: [BoardInNeed]
    package var counts: [AttentionReason: Int]
    package var total: Int
}

extension HubStore {
    /// Percent of a battery, degrees Celsius and waiting files from which a board needs attention; seconds for which a refusal counts.
    private static let leastBattery = 15, mostHeat = 75, mostFiles = 100, week = 7 * 86_400.0

    // What boards say of a fall that is not over.
    private static let openFalls = FallState.allCases.filter(\.isOpen).map { "'\($0.rawValue)'" }.joined(separator: ", ")

    // One condition a reason.
    private static let conditions: [(AttentionReason, String)] = [
        (.fall, "fall_state IN (\(openFalls))"),
        (.neverSeen, "seen IS NULL"),
        (.offline, "seen < ?"),
        (.refused, "id IN (SELECT device_id FROM outcomes WHERE state IN ('refused', 'rolled_back') AND updated > ?)"),
        (.lowBattery, "battery < \(leastBattery)"),
        (.hot, "heat > \(mostHeat)"),
        (.spool, "files > \(mostFiles)"),
        (.error, "fault <> ''"),
    ]

    /// A column for each reason, whether it holds for a row of `devices`; with two arguments: before when the last heartbeat
    /// of a board that is offline was, and ``refusalsSince(_:)``.
    static var attentionColumns: String { conditions.map { "(\($1)) IS TRUE AS \($0.rawValue)" }.joined(separator: ", ") }

    /// When a refusal must have been told to count, seconds since 1970.
    static func refusalsSince(_ now: Double) -> Double { now - week }

    package func attention(org: String, now: Double, limit: Int = 100) async throws(Fault) -> Attention {
        try await writeBeats()
        let stale = Connectivity.since(now, interval).stale
        let names = Self.conditions.map(\.0.rawValue), any = names.joined(separator: " OR ")
        let from = "FROM (SELECT *, \(Self.attentionColumns) FROM devices WHERE org = ? AND revoked = 0) AS d"
        let rank = names.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
        let arguments: StatementArguments = [stale, Self.refusalsSince(now), org]
        return try await read { database in
            let sums = try Row.fetchOne(
                database,
                sql: """
                    SELECT COUNT(*) FILTER (WHERE \(any)) AS total,
                    \(names.map { "COUNT(*) FILTER (WHERE \($0)) AS \($0)" }.joined(separator: ", ")) \(from)
                    """, arguments: arguments)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT d.*, n.name, n.tags FROM (SELECT * \(from) WHERE \(any) ORDER BY CASE \(rank) END, identifier LIMIT ?) AS d
                    JOIN names n ON n.device_id = d.id ORDER BY CASE \(rank) END, identifier
                    """, arguments: arguments + [limit])
            var counts: [AttentionReason: Int] = [:]
            for reason in AttentionReason.allCases { counts[reason] = sums?[reason.rawValue] ?? 0 }
            let boards = rows.map { row in
                BoardInNeed(device: Device(row), reasons: AttentionReason.allCases.filter { row[$0.rawValue] })
            }
            return Attention(boards: boards, counts: counts, total: sums?["total"] ?? 0)
        }
    }
}
