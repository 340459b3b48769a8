internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import Support

/// Groups of boards.
struct GroupRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        api.get("devices/:id/groups", use: memberships)
        let groups = api.group("groups")
        groups.get(use: list)
        groups.post(use: make)
        groups.delete(":group", use: remove)
        groups.put(":group/devices/:id") { request, context in try await self.join(context, true) }
        groups.delete(":group/devices/:id") { request, context in try await self.join(context, false) }
    }

    @Sendable private func memberships(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device()
        guard try await services.store.device(id, org: session.org) != nil else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        let found = try await services.store.memberships(of: id)
        // Two generations of clients, two shapes.
        return .json([
            "groups": .array(found.map { json($0.group) }), "count": .integer(found.count),
            "memberships": .array(
                found.map {
                    [
                        "id": .string("\($0.group.id):\(id)"), "device_id": .string(id), "group_id": .string($0.group.id),
                        "group_name": .string($0.group.name), "membership_type": "static",
                        "created_at": .string(ISOTime.text($0.since)),
                    ]
                }),
        ])
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let groups = try await services.store.groups(org: try context.person().org)
        return .json(["groups": .array(groups.map { json($0) }), "count": .integer(groups.count)])
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let description = try body.optional("description", limit: 1000) ?? ""
        let group = try await services.store.makeGroup(
            try body.required("name"), description: description, org: session.org, now: services.now)
        return .json(json(group), status: .created)
    }

    @Sendable private func remove(_ request: Request, _ context: HubContext) async throws -> Response {
        try await services.store.removeGroup(try await group(context))
        return .nothing
    }

    private func join(_ context: HubContext, _ member: Bool) async throws -> Response {
        let group = try await group(context)
        guard try await services.store.join(try context.parameter("id"), group, member: member, now: services.now) else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        return .nothing
    }

    private func group(_ context: HubContext) async throws -> DeviceGroup {
        let session = try context.person()
        guard let group = try await services.store.group(try context.parameter("group"), org: session.org) else {
            throw APIError.missing("not_found", "there is no such group")
        }
        return group
    }

    private func json(_ group: DeviceGroup) -> JSONValue {
        [
            "id": .string(group.id), "name": .string(group.name), "description": .string(group.description), "group_type": "static",
            "is_active": true, "device_count": .integer(group.devices),
            "created_at": .string(ISOTime.text(group.created)), "updated_at": .string(ISOTime.text(group.updated)),
        ]
    }
}
