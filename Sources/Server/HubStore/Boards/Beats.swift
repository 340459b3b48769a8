internal import HubDatabase
package import Support
internal import Synchronization

/// A board's last heartbeat.
package struct Beat: Sendable, Equatable {
    /// Seconds since 1970, by the hub's clock.
    package var seen: Double
    /// As it came: JSON.
    package var body: String
    package var modelVersion: Int?

    package init(seen: Double, body: String, modelVersion: Int?) { (self.seen, self.body, self.modelVersion) = (seen, body, modelVersion) }
}

extension HubStore {
    /// Notes a heartbeat. In a file it is with the next ``settle()``: what a hub that dies forgets, the next beat brings. Where other
    /// servers share what is there, it is there on return.
    package func note(_ beat: Beat, of device: String) async throws(Fault) {
        beats.withLock { $0[device] = beat }
        if storage.isShared { try await sharedBeats.written(by: self) }
    }

    func writeBeats() async throws(Fault) {
        let noted = beats.withLock { $0 }
        guard !noted.isEmpty else { return }
        // In one order everywhere: no two servers wait for each other.
        let sorted = noted.sorted { $0.key < $1.key }, interval = interval
        var history: [StatementArguments] = [], old: [StatementArguments] = []
        let rows = sorted.map { device, beat -> StatementArguments in
            let facts = BeatFacts(beat.body)
            if let point = BoardHistory.row(device, beat, facts, interval: interval) {
                history.append(point)
                old.append(BoardHistory.old(device, at: beat.seen))
            }
            let row: StatementArguments = [
                beat.seen, beat.body, beat.modelVersion, facts.activity, facts.battery, facts.heat, facts.files, facts.fallState,
                facts.fallTime, facts.fault, device,
            ]
            return storage.isShared ? row + [beat.seen, beat.seen + 60] : row
        }
        // Of several servers one may come late with an older beat; a clock that was ahead and is set back is none.
        let order = storage.isShared ? " AND (seen IS NULL OR seen <= ? OR seen > ?)" : ""
        try await storage.add { [history, old] database in
            try database.execute(
                sql: """
                    UPDATE devices SET seen = ?, beat = ?, model_version = COALESCE(?, model_version), activity = ?, battery = ?, heat = ?,
                        files = ?, fall_state = ?, fall_time = ?, fault = ?
                    WHERE id = ?\(order)
                    """, each: rows)
            guard !history.isEmpty else { return }
            try database.execute(sql: BoardHistory.insertion, each: history)
            try database.execute(sql: BoardHistory.thinning, each: old)
        }
        // Only now: who asks meanwhile finds them here.
        beats.withLock { beats in
            for (device, beat) in noted where beats[device] == beat { beats[device] = nil }
        }
    }
}
