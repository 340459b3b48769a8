internal import FoundationEssentials
internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// Boards' own weights, which nobody else gets, and the names under which boards train together: EdgeML's calls.
struct PersonalWeightRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let training = api.group("training")
        training.get("personalized/:id", use: personal)
        training.post("personalized/:id", use: keepPersonal)
        api.get("federations", use: federations)
        api.post("federations", use: federate)
    }

    @Sendable private func personal(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device()
        _ = try await services.device(named: .string(id), session)
        guard let found = try await services.store.personal(of: id) else {
            throw APIError.missing("not_found", "this device has no weights of its own")
        }
        return .json([
            "device_id": .string(id), "weights_data": .string(Data(found.weights).base64EncodedString()),
            "metrics": JSONValue(reading: Array(found.metrics.utf8)) ?? .null, "update_count": .integer(found.updates),
            "updated_at": .string(ISOTime.text(found.at)),
        ])
    }

    @Sendable private func keepPersonal(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, session) = try context.device(), body = try await request.object(limit: ReceivedWeights.limit)
        _ = try await services.device(named: .string(id), session)
        let received = try ReceivedWeights(body)
        try await services.store.keepPersonal(received.file, metrics: received.metrics, of: id, now: services.now)
        return .json(["device_id": .string(id), "status": "accepted", "updated_at": .string(ISOTime.text(services.now))])
    }

    @Sendable private func federations(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), name = try QueryParameters(request, most: 1).text("name")
        return .json(.array(try await services.store.federations(org: session.org, named: name).map { json($0, session.org) }))
    }

    @Sendable private func federate(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let made = try await services.store.federation(try body.required("name", limit: 100), org: session.org, now: services.now)
        return .json(json(made, session.org), status: .created)
    }

    private func json(_ federation: Federation, _ org: String) -> JSONValue {
        [
            "id": .string(federation.id), "name": .string(federation.name), "org_id": .string(org),
            "created_at": .string(ISOTime.text(federation.created)),
        ]
    }
}
