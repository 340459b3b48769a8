internal import Cryptography
internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// The state that a device should be in, and the one that it is in: EdgeML's contract, whose members are in camelCase.
struct StateRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let device = api.group("devices/:id")
        device.get("desired-state", use: desired)
        device.post("observed-state", use: observe)
        device.get("observed-state", use: observed)
        device.post("sync", use: synchronise)
        device.get("assignments", use: assignments)
    }

    @Sendable private func desired(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, org) = try await device(context)
        return .json(try await state(of: id, org, request))
    }

    @Sendable private func observe(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, org) = try await device(context)
        let body = try await request.object(limit: services.options.bodyLimit)
        try await keep(body, of: id, org)
        return .json(["accepted": true, "deviceId": .string(id), "receivedAt": .string(ISOTime.text(services.now))])
    }

    @Sendable private func observed(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, _) = try await device(context)
        guard let found = try await services.store.observed(of: id) else {
            throw APIError.missing("not_found", "this device never said what state it is in")
        }
        return .json([
            "deviceId": .string(id), "receivedAt": .string(ISOTime.text(found.at)),
            "observedState": JSONValue(reading: Array(found.body.utf8)) ?? .null,
        ])
    }

    /// What the device has is kept; what it should have is told where that is news.
    @Sendable private func synchronise(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, org) = try await device(context)
        let body = try await request.object(limit: services.options.bodyLimit), known = try body.optional("knownStateVersion")
        try await keep(body, of: id, org)
        let state = try await state(of: id, org, request), isNews = state["stateVersion"]?.text != known
        return .json(
            .members([
                ("schemaVersion", "1"), ("deviceId", .string(id)), ("stateChanged", .bool(isNews)), ("stateVersion", state["stateVersion"]),
                ("desiredState", isNews ? state : nil), ("nextPollIntervalSeconds", .integer(services.options.heartbeatInterval)),
                ("serverTimestamp", .string(ISOTime.text(services.now))),
            ]))
    }

    @Sendable private func assignments(_ request: Request, _ context: HubContext) async throws -> Response {
        let (id, org) = try await device(context)
        var found: [JSONValue] = []
        for (model, assigned, version) in try await assigned(to: id, org) {
            let names: [(String, JSONValue?)] = [("model_id", .string(model.id)), ("model_name", .string(model.name))]
            found.append(.members(names + services.told(assigned, version).members))
        }
        return .json(["device_id": .string(id), "assignments": .array(found), "total": .integer(found.count)])
    }

    // What a device says that it runs counts for roll-outs and experiments.
    private func keep(_ body: JSONValue, of device: String, _ org: String) async throws {
        try await services.store.observe(String(decoding: body.bytes, as: UTF8.self), of: device, now: services.now)
        guard case .array(let active)? = body["activeVersions"] else { return }
        for entry in active.prefix(32) {
            guard let name = (entry["modelId"] ?? entry["model_id"])?.text, let shown = entry["version"]?.text,
                let model = try await services.store.model(name, org: org),
                let version = try await services.store.version(named: shown, of: model)
            else { continue }
            let outcome = Outcome(version: version.version, device: device, state: .committed, reason: "", updated: services.now)
            try await services.store.report([outcome], of: model)
        }
    }

    private func device(_ context: HubContext) async throws -> (id: String, org: String) {
        let (id, session) = try context.device()
        guard try await services.store.device(id, org: session.org) != nil else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        return (id, session.org)
    }

    private func assigned(to device: String, _ org: String) async throws -> [(HubModel, Assignment, ModelVersion)] {
        var found: [(HubModel, Assignment, ModelVersion)] = []
        for model in try await services.store.models(org: org) {
            guard let assigned = try await services.store.assignment(of: model, to: device, above: -1),
                let version = try await services.store.version(assigned.version, of: model)
            else { continue }
            found.append((model, assigned, version))
        }
        return found
    }

    private func state(of device: String, _ org: String, _ request: Request) async throws -> JSONValue {
        let found = try await assigned(to: device, org)
        let models = found.map { model, _, version -> JSONValue in
            [
                "modelId": .string(model.id), "modelName": .string(model.name), "desiredVersion": .string(version.shown),
                "versionNumber": .integer(version.version), "checksum": .string(version.checksum), "sizeBytes": .integer(version.size),
                "format": .string(version.format),
                "downloadUrl": .string(services.url("/api/v1/models/\(model.id)/versions/\(version.version)/download", request)),
            ]
        }
        return .members([
            ("schemaVersion", "1"), ("deviceId", .string(device)),
            // The same for the same models.
            ("stateVersion", .string(Self.mark(found.map { "\($0.0.id) \($0.2.checksum)" }))), ("models", .array(models)),
            ("generatedAt", .string(ISOTime.text(services.now))),
        ])
    }

    private static func mark(_ models: [String]) -> String { String(Digest.text(Array(models.joined(separator: "\n").utf8)).prefix(16)) }
}
