internal import HubDatabase
package import Support
internal import Synchronization

/// Whether a board is there, by its last heartbeat: online within two intervals, stale within five, offline beyond.
package enum Connectivity: String, Sendable, CaseIterable {
    case online, stale, offline

    /// - Parameters:
    ///   - age: of the last heartbeat, seconds; nil where there was none.
    ///   - interval: between heartbeats, seconds.
    package init(age: Double?, _ interval: Int) {
        guard let age else {
            self = .offline
            return
        }
        self = age <= 2 * Double(interval) ? .online : age <= 5 * Double(interval) ? .stale : .offline
    }

    /// When a board must have sent its last heartbeat at the earliest to be online, and to be stale: seconds since 1970.
    static func since(_ now: Double, _ interval: Int) -> (online: Double, stale: Double) {
        (now - 2 * Double(interval), now - 5 * Double(interval))
    }
}

/// How many boards there are: by their last heartbeat, and by the version that they run.
package struct Fleet: Sendable {
    package var online = 0, stale = 0, offline = 0
    package var versions: [(version: Int?, devices: Int)] = []

    package func boards(_ state: Connectivity) -> Int {
        switch state {
        case .online: online
        case .stale: stale
        case .offline: offline
        }
    }
}

extension HubStore {
    /// Seconds between heartbeats, as the server tells boards.
    package var interval: Int { heartbeatInterval.withLock { $0 } }

    /// Keeps the interval in the file, where programs beside the server find it.
    package func keep(interval: Int) async throws(Fault) {
        try await write {
            try $0.execute(
                sql: "INSERT INTO settings (name, value) VALUES ('interval', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                arguments: ["\(interval)"])
        }
        heartbeatInterval.withLock { $0 = interval }
    }

    /// Notes that boards can reach this hub: call it every second. After a pause, as of a laptop that slept, that begins anew.
    package func listen(now: Double) {
        listening.withLock { listening in
            if let last = listening?.last, (0...30).contains(now - last) { listening?.last = now } else { listening = (now, now) }
        }
    }

    /// Who sent a heartbeat since then, seconds since 1970, is not away. Nobody is, as long as a server has not been up for long enough
    /// itself.
    func reachableSince(_ now: Double) -> Double {
        let since = Connectivity.since(now, interval).stale
        // One that slept listens anew, and may not have noticed yet.
        return listening.withLock { $0.map { $0.since > since || !(0...30).contains(now - $0.last) } ?? false } ? -.infinity : since
    }

    /// Whether boards that wait as long as they may after a failure have had the time to come back since this hub listens. They beat in an
    /// hour at the latest, or in sixteen intervals where that is less, a tenth later at most.
    func hasHeardAll(_ now: Double) -> Bool {
        let interval = Double(interval), longest = 1.1 * min(16 * interval, max(interval, 3600))
        return listening.withLock { $0.map { now - $0.since > longest && (0...30).contains(now - $0.last) } ?? true }
    }

    /// Of an organisation.
    package func fleet(org: String, now: Double) async throws(Fault) -> Fleet {
        try await writeBeats()
        let since = Connectivity.since(now, interval)
        return try await read { database in
            var fleet = Fleet()
            for row in try Row.fetchAll(
                database,
                sql: """
                    SELECT model_version AS version, COUNT(*) AS n, COUNT(*) FILTER (WHERE seen >= ?) AS online,
                        COUNT(*) FILTER (WHERE seen >= ?) AS seen
                    FROM devices WHERE org = ? AND revoked = 0 GROUP BY model_version ORDER BY model_version IS NULL, model_version
                    """,
                arguments: [since.online, since.stale, org])
            {
                let all: Int = row["n"], online: Int = row["online"], seen: Int = row["seen"]
                (fleet.online, fleet.stale, fleet.offline) = (
                    fleet.online + online, fleet.stale + seen - online, fleet.offline + all - seen
                )
                fleet.versions.append((row["version"], all))
            }
            return fleet
        }
    }
}
