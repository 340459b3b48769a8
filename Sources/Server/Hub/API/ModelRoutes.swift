internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// Models, for people.
struct ModelRoutes {
    let services: HubServices
    // What the hub knows by itself, so that nobody else says it.
    private static let own: Set<String> = [
        "id", "org_id", "name", "description", "created_at", "updated_at", "latest_version", "version_count",
    ]

    func add(to api: RouterGroup<HubContext>) {
        let models = api.group("models")
        models.get(use: list)
        models.post(use: make)
        models.get(":model", use: show)
        models.patch(":model", use: change)
        models.delete(":model", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let page = try QueryParameters(request, most: 500), models = try await services.store.models(org: try context.session().org)
        var found = models.map(json)
        for name in ["framework", "use_case"] {
            if let wanted = try page.text(name) { found.removeAll { $0[name]?.text != wanted } }
        }
        return .json(["models": .array(Array(found.dropFirst(page.offset).prefix(page.limit))), "total": .integer(found.count)])
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let name = try Self.name(body), description = try body.optional("description", limit: 1000) ?? "", details = try Self.details(body)
        guard
            let model = try await services.store.makeModel(
                name, description: description, details: details, org: session.org, now: services.now)
        else {
            throw APIError(.conflict, "invalid_input", "there is a model \(name) already")
        }
        return .json(json(model), status: .created)
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(json(try await services.model(context)))
    }

    @Sendable private func change(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let model = try await services.model(context), body = try await request.object(limit: services.options.bodyLimit)
        let name = body["name"] == nil ? model.name : try Self.name(body)
        let description = try body.optional("description", limit: 1000) ?? model.description
        let changed = try await services.store.change(
            model, name: name, description: description, details: try Self.details(body, before: model.details))
        return .json(json(changed))
    }

    @Sendable private func remove(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        try await services.store.remove(try await services.model(context))
        return .nothing
    }

    private static func name(_ body: JSONValue) throws(APIError) -> String {
        let name = try body.required("name", limit: 100)
        guard
            name.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "-_.".unicodeScalars.contains($0)
            }), name != ".", name != ".."
        else {
            throw .invalid("name is made of letters, digits, -, _ and .")
        }
        return name
    }

    /// What else a client says of a model, with what was said before.
    private static func details(_ body: JSONValue, before: String = "{}") throws(APIError) -> String {
        guard case .object(var details)? = JSONValue(reading: Array(before.utf8)), case .object(let said) = body else { return before }
        for (name, value) in said where !own.contains(name) { details[name] = value == .null ? nil : value }
        let text = String(decoding: JSONValue.object(details).bytes, as: UTF8.self)
        guard text.utf8.count <= 1 << 14 else { throw .invalid("there is too much about the model: 16 KB are kept") }
        return text
    }

    private func json(_ model: HubModel) -> JSONValue {
        guard case .object(var said)? = JSONValue(reading: Array(model.details.utf8)) else { return .null }
        for (name, usual) in [("framework", "gaitway"), ("use_case", "activity_recognition")] {
            if case .string? = said[name] { continue }
            said[name] = .string(usual)
        }
        let known: [(String, JSONValue?)] = [
            ("id", .string(model.id)), ("org_id", .string(model.org)), ("name", .string(model.name)),
            ("description", .string(model.description)), ("created_at", .string(ISOTime.text(model.created))),
            ("updated_at", .string(ISOTime.text(model.updated))),
            ("latest_version", model.latestName.map { .string($0) } ?? model.latest.map { .string("\($0)") }),
            ("version_count", .integer(model.versions)),
        ]
        for (name, value) in known { said[name] = value }
        return .object(said)
    }
}
