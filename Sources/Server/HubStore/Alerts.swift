internal import HubDatabase
internal import JSONReading
package import Support

/// Something that began to need attention, or does no more.
package struct Alert: Sendable, Hashable {
    package var device: String
    /// What it is called.
    package var name: String
    package var identifier: String
    package var org: String
    package var reason: AttentionReason
    package var hasBegun: Bool
    /// When it was seen first, seconds since 1970.
    package var since: Double
    /// Tells one fall or refusal from the next.
    var mark = ""

    package init(
        device: String, name: String, identifier: String, org: String, reason: AttentionReason, hasBegun: Bool, since: Double,
        mark: String = ""
    ) {
        (self.device, self.name, self.identifier, self.org) = (device, name, identifier, org)
        (self.reason, self.hasBegun, self.since, self.mark) = (reason, hasBegun, since, mark)
    }

    // A board that is called otherwise meanwhile has the same alert.
    package static func == (one: Alert, other: Alert) -> Bool {
        (one.device, one.reason, one.hasBegun, one.since, one.mark)
            == (other.device, other.reason, other.hasBegun, other.since, other.mark)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(reason)
        hasher.combine(hasBegun)
    }
}

extension Alert {
    // As it is kept for a channel.
    fileprivate var kept: JSONValue {
        .array([
            .string(device), .string(name), .string(identifier), .string(org), .string(reason.rawValue), .bool(hasBegun), .number(since),
            .string(mark),
        ])
    }

    fileprivate init?(kept: JSONValue) {
        guard case .array(let values) = kept, values.count == 8, case .bool(let hasBegun) = values[5], let since = values[6].number,
            let reason = AttentionReason(rawValue: values[4].text ?? "")
        else { return nil }
        let texts = [0, 1, 2, 3, 7].map { values[$0].text ?? "" }
        self.init(
            device: texts[0], name: texts[1], identifier: texts[2], org: texts[3], reason: reason, hasBegun: hasBegun, since: since,
            mark: texts[4])
    }
}

/// What became of a thing that somebody is to be told of.
private enum AlertState: String {
    /// It was seen, and nobody was told yet; it was over before anybody could be told, which for a fall is told all the same.
    case seen, missed
    case told
    /// It was told that it is over; for a while it does not begin anew.
    case over
}

extension HubStore {
    // What ended begins anew after so many seconds at the earliest: a board at the edge of a limit is told of once.
    private static func rest(_ reason: AttentionReason) -> Double { reason == .fall ? 60 : 600 }

    /// What nobody was told yet, over all organisations: what began, and what is over of what was told. What began is noted at once, so
    /// that a fall is told also where its wearer is up again before anybody could be told.
    ///
    /// Whether boards are away is not said before a hub has been up for long enough to know.
    package func alerts(_ reasons: Set<AttentionReason>, now: Double) async throws(Fault) -> [Alert] {
        try await writeBeats()
        let since = reachableSince(now), knowsWhoIsAway = since.isFinite && hasHeardAll(now)
        let wanted = AttentionReason.allCases.filter { reasons.contains($0) && (knowsWhoIsAway || $0 != .offline) }
        guard !wanted.isEmpty else { return [] }
        let present = try await present(wanted, stale: knowsWhoIsAway ? since : 0, now: now)
        return try await write { database in
            var alerts = try Self.note(present, wanted, database, now: now)
            let order = AttentionReason.allCases
            alerts.sort {
                ($0.hasBegun ? 0 : 1, order.firstIndex(of: $0.reason) ?? 0, $0.identifier)
                    < ($1.hasBegun ? 0 : 1, order.firstIndex(of: $1.reason) ?? 0, $1.identifier)
            }
            return alerts
        }
    }

    private static let missed = "missed alerts"

    /// What channels have to send although others have told it, by their names.
    package func missedAlerts() async throws(Fault) -> [String: [Alert]] { try await read { try Self.missed($0) } }

    private static func missed(_ database: Database) throws -> [String: [Alert]] {
        let text = try String.fetchOne(database, sql: "SELECT value FROM settings WHERE name = ?", arguments: [missed])
        guard let text, case .object(let channels)? = JSONValue(reading: Array(text.utf8)) else { return [:] }
        return channels.mapValues { value in
            guard case .array(let alerts) = value else { return [] }
            return alerts.compactMap { Alert(kept: $0) }
        }
    }

    private static func keep(missed channels: [String: [Alert]], _ database: Database) throws {
        let text = String(decoding: JSONValue.object(channels.mapValues { .array($0.map(\.kept)) }).bytes, as: UTF8.self)
        try database.execute(
            sql: "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            arguments: [missed, text])
    }

    /// Nothing stays of a board that is deleted.
    static func forgetMissed(device: String, _ database: Database) throws {
        let channels = try missed(database)
        guard channels.values.contains(where: { $0.contains { $0.device == device } }) else { return }
        try keep(missed: channels.mapValues { $0.filter { $0.device != device } }, database)
    }

    /// Somebody was told of these.
    ///
    /// - Parameter missed: what each channel has to send although others have told it; as before when nil.
    package func acknowledge(_ alerts: [Alert], missed: [String: [Alert]]? = nil, now: Double) async throws(Fault) {
        try await write { database in
            if let missed { try Self.keep(missed: missed, database) }
            for alert in alerts {
                // A fall that was over meanwhile is told to be over next.
                let rows = try database.execute(
                    sql: "UPDATE alerted SET state = ?, at = ? WHERE device_id = ? AND reason = ? AND mark = ?",
                    arguments: [
                        (alert.hasBegun ? AlertState.told : .over).rawValue, now, alert.device, alert.reason.rawValue, alert.mark,
                    ])
                // It was over, and forgotten, while it was being told: now that is told, too.
                if rows == 0, alert.hasBegun {
                    try database.execute(
                        sql: """
                            INSERT INTO alerted (device_id, reason, mark, state, at)
                            SELECT id, ?, ?, ?, ? FROM devices WHERE id = ? AND revoked = 0 ON CONFLICT (device_id, reason) DO NOTHING
                            """, arguments: [alert.reason.rawValue, alert.mark, AlertState.told.rawValue, now, alert.device])
                }
            }
        }
    }

    /// Forgets what was told of other reasons than these.
    package func keepAlerts(of reasons: Set<AttentionReason>) async throws(Fault) {
        try await write { database in
            for reason in AttentionReason.allCases where !reasons.contains(reason) {
                try database.execute(sql: "DELETE FROM alerted WHERE reason = ?", arguments: [reason.rawValue])
            }
        }
    }

    private func present(_ wanted: [AttentionReason], stale: Double, now: Double) async throws(Fault) -> [Alert] {
        let any = wanted.map(\.rawValue).joined(separator: " OR ")
        return try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT d.*, COALESCE(n.name, d.identifier) AS called FROM (
                        SELECT id, identifier, org, fall_time, \(Self.attentionColumns) FROM devices WHERE revoked = 0) AS d
                    JOIN names n ON n.device_id = d.id WHERE \(any)
                    """, arguments: [stale, Self.refusalsSince(now)]
            ).flatMap { row in
                try wanted.filter { row[$0.rawValue] }.map { reason in
                    let mark: String? =
                        switch reason {
                        case .fall: row["fall_time"]
                        case .refused:
                            try Double.fetchOne(
                                database,
                                sql: "SELECT MAX(updated) FROM outcomes WHERE device_id = ? AND state IN ('refused', 'rolled_back')",
                                arguments: [row["id"] as String]
                            ).map { "\($0)" }
                        default: nil
                        }
                    return Alert(
                        device: row["id"], name: row["called"], identifier: row["identifier"], org: row["org"], reason: reason,
                        hasBegun: true, since: now,
                        mark: mark ?? "")
                }
            }
        }
    }

    private static func note(
        _ present: [Alert], _ wanted: [AttentionReason], _ database: Database, now: Double
    ) throws -> [Alert] {
        var known: [String: (alert: Alert, state: AlertState, at: Double)] = [:]
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT a.*, d.identifier, d.org, COALESCE(n.name, d.identifier) AS called
                FROM alerted a JOIN devices d ON d.id = a.device_id JOIN names n ON n.device_id = d.id WHERE d.revoked = 0
                """
        ) {
            guard let reason = AttentionReason(rawValue: row["reason"]), let state = AlertState(rawValue: row["state"]) else { continue }
            let alert = Alert(
                device: row["device_id"], name: row["called"], identifier: row["identifier"], org: row["org"], reason: reason,
                hasBegun: false, since: row["at"],
                mark: row["mark"]
            )
            known["\(alert.device) \(reason)"] = (alert, state, row["at"])
        }
        var alerts: [Alert] = []
        for var alert in present {
            let before = known.removeValue(forKey: "\(alert.device) \(alert.reason)")
            // Bytes, as the file compares them.
            let isAnother = before.map { Array($0.alert.mark.utf8) != Array(alert.mark.utf8) } ?? true
            let age = before.map { now - $0.at } ?? 0
            let isNews: Bool =
                switch before?.state {
                case nil, .missed: true
                case .seen: isAnother
                // Of one board and reason there is one a minute at most.
                case .told: isAnother && !(0..<rest(.fall)).contains(age)
                case .over: !(0..<rest(isAnother ? .fall : alert.reason)).contains(age)
                }
            if isNews {
                guard try set(.seen, alert, database, now: now) else { continue }
                alerts.append(alert)
            } else if let before, before.state == .seen {
                (alert.since, alert.mark) = (before.at, before.alert.mark)
                alerts.append(alert)
            }
        }
        // What is left is over.
        for (alert, state, at) in known.values where wanted.contains(alert.reason) {
            switch state {
            case .told where alert.reason == .refused, .seen where alert.reason != .fall: try forget(alert, database)
            case .told: alerts.append(alert)
            case .seen, .missed:
                if state == .seen { _ = try set(.missed, alert, database, now: at) }
                var begun = alert
                begun.hasBegun = true
                alerts.append(begun)
            case .over: if !(0..<rest(alert.reason)).contains(now - at) { try forget(alert, database) }
            }
        }
        return alerts
    }

    // False for a board that was deleted or revoked meanwhile.
    private static func set(_ state: AlertState, _ alert: Alert, _ database: Database, now: Double) throws -> Bool {
        let rows = try database.execute(
            sql: """
                INSERT INTO alerted (device_id, reason, mark, state, at) SELECT id, ?, ?, ?, ? FROM devices WHERE id = ? AND revoked = 0
                ON CONFLICT (device_id, reason) DO UPDATE SET mark = excluded.mark, state = excluded.state, at = excluded.at
                """, arguments: [alert.reason.rawValue, alert.mark, state.rawValue, now, alert.device])
        return rows > 0
    }

    private static func forget(_ alert: Alert, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM alerted WHERE device_id = ? AND reason = ?", arguments: [alert.device, alert.reason.rawValue])
    }
}
