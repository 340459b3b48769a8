internal import CrowdServer
internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import NIOCore
internal import Support

/// One board: registration, heartbeats, what is known of it.
struct DeviceRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let devices = api.group("devices")
        devices.post("register", use: register)
        devices.get(":id", use: show)
        devices.delete(":id", use: erase)
        devices.put(":id/heartbeat", use: heartbeat)
        devices.post(":id/heartbeat", use: heartbeat)
        devices.post(":id/revoke", use: revoke)
        devices.get(":id/events", use: events)
        api.get("settings/org/:org/device-policy", use: policy)
    }

    @Sendable private func register(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), body = try await request.object(limit: services.options.boardLimit)
        let identifier = try body.required("device_identifier")
        var holder: String?
        if case .device(let own, _) = session.holder { holder = own }
        if let org = try body.optional("org_id"), org != session.org {
            throw APIError(.forbidden, "forbidden", "this token is of another organisation")
        }
        guard case .object(let info) = body else { throw APIError.invalid("the body is no JSON object") }
        let text = String(decoding: JSONValue.object(info).bytes, as: UTF8.self)
        guard
            let device = try await services.store.register(
                org: session.org, identifier: identifier, info: text, holder: holder, now: services.now)
        else {
            throw APIError(.forbidden, "forbidden", "this token is another device's")
        }
        // Texts alone: the first clients read nothing else. Android's takes no text for a number.
        let interval = services.options.heartbeatInterval
        return .json(
            [
                "id": .string(device.id), "device_identifier": .string(identifier), "org_id": .string(session.org), "status": "active",
                "platform": .string(info["platform"]?.text ?? "unknown"), "registered_at": .string(ISOTime.text(device.registered)),
                "created_at": .string(ISOTime.text(device.registered)), "updated_at": .string(ISOTime.text(device.updated)),
                "heartbeat_interval_seconds": info["platform"] == "android" ? .integer(interval) : .string("\(interval)"),
            ], status: .created)
    }

    @Sendable private func heartbeat(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device(), now = services.now
        let beat = try HeartbeatBody(try await request.bytes(limit: services.options.boardLimit))
        guard let identifier = try await identifier(of: id, session) else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        try await services.store.note(Beat(seen: now, body: beat.text, modelVersion: beat.message.modelVersion), of: id)
        services.metrics.noteHeartbeat()
        let updates: JSONValue? = if let report = beat.message.models { try await take(report, from: id, org: session.org) } else { nil }
        return answer(id, identifier, at: services.clock.text(now), updates)
    }

    // Written by hand, since most answers are of this kind: little in it needs escaping.
    private func answer(_ id: String, _ identifier: String, at time: String, _ updates: JSONValue?) -> Response {
        let isPlain = identifier.utf8.allSatisfy { $0 > 31 && $0 < 127 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        let name = isPlain ? "\"\(identifier)\"" : String(decoding: JSONValue.string(identifier).bytes, as: UTF8.self)
        var text = ByteBuffer()
        text.reserveCapacity(512)
        for part in [
            #"{"status":"ok","id":""#, id, #"","device_id":""#, id, #"","device_identifier":"#, name,
            #","acknowledged":true,"server_time":""#, time, #"","last_heartbeat":""#, time,
        ] {
            text.writeString(part)
        }
        text.writeString(#"","heartbeat_interval_seconds":"# + "\(services.options.heartbeatInterval)")
        if let updates { text.writeString(#","updates":"# + String(decoding: updates.bytes, as: UTF8.self)) }
        text.writeString("}")
        return .json(text)
    }

    // A board's own token knows it; a person's does not. nil where there is no such board.
    private func identifier(of id: String, _ session: Session) async throws -> String? {
        if case .device(let identifier, id) = session.holder { return identifier }
        return try await services.store.device(id, org: session.org)?.identifier
    }

    /// Keeps what a board says of its models; what it should fetch, by model.
    private func take(_ reports: [ModelReport], from device: String, org: String) async throws -> JSONValue? {
        var updates: [String: Int] = [:]
        for report in reports.prefix(8) {
            guard let model = try await services.store.model(report.model, org: org) else { continue }
            let outcomes = report.versions.prefix(32).map {
                Outcome(version: $0.version, device: device, state: $0.state, reason: $0.reason, updated: services.now)
            }
            // What another server was told in between is in the database alone.
            let store = services.store
            let isNews = try await store.isShared ? store.isNews(outcomes, of: model) : services.isNews(report, of: device)
            if !outcomes.isEmpty && isNews {
                try await store.report(outcomes, of: model)
                services.remember(report, of: device)
            }
            if let assigned = try await services.store.assignment(
                of: model, to: device, above: report.highest, format: report.format)
            {
                updates[report.model] = assigned.version
            }
        }
        return HeartbeatAnswer.updates(updates)
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device()
        guard let device = try await services.store.device(id, org: session.org) else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        guard case .object(var found) = services.json(device) else { return .nothing }
        found["models"] = .array(
            try await services.store.outcomes(of: id).map { model, outcome in
                [
                    "model_id": .string(model), "version": .string("\(outcome.version)"), "state": .string(outcome.state.rawValue),
                    "reason": .string(outcome.reason), "updated_at": .string(ISOTime.text(outcome.updated)),
                ]
            })
        return .json(.object(found))
    }

    @Sendable private func revoke(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = try context.parameter("id"), session = try context.owner()
        guard try await services.store.revoke(device: id, org: session.org) else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        return .json(["status": "revoked", "device_id": .string(id)])
    }

    /// For the board itself and for people: nothing of it stays.
    @Sendable private func erase(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device()
        guard try await services.store.delete(device: id, org: session.org) else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        await services.crowd.forget(uid: id)
        // What people ask for is written down already; of the board nothing stays, its ID neither.
        if case .device = session.holder {
            try await services.store.note(
                AuditEntry(at: services.now, org: session.org, who: "a board", action: "erased itself", status: 204))
        }
        return .nothing
    }

    @Sendable private func events(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device(), page = try QueryParameters(request, most: 5000)
        guard try await services.store.device(id, org: session.org) != nil else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        let events = try await services.store.events(
            of: id, named: try page.text("name"), since: try page.number("since") ?? 0, limit: page.limit)
        return .json([
            "events": .array(
                events.map {
                    ["at": .number($0.at), "name": .string($0.name), "attributes": JSONValue(reading: Array($0.attributes.utf8)) ?? .null]
                })
        ])
    }

    // What EdgeML's clients ask before they train or download.
    @Sendable private func policy(_ request: Request, _ context: HubContext) async throws -> Response {
        guard try context.session().org == context.parameter("org") else {
            throw APIError(.forbidden, "forbidden", "this token is of another organisation")
        }
        return .json(["battery_threshold": .integer(20), "network_policy": "any"])
    }
}
