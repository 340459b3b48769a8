internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

extension HubServices {
    /// The caller's own board; a person names one.
    ///
    /// - Throws: 403 for another device's, 404 for one that there is not.
    func device(named given: JSONValue?, _ session: Session) async throws -> String {
        let named = given?.text
        if case .device = session.holder {
            guard let own = session.deviceID else { throw APIError(.notFound, "device_not_registered", "this device is not registered") }
            guard named == nil || named == own else { throw APIError(.forbidden, "forbidden", "this token is another device's") }
            return own
        }
        guard let named, try await store.device(named, org: session.org) != nil else {
            throw APIError.missing("device_not_registered", "there is no such device")
        }
        return named
    }

    /// The model that the path names.
    func model(_ context: HubContext) async throws -> HubModel {
        try await model(named: try context.parameter("model"), org: try context.session().org)
    }

    /// By its ID or its name.
    ///
    /// - Throws: 404.
    func model(named name: String, org: String) async throws -> HubModel {
        guard let model = try await store.model(name, org: org) else {
            throw APIError.missing("model_not_found", "there is no such model")
        }
        return model
    }

    /// The version that the path names: by its number, its author's name, or as "latest".
    func version(_ context: HubContext) async throws -> (model: HubModel, version: ModelVersion) {
        let model = try await model(context), name = try context.parameter("version")
        return (model, try await version(name == "latest" ? model.latest.map { "\($0)" } ?? "" : name, of: model))
    }

    /// - Throws: 404.
    func version(_ name: String, of model: HubModel) async throws -> ModelVersion {
        guard let version = try await store.version(named: name, of: model) else {
            throw APIError.missing("version_not_found", "\(model.name) has no such version")
        }
        return version
    }

    func json(_ version: ModelVersion) -> JSONValue {
        .members([
            ("id", .string("\(version.model):\(version.version)")), ("model_id", .string(version.model)),
            ("version", .string(version.shown)), ("version_number", .integer(version.version)), ("checksum", .string(version.checksum)),
            ("size_bytes", .integer(version.size)),
            ("format", .string(version.format)), ("metrics", JSONValue(reading: Array(version.metrics.utf8))),
            ("description", .string(version.description)), ("created_at", .string(ISOTime.text(version.created))),
            ("updated_at", .string(ISOTime.text(version.created))),
            ("storage_path", .string("models/\(version.model)/versions/\(version.version)")),
            ("labels", .array(version.labels.map { .string($0) })),
            ("expires_at", version.expires.map { .string(ISOTime.text(Double($0))) }), ("signed", .bool(version.isSigned)),
            ("status", .string(version.status.rawValue)),
        ])
    }
}
