internal import HubDatabase
package import Support

/// Boards that get their models together.
package struct DeviceGroup: Sendable, Equatable {
    package var id: String
    package var name: String
    package var description: String
    package var devices: Int
    package var created: Double
    package var updated: Double

    init(_ row: Row) {
        (id, name, description, devices, created, updated) = (
            row["id"], row["name"], row["description"], row["devices"], row["created"], row["updated"]
        )
    }

    static let columns = "g.*, (SELECT COUNT(*) FROM memberships m WHERE m.group_id = g.id) AS devices FROM groups g"
}

/// That a board is in a group.
package struct Membership: Sendable, Equatable {
    package var group: DeviceGroup
    package var since: Double
}

extension HubStore {
    /// - Throws: `.usage` when there is one of that name.
    package func makeGroup(_ name: String, description: String, org: String, now: Double) async throws(Fault) -> DeviceGroup {
        let made: DeviceGroup? = try await write { database in
            guard try Row.fetchOne(database, sql: "SELECT id FROM groups WHERE org = ? AND name = ?", arguments: [org, name]) == nil else {
                return nil
            }
            let id = Secret.identifier()
            try database.execute(
                sql: "INSERT INTO groups (id, org, name, description, created, updated) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, org, name, description, now, now])
            return try Row.fetchOne(database, sql: "SELECT \(DeviceGroup.columns) WHERE g.id = ?", arguments: [id]).map { DeviceGroup($0) }
        }
        guard let made else { throw Fault(.usage, "there is a group \(name) already") }
        return made
    }

    package func groups(org: String) async throws(Fault) -> [DeviceGroup] {
        try await read {
            try Row.fetchAll($0, sql: "SELECT \(DeviceGroup.columns) WHERE g.org = ? ORDER BY g.name", arguments: [org]).map {
                DeviceGroup($0)
            }
        }
    }

    /// By its ID or its name.
    package func group(_ key: String, org: String) async throws(Fault) -> DeviceGroup? {
        try await read {
            try Row.fetchOne(
                $0, sql: "SELECT \(DeviceGroup.columns) WHERE g.org = ? AND (g.id = ? OR g.name = ?)", arguments: [org, key, key]
            ).map { DeviceGroup($0) }
        }
    }

    package func memberships(of device: String) async throws(Fault) -> [Membership] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql:
                    """
                    SELECT m.created AS since, g.*, (SELECT COUNT(*) FROM memberships o WHERE o.group_id = g.id) AS devices FROM \
                    memberships m JOIN groups g ON g.id = m.group_id WHERE m.device_id = ? ORDER BY g.name
                    """,
                arguments: [device]
            ).map { Membership(group: DeviceGroup($0), since: $0["since"]) }
        }
    }

    /// Puts a board into a group, or takes it out. False when there is no such board in the group's organisation.
    package func join(_ device: String, _ group: DeviceGroup, member: Bool = true, now: Double) async throws(Fault) -> Bool {
        try await write { database in
            guard
                try Row.fetchOne(
                    database, sql: "SELECT d.id FROM devices d JOIN groups g ON g.org = d.org WHERE d.id = ? AND g.id = ?",
                    arguments: [device, group.id]) != nil
            else { return false }
            if member {
                try database.execute(
                    sql: "INSERT INTO memberships (group_id, device_id, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [group.id, device, now])
            } else {
                try database.execute(sql: "DELETE FROM memberships WHERE group_id = ? AND device_id = ?", arguments: [group.id, device])
            }
            try database.execute(sql: "UPDATE groups SET updated = ? WHERE id = ?", arguments: [now, group.id])
            return true
        }
    }

    package func removeGroup(_ group: DeviceGroup) async throws(Fault) {
        try await write { try $0.execute(sql: "DELETE FROM groups WHERE id = ?", arguments: [group.id]) }
    }
}
