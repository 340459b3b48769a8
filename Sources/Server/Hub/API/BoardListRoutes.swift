internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// All boards, as people look at them: lists, counts, what they are called, what they told over time.
struct BoardListRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        api.get("devices", use: list)
        api.patch("devices/:id", use: rename)
        api.get("devices/:id/history", use: history)
        api.get("fleet", use: overview)
        api.get("tags", use: tags)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), page = try QueryParameters(request, most: 500)
        let state = try page.text("connectivity").map { text throws in
            guard let state = Connectivity(rawValue: text) else { throw APIError.invalid("connectivity is online, stale or offline") }
            return state
        }
        let order = try page.text("sort").map { text throws in
            guard let order = DeviceOrder(rawValue: text) else {
                throw APIError.invalid("sort is one of \(DeviceOrder.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return order
        }
        var query = DeviceQuery(org: session.org)
        (query.search, query.group, query.tag, query.state) = (
            try page.text("search") ?? "", try page.text("group"), try page.text("tag"), state
        )
        let found = try await services.store.devices(
            query, order: order ?? .name, now: services.now, limit: page.limit, offset: page.offset)
        let isLast = found.count < page.limit && (page.offset == 0 || !found.isEmpty)
        let total = isLast ? page.offset + found.count : try await total(query)
        return .json(["devices": .array(found.map { services.json($0) }), "total": .integer(total)])
    }

    private func total(_ query: DeviceQuery) async throws -> Int {
        if let state = query.state, query == DeviceQuery(org: query.org, state: state) {
            return try await services.fleet(query.org).boards(state)
        }
        return try await services.totals.of("\(query)") { [services] () async throws(Fault) in
            try await services.store.count(query, now: services.now)
        }
    }

    @Sendable private func overview(_ request: Request, _ context: HubContext) async throws -> Response {
        let fleet = try await services.fleet(try context.person().org)
        return .json([
            "online": .integer(fleet.online), "stale": .integer(fleet.stale), "offline": .integer(fleet.offline),
            "heartbeat_interval_seconds": .integer(services.options.heartbeatInterval),
            "versions": .array(
                fleet.versions.map { ["version": $0.version.map { .string("\($0)") } ?? .null, "devices": .integer($0.devices)] }),
        ])
    }

    @Sendable private func tags(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(["tags": .array(try await services.store.tags(org: try context.person().org).map { .string($0) })])
    }

    /// What people call it: a name, or null for its own; tags.
    @Sendable private func rename(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = try context.parameter("id"), session = try context.person()
        let body = try await request.object(limit: services.options.boardLimit)
        let name = try body.optional("name"), clears = body["name"] == .null, tags = try body.texts("tags")
        guard name != nil || clears || tags != nil else { throw APIError.invalid("the body has neither a name nor tags") }
        do throws(Fault) { _ = try BoardNames(name: name, tags: tags ?? []) } catch { throw APIError.invalid(error.message) }
        let device = try await services.store.rename(device: id, org: session.org) { names throws(Fault) in
            names = try BoardNames(name: clears ? nil : name ?? names.name, tags: tags ?? names.tags)
        }
        guard let device else { throw APIError.missing("device_not_registered", "there is no such device") }
        return .json(services.json(device))
    }

    @Sendable private func history(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device()
        guard try await services.store.device(id, org: session.org) != nil else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        return .json([
            "history": .array(
                try await services.store.history(ofDevice: id).map { point in
                    .members([
                        ("at", .string(ISOTime.text(point.at))), ("battery_level", point.battery.map { .number($0) }),
                        ("temperature_celsius", point.heat.map { .number($0) }), ("sampling_rate_hz", point.rate.map { .number($0) }),
                    ])
                })
        ])
    }
}
