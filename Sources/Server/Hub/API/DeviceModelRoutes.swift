internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
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
        guard let rollout = try await services.store.offer(model, to: id, above: -1) else {
            throw APIError.missing("version_not_found", "no roll-out of \(model.name) is for this device")
        }
        let bucket = Rollout.bucket(of: id, model: model.id, version: rollout.version)
        return .json(AssignedVersion.json(version: rollout.version, rollout: rollout.id, bucket: Int(bucket)))
    }

    /// 404 when the caller has nothing to fetch.
    @Sendable private func updates(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), page = try QueryParameters(request, most: 1), model = try await services.model(context)
        let text = try page.text("current_version")
        let current = text.map { Int($0) ?? -1 } ?? 0
        guard current >= 0 else { throw APIError.invalid("current_version is no whole number") }
        let target: Int?
        if let device = session.deviceID {
            target = try await services.store.offer(model, to: device, above: current)?.version
        } else {
            target = model.latest
        }
        guard let target, target > current, let version = try await services.store.version(target, of: model) else {
            throw APIError.missing("version_not_found", "there is no update")
        }
        let update = ModelUpdate(
            newVersion: "\(version.version)", checksum: version.checksum, size: version.size, releaseNotes: version.description)
        return .json(update.json(current: current))
    }
}
