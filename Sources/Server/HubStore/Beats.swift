internal import GRDB
internal import Support
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
    /// Notes a heartbeat. It goes to the file with the next ``settle()``: what a hub that dies forgets, the next beat brings.
    package func note(_ beat: Beat, of device: String) { beats.withLock { $0[device] = beat } }

    func writeBeats() async throws(Fault) {
        let noted = beats.withLock { $0 }
        guard !noted.isEmpty else { return }
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE devices SET seen = ?, beat = ?, model_version = COALESCE(?, model_version) WHERE id = ?")
            for (device, beat) in noted { try statement.execute(arguments: [beat.seen, beat.body, beat.modelVersion, device]) }
        }
        // Only now: who asks meanwhile finds them here.
        beats.withLock { beats in
            for (device, beat) in noted where beats[device] == beat { beats[device] = nil }
        }
    }
}
