internal import HubStore
internal import JSONReading
internal import Support

extension HubServices {
    /// A board as the API tells of it: what it said of itself when it registered stands beside `info` in the types that EdgeML's clients
    /// decode, so that nothing that another client said breaks them.
    func json(_ device: Device) -> JSONValue {
        let connectivity = Connectivity(age: device.beat.map { now - $0.seen }, options.heartbeatInterval),
            info = JSONValue(reading: Array(device.info.utf8)) ?? .null
        func said(_ name: String) -> JSONValue? { info[name] ?? info["device_info"]?[name] }
        func text(_ name: String) -> (String, JSONValue?) {
            if case .string(let found)? = said(name) { (name, .string(found)) } else { (name, nil) }
        }
        func whole(_ name: String) -> (String, JSONValue?) {
            if case .integer(let found)? = said(name) { (name, .integer(found)) } else { (name, nil) }
        }
        var members: [(String, JSONValue?)] = [
            ("id", .string(device.id)), ("device_identifier", .string(device.identifier)), ("org_id", .string(device.org)),
            ("name", .string(device.name ?? device.identifier)), ("tags", .array(device.tags.map { .string($0) })),
            ("status", device.isRevoked ? "revoked" : "active"), ("identity", device.hasKey ? "key" : "token"),
            ("connectivity_status", .string(connectivity.rawValue)), ("heartbeat_interval_seconds", .integer(options.heartbeatInterval)),
            ("registered_at", .string(ISOTime.text(device.registered))), ("created_at", .string(ISOTime.text(device.registered))),
            ("updated_at", .string(ISOTime.text(device.updated))),
            ("last_heartbeat", device.beat.map { .string(ISOTime.text($0.seen)) }),
            ("active_model_version", device.beat?.modelVersion.map { .string("\($0)") }),
            ("info", info), ("heartbeat", device.beat.flatMap { JSONValue(reading: Array($0.body.utf8)) }),
            ("platform", text("platform").1 ?? "unknown"), ("gpu_available", .bool(said("gpu_available") == true)),
        ]
        members += [
            "os_version", "sdk_version", "app_version", "manufacturer", "model", "cpu_architecture", "locale", "region", "timezone",
        ].map(text)
        members += ["total_memory_mb", "available_storage_mb"].map(whole)
        return .members(members)
    }
}
