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

    /// What experiments say, else what roll-outs do.
    @Sendable private func version(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, _) = try context.device(), model = try await services.model(context)
        guard let assigned = try await services.store.assignment(of: model, to: id, above: -1),
            let version = try await services.store.version(assigned.version, of: model)
        else {
            throw APIError.missing("version_not_found", "no roll-out of \(model.name) is for this device")
        }
        return .json(.members(services.told(assigned, version).members))
    }

    /// 404 when the caller has nothing to fetch.
    @Sendable private func updates(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), page = try QueryParameters(request, most: 1), model = try await services.model(context)
        let text = try page.text("current_version"), whole = text.map { Int($0) } ?? 0
        let current: Int
        if let whole {
            current = whole
        } else {
            current = try await services.version(text ?? "", of: model).version
        }
        guard current >= 0 else { throw APIError.invalid("current_version is negative") }
        let target: Int?
        if let device = session.deviceID {
            target = try await services.store.assignment(of: model, to: device, above: current, format: try page.text("format"))?.version
        } else {
            target = model.latest
        }
        guard let target, target > current, let version = try await services.store.version(target, of: model) else {
            throw APIError.missing("version_not_found", "there is no update")
        }
        // Who counts in numbers is told a number.
        let update = ModelUpdate(
            newVersion: whole == nil ? version.shown : "\(version.version)", checksum: version.checksum, size: version.size,
            releaseNotes: version.description)
        return .json(update.json(current: text ?? "0"))
    }
}

extension HubServices {
    func told(_ assigned: Assignment, _ version: ModelVersion) -> AssignedVersion {
        let bucket = Int(assigned.bucket)
        return switch assigned.source {
        case .rollout(let id): AssignedVersion(version: version.shown, number: version.version, rollout: id, bucket: bucket)
        case .experiment(let id, let variant):
            AssignedVersion(version: version.shown, number: version.version, experiment: id, variant: variant, bucket: bucket)
        }
    }
}
