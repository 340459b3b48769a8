internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// A model's versions, for people.
struct VersionRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let versions = api.group("models/:model/versions")
        versions.get(use: list)
        versions.get(":version", use: show)
        versions.delete(":version", use: remove)
        versions.post(":version/publish") { request, context in try await self.turn(context, to: .published) }
        versions.post(":version/deprecate") { request, context in try await self.turn(context, to: .deprecated) }
        versions.patch(":version/metrics", use: measure)
        versions.put(":version/signature", use: sign)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let page = try QueryParameters(request, most: 500), status = try page.text("status")
        let versions = try await services.store.versions(of: try await services.model(context)).filter {
            status == nil || $0.status.rawValue == status
        }
        let found = versions.dropFirst(page.offset).prefix(page.limit).map { services.json($0) }
        return .json(["versions": .array(Array(found)), "total": .integer(versions.count)])
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        // Android's clients ask for the newest that is published.
        if let status = try QueryParameters(request, most: 1).text("status"), try context.parameter("version") == "latest" {
            let versions = try await services.store.versions(of: try await services.model(context))
            guard let found = versions.first(where: { $0.status.rawValue == status }) else {
                throw APIError.missing("version_not_found", "there is no such version")
            }
            return .json(services.json(found))
        }
        return .json(services.json(try await services.version(context).version))
    }

    @Sendable private func remove(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        try await services.store.remove(try await services.version(context).version)
        return .nothing
    }

    private func turn(_ context: HubContext, to status: ModelVersion.Status) async throws -> Response {
        _ = try context.person()
        return .json(services.json(try await services.store.change(try await services.version(context).version, status: status)))
    }

    /// What was measured is added to what was before.
    @Sendable private func measure(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let version = try await services.version(context).version, body = try await request.object(limit: services.options.bodyLimit)
        guard case .object(let said)? = body["metrics"], case .object(var metrics)? = JSONValue(reading: Array(version.metrics.utf8)) else {
            throw APIError.invalid("metrics is no object")
        }
        metrics.merge(said) { $1 }
        let text = String(decoding: JSONValue.object(metrics).bytes, as: UTF8.self)
        guard text.utf8.count <= services.options.bodyLimit else { throw APIError.invalid("there are too many metrics") }
        return .json(services.json(try await services.store.change(version, metrics: text)))
    }

    /// OpenSSF model-signing's bundle. It is the boards that prove it: the hub has no key.
    @Sendable private func sign(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let (_, version) = try await services.version(context), bytes = try await request.bytes(limit: 1 << 20)
        guard JSONValue(reading: bytes)?["dsseEnvelope"] != nil else {
            throw APIError.invalid("the body is no signature of OpenSSF model-signing")
        }
        _ = try await services.store.sign(version, bytes)
        return .nothing
    }
}
