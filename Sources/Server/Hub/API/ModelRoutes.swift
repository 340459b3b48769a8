internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import NeuralNetwork
internal import Support

/// Models and their versions, for people.
struct ModelRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let models = api.group("models")
        models.get(use: list)
        models.post(use: make)
        models.get(":model", use: show)
        models.get(":model/versions", use: versions)
        models.post(":model/versions/upload", use: upload)
        models.get(":model/versions/:version", use: version)
        models.put(":model/versions/:version/signature", use: sign)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let models = try await services.store.models(org: try context.session().org)
        return .json(["models": .array(models.map(json)), "total": .integer(models.count)])
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let name = try body.required("name", limit: 100)
        guard
            name.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "-_.".unicodeScalars.contains($0)
            })
        else {
            throw APIError.invalid("name is made of letters, digits, -, _ and .")
        }
        let description = try body.optional("description", limit: 1000) ?? ""
        guard let model = try await services.store.makeModel(name, description: description, org: session.org, now: services.now) else {
            throw APIError(.conflict, "invalid_input", "there is a model \(name) already")
        }
        return .json(json(model), status: .created)
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(json(try await services.model(context)))
    }

    @Sendable private func versions(_ request: Request, _ context: HubContext) async throws -> Response {
        let versions = try await services.store.versions(of: try await services.model(context))
        return .json(["versions": .array(versions.map { services.json($0) }), "total": .integer(versions.count)])
    }

    @Sendable private func version(_ request: Request, _ context: HubContext) async throws -> Response {
        let (_, version) = try await services.version(context)
        return .json(services.json(version))
    }

    /// The body is the file itself; what it says of itself is read from it, and it must be whole.
    @Sendable private func upload(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let model = try await services.model(context), page = try QueryParameters(request, most: 1)
        let bytes = try await request.bytes(limit: services.options.modelLimit)
        let network: Network
        do throws(Fault) { network = try NetworkFile.read(bytes, name: "the upload") } catch { throw APIError.invalid(error.message) }
        if let named = try page.text("version"), named != "\(network.version)" {
            throw APIError.invalid("the file says version \(network.version), not \(named)")
        }
        let new = NewVersion(
            version: network.version, labels: network.labels, expires: network.expires, bytes: bytes, signature: nil,
            description: try page.text("description") ?? "")
        return .json(services.json(try await services.store.add(new, to: model, now: services.now)), status: .created)
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

    private func json(_ model: HubModel) -> JSONValue {
        .members([
            ("id", .string(model.id)), ("org_id", .string(model.org)), ("name", .string(model.name)),
            ("description", .string(model.description)), ("framework", "gaitway"),
            ("use_case", "activity_recognition"), ("created_at", .string(ISOTime.text(model.created))),
            ("updated_at", .string(ISOTime.text(model.updated))),
            ("latest_version", model.latest.map { .string("\($0)") }), ("version_count", .integer(model.versions)),
        ])
    }
}

extension HubServices {
    /// The model that the path names.
    func model(_ context: HubContext) async throws -> HubModel {
        guard let model = try await store.model(try context.parameter("model"), org: try context.session().org) else {
            throw APIError.missing("model_not_found", "there is no such model")
        }
        return model
    }

    /// The version that the path names: a number, or "latest".
    func version(_ context: HubContext) async throws -> (model: HubModel, version: ModelVersion) {
        let model = try await model(context), name = try context.parameter("version")
        guard let number = name == "latest" ? model.latest : Int(name), let version = try await store.version(number, of: model) else {
            throw APIError.missing("version_not_found", "\(model.name) has no such version")
        }
        return (model, version)
    }

    func json(_ version: ModelVersion) -> JSONValue {
        .members([
            ("id", .string("\(version.model):\(version.version)")), ("model_id", .string(version.model)),
            ("version", .string("\(version.version)")), ("checksum", .string(version.checksum)), ("size_bytes", .integer(version.size)),
            ("format", "safetensors"),
            ("description", .string(version.description)), ("created_at", .string(ISOTime.text(version.created))),
            ("updated_at", .string(ISOTime.text(version.created))),
            ("storage_path", .string("models/\(version.model)/versions/\(version.version)")),
            ("labels", .array(version.labels.map { .string($0) })),
            ("expires_at", version.expires.map { .string(ISOTime.text(Double($0))) }), ("signed", .bool(version.isSigned)),
            ("status", "published"),
        ])
    }
}
