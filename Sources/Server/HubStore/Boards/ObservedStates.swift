internal import HubDatabase
package import Support

/// What boards said last of the state that they are in, as they wrote it: JSON.
extension HubStore {
    package func observe(_ body: String, of device: String, now: Double) async throws(Fault) {
        _ = try await storage.add {
            try $0.execute(
                sql: """
                    INSERT INTO observed (device_id, body, at) VALUES (?, ?, ?)
                    ON CONFLICT (device_id) DO UPDATE SET body = excluded.body, at = excluded.at
                    """, arguments: [device, body, now])
        }
    }

    /// nil where the board never said anything.
    package func observed(of device: String) async throws(Fault) -> (body: String, at: Double)? {
        try await read {
            try Row.fetchOne($0, sql: "SELECT * FROM observed WHERE device_id = ?", arguments: [device]).map { ($0["body"], $0["at"]) }
        }
    }
}
