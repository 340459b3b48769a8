internal import GRDB
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

extension HubStore {
    /// Percent of a battery, degrees Celsius and waiting files from which a board needs attention; seconds for which a refusal counts.
    private static let leastBattery = 15, mostHeat = 75, mostFiles = 100, week = 7 * 86_400.0

    /// A heartbeat that SQLite can read: files of earlier versions may have others.
    static let readable = "CASE WHEN json_valid(beat) THEN beat END"

    // What boards say of a fall that is not over.
    private static let openFalls = FallState.allCases.filter(\.isOpen).map { "'\($0.rawValue)'" }.joined(separator: ", ")

    // One condition a reason. What boards of other makes say may be of any type.
    private static let conditions: [(AttentionReason, String)] = [
        (.fall, "json_extract(\(readable), '$.metadata.fall') IN (\(openFalls))"),
        (.neverSeen, "seen IS NULL"),
        (.offline, "seen < :stale"),
        (.refused, "id IN (SELECT device_id FROM outcomes WHERE state IN ('refused', 'rolled_back') AND updated > :week)"),
        (.lowBattery, number("battery_level", "<", leastBattery)),
        (.hot, number("temperature_celsius", ">", mostHeat)),
        (.spool, number("spool_files", ">", mostFiles)),
        (.error, "json_type(\(readable), '$.last_error_code') = 'text' AND json_extract(\(readable), '$.last_error_code') <> ''"),
    ]

    /// A column for each reason, whether it holds for a row of `devices`; with the arguments :stale and :week.
    static var attentionColumns: String { conditions.map { "(\($1)) IS TRUE AS \($0.rawValue)" }.joined(separator: ", ") }

    /// When a refusal must have been told to count, seconds since 1970.
    static func refusalsSince(_ now: Double) -> Double { now - week }

    private static func number(_ name: String, _ comparison: String, _ limit: Int) -> String {
        """
        json_type(\(readable), '$.metadata.\(name)') IN ('integer', 'real')
        AND json_extract(\(readable), '$.metadata.\(name)') \(comparison) \(limit)
        """
    }

    /// Boards that somebody should look at, falls first, then by name; and how many there are for each reason.
    package func attention(
        org: String, now: Double, limit: Int = 100
    ) async throws(Fault) -> (boards: [BoardInNeed], counts: [AttentionReason: Int], total: Int) {
        try await writeBeats()
        let stale = Connectivity.since(now, interval).stale
        let names = Self.conditions.map(\.0.rawValue), any = names.joined(separator: " OR ")
        let from = "FROM (SELECT *, \(Self.attentionColumns) FROM devices WHERE org = :org AND revoked = 0)"
        let rank = names.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
        let arguments: StatementArguments = ["org": org, "stale": stale, "week": Self.refusalsSince(now)]
        return try await read { database in
            let sums = try Row.fetchOne(
                database, sql: "SELECT TOTAL(\(any)) AS total, \(names.map { "TOTAL(\($0)) AS \($0)" }.joined(separator: ", ")) \(from)",
                arguments: arguments)
            let rows = try Row.fetchAll(
                database, sql: "SELECT * \(from) WHERE \(any) ORDER BY CASE \(rank) END, identifier LIMIT :limit",
                arguments: arguments + ["limit": limit])
            var counts: [AttentionReason: Int] = [:]
            for reason in AttentionReason.allCases { counts[reason] = sums.map { Int($0[reason.rawValue] as Double) } ?? 0 }
            let boards = rows.map { row in
                BoardInNeed(device: Device(row), reasons: AttentionReason.allCases.filter { row[$0.rawValue] })
            }
            return (boards, counts, sums.map { Int($0["total"] as Double) } ?? 0)
        }
    }
}
