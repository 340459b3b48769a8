internal import HubDatabase
package import Support

/// What a board told at one time.
package struct HistoryPoint: Sendable, Equatable {
    /// The hour's begin, seconds since 1970.
    package var at: Double
    /// Percent.
    package var battery: Double?
    /// Degrees Celsius.
    package var heat: Double?
    /// Samples a second.
    package var rate: Double?
}

/// A heartbeat from the begin of each hour, of the last two days; then of every sixth hour.
enum BoardHistory {
    private static let days = 30, hourlyDays = 2, coarse = 6

    /// What is kept of a heartbeat: rows of ``insertion``; nil where it is not from the begin of an hour, or tells none of it. Nothing is
    /// remembered of what was kept before, so a board that comes back in the midst of an hour has none of that hour.
    ///
    /// - Parameter interval: between a board's heartbeats, seconds.
    static func row(_ device: String, _ beat: Beat, _ facts: BeatFacts, interval: Int) -> StatementArguments? {
        let hour = (beat.seen / 3600).rounded(.down)
        // A late one is kept, too; of two of an hour the first one stays.
        guard beat.seen - hour * 3600 < 1.25 * Double(interval), facts.battery != nil || facts.heat != nil || facts.rate != nil,
            let hour = Int(exactly: hour)
        else { return nil }
        return [device, hour, facts.battery, facts.heat, facts.rate, device]
    }

    /// A board may be gone meanwhile.
    static let insertion = """
        INSERT INTO history (device_id, hour, battery, heat, rate)
        SELECT ?, CAST(? AS INTEGER), CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION)
        WHERE EXISTS (SELECT 1 FROM devices WHERE id = ?) ON CONFLICT (device_id, hour) DO NOTHING
        """

    static let thinning = "DELETE FROM history WHERE device_id = ? AND (hour < ? OR hour < ? AND hour % \(coarse) <> 0)"

    /// Arguments of ``thinning``, out of those of a row.
    static func old(_ device: String, at seen: Double) -> StatementArguments {
        let hour = Int(seen / 3600)
        return [device, hour - days * 24, hour - hourlyDays * 24]
    }
}

extension HubStore {
    /// The oldest first.
    package func history(ofDevice id: String) async throws(Fault) -> [HistoryPoint] {
        try await writeBeats()
        return try await read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM history WHERE device_id = ? ORDER BY hour", arguments: [id]).map {
                HistoryPoint(at: 3600 * ($0["hour"] as Double), battery: $0["battery"], heat: $0["heat"], rate: $0["rate"])
            }
        }
    }
}
