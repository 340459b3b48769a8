internal import HubDatabase
package import Support

/// Something that a board tells besides its heartbeats.
package struct Event: Sendable, Equatable {
    /// Seconds since 1970, by the board's clock.
    package var at: Double
    package var name: String
    /// JSON.
    package var attributes: String

    package init(at: Double, name: String, attributes: String) { (self.at, self.name, self.attributes) = (at, name, attributes) }
}

extension HubStore {
    /// The most that is kept of a board, and for how long.
    static let eventLimit = 20_000
    static let eventBytes = 8 << 20
    static let eventLife = 30.0 * 86_400

    /// Keeps a batch once, however often it comes.
    package func add(_ events: [Event], batch: String?, of device: String, now: Double) async throws(Fault) {
        try await storage.add { database in
            if let batch {
                let rows = try database.execute(
                    sql: "INSERT INTO batches (device_id, batch, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [device, batch, now])
                guard rows > 0 else { return }
            }
            try database.execute(
                sql: "INSERT INTO events (device_id, at, name, attributes) VALUES (?, ?, ?, ?)",
                each: events.map { [device, $0.at, $0.name, $0.attributes] })
        }
    }

    /// The newest first.
    package func events(of device: String, named name: String? = nil, since: Double = 0, limit: Int = 1000) async throws(Fault) -> [Event] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM events WHERE device_id = ? AND at >= ? AND (CAST(? AS TEXT) IS NULL OR name = ?)
                    ORDER BY at DESC LIMIT ?
                    """,
                arguments: [device, since, name, name, limit]
            ).map { Event(at: $0["at"], name: $0["name"], attributes: $0["attributes"]) }
        }
    }

    /// Forgets what is too old or too much, and tokens that have ended.
    package func tidy(now: Double) async throws(Fault) {
        let old = now - HubStore.eventLife
        for (sql, argument) in [
            ("DELETE FROM tokens WHERE expires < ?", now), ("DELETE FROM events WHERE at < ?", old),
            ("DELETE FROM batches WHERE at < ?", old),
            ("DELETE FROM measurements WHERE at < ?", old), ("DELETE FROM audit WHERE at < ?", now - HubStore.auditLife),
            ("DELETE FROM staged WHERE created < ?", now - HubStore.stagedLife),
        ] {
            // Each by itself: none waits for all of them.
            try await storage.add { database in
                try database.takeTime()
                try database.execute(sql: sql, arguments: [argument])
            }
        }
        try await storage.add { database in
            try database.takeTime()
            try BoardNames.complete(database)
        }
        try await write { database in
            try database.execute(sql: "DELETE FROM families WHERE NOT EXISTS (SELECT 1 FROM tokens t WHERE t.family = families.id)")
            try HubStore.endRounds(now, database)
        }
        try await storage.add { database in
            try database.takeTime()
            let crowded = try Row.fetchAll(
                database, sql: "SELECT device_id AS d, COUNT(*) - ? AS n FROM events GROUP BY device_id HAVING COUNT(*) > ?",
                arguments: [HubStore.eventLimit, HubStore.eventLimit])
            for row in crowded {
                try database.execute(
                    sql: "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE device_id = ? ORDER BY at LIMIT ?)",
                    arguments: [row["d"] as String, row["n"] as Int])
            }
            let size = "LENGTH(attributes) + LENGTH(name)"
            try database.execute(
                sql: """
                    DELETE FROM events WHERE id IN (SELECT id FROM (
                        SELECT id, SUM(\(size)) OVER (PARTITION BY device_id ORDER BY at DESC, id) AS total FROM events
                        WHERE device_id IN (SELECT device_id FROM events GROUP BY device_id HAVING SUM(\(size)) > ?)
                    ) AS sums WHERE total > ?)
                    """, arguments: [HubStore.eventBytes, HubStore.eventBytes])
        }
    }
}
