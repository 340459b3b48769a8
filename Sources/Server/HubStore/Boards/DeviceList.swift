internal import HubDatabase
package import Support

/// By what boards are put in order.
package enum DeviceOrder: String, Sendable, CaseIterable {
    /// Those seen last first.
    case seen
    case name, activity, model, battery, temperature, waiting

    // What has none comes last.
    fileprivate var columns: String {
        switch self {
        case .seen: "COALESCE(d.seen, d.registered) DESC"
        case .name: "n.search"
        case .activity: "d.activity IS NULL, d.activity"
        case .model: "d.model_version IS NULL, d.model_version"
        case .battery: "d.battery IS NULL, d.battery"
        case .temperature: "d.heat IS NULL, d.heat DESC"
        case .waiting: "d.files IS NULL, d.files DESC"
        }
    }
}

/// Which boards of an organisation are looked for.
package struct DeviceQuery: Sendable, Hashable {
    package var org: String
    /// Part of a name or a tag.
    package var search = ""
    package var group: String?
    package var tag: String?
    package var state: Connectivity?

    package init(org: String, state: Connectivity? = nil) { (self.org, self.state) = (org, state) }

    // What is read of `names`, and of `devices`: rows of the first are a tenth as long.
    private func tables(for order: DeviceOrder?) -> (names: Bool, devices: Bool) {
        let devices = state != nil || order.map { $0 != .name } ?? false
        return (!search.isEmpty || tag != nil || order == .name || !devices, devices)
    }

    /// The boards' IDs.
    ///
    /// - Parameters:
    ///   - order: that they will be put in; nil where they are counted.
    ///   - since: ``Connectivity/since(_:_:)``.
    fileprivate func from(_ order: DeviceOrder?, _ since: (online: Double, stale: Double)) -> (id: String, sql: String, StatementArguments)
    {
        let tables = tables(for: order), id = tables.devices ? "d.id" : "n.device_id"
        var conditions = [tables.names ? "n.org = ?" : "d.org = ?"], arguments: StatementArguments = [org]
        if !search.isEmpty {
            conditions.append("n.search LIKE '%' || ? || '%' ESCAPE '\\'")
            arguments = arguments + [BoardNames.literal(search)]
        }
        if let group {
            conditions.append("\(id) IN (SELECT device_id FROM memberships WHERE group_id = ?)")
            arguments = arguments + [group]
        }
        if let tag {
            // LIKE would not care for case in one of the databases.
            conditions.append(
                "n.device_id IN (SELECT device_id FROM names t WHERE t.org = ? AND t.tags <> '' AND replace(t.tags, ?, '') <> t.tags)")
            arguments = arguments + [org, "\n\(tag)\n"]
        }
        if let state {
            conditions.append("d.revoked = 0 AND ? = CASE WHEN d.seen >= ? THEN 'online' WHEN d.seen >= ? THEN 'stale' ELSE 'offline' END")
            arguments = arguments + [state.rawValue, since.online, since.stale]
        }
        let from =
            switch tables {
            case (true, true): "names n JOIN devices d ON d.id = n.device_id"
            case (true, false): "names n"
            default: "devices d"
            }
        return (id, "FROM \(from) WHERE \(conditions.joined(separator: " AND "))", arguments)
    }
}

extension HubStore {
    /// Some of the boards that are looked for.
    ///
    /// - Parameter now: seconds since 1970.
    package func devices(
        _ query: DeviceQuery, order: DeviceOrder = .name, now: Double = 0, limit: Int = 100, offset: Int = 0
    ) async throws(Fault) -> [Device] {
        try await writeBeats()
        let (id, from, arguments) = query.from(order, Connectivity.since(now, interval))
        return try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Device.columns) WHERE d.id IN (SELECT id FROM (
                        SELECT \(id) AS id \(from) ORDER BY \(order.columns), \(id) LIMIT ? OFFSET ?) AS found)
                    ORDER BY \(order.columns), d.id
                    """, arguments: arguments + [limit, offset]
            ).map { Device($0) }
        }
    }

    /// How many boards are looked for.
    package func count(_ query: DeviceQuery, now: Double = 0) async throws(Fault) -> Int {
        try await writeBeats()
        let (_, from, arguments) = query.from(nil, Connectivity.since(now, interval))
        return try await read { try Int.fetchOne($0, sql: "SELECT COUNT(*) \(from)", arguments: arguments) ?? 0 }
    }

    /// A board by its ID, its own name, or what people call it, where one alone is called so.
    package func device(called key: String, org: String) async throws(Fault) -> Device? {
        if let device = try await device(key, org: org) { return device }
        return try await read { database in
            for condition in ["d.identifier = ?", "n.name = ?"] {
                let found = try Row.fetchAll(
                    database, sql: "SELECT \(Device.columns) WHERE d.org = ? AND \(condition) LIMIT 2", arguments: [org, key])
                if let row = found.first, found.count == 1 { return Device(row) }
            }
            return nil
        }
    }
}
