internal import HubStore
internal import Hummingbird
internal import HTTPTypes
internal import Support

/// Which version a board should have.
struct DeviceModelRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        api.get("devices/:id/models/:model/version", use: version)
        api.get("models/:model/updates", use: updates)
    }

    /// What roll-outs say, else the newest version that one has brought to all.
    @Sendable private func version(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, _) = try context.device(), model = try await services.model(context)
        guard let rollout = try await services.store.offer(model, to: id, above: -1) else { throw APIError.missing("version_not_found", "no roll-out of \(model.name) is for this device") }
        let bucket = Rollout.bucket(of: id, model: model.id, version: rollout.version)
        return .json([
            "version": .string("\(rollout.version)"), "source": "rollout", "rollout_id": .integer(rollout.id), "device_bucket": .integer(Int(bucket)),
        ])
    }

    /// 404 when the caller has nothing to fetch.
    @Sendable private func updates(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), page = try Page(request, most: 1), model = try await services.model(context)
        let text = try page.text("current_version")
        let current = text.map { Int($0) ?? -1 } ?? 0
        guard current >= 0 else { throw APIError.invalid("current_version is no whole number") }
        let target: Int?
        if let device = session.deviceID {
            target = try await services.store.offer(model, to: device, above: current)?.version
        } else {
            target = model.latest
        }
        guard let target, target > current, let version = try await services.store.version(target, of: model) else { throw APIError.missing("version_not_found", "there is no update") }
        return .json([
            "new_version": .string("\(version.version)"), "current_version": .string("\(current)"), "is_required": false, "release_notes": .string(version.description),
            "update_size": .integer(version.size), "checksum": .string(version.checksum),
        ])
    }
}
