internal import HubStore
internal import Support

/// What a heartbeat brings that the hub looks at; all of it is kept as it came.
struct HeartbeatBody {
    let text: String
    /// Of the model that runs.
    let version: Int?
    /// Only our own boards tell it.
    let models: [ModelReport]?

    /// Errors: 422.
    init(_ bytes: [UInt8]) throws(APIError) {
        guard !bytes.isEmpty else {
            (text, version, models) = ("{}", nil, nil)
            return
        }
        guard let body = JSONValue(parsing: bytes), case .object = body else { throw .invalid("the body is no JSON object") }
        text = String(decoding: bytes, as: UTF8.self)
        version = (body["active_model_version"] ?? body["metadata"]?["model_version"])?.text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        if case .array(let found)? = body["models"] { models = found.compactMap { ModelReport($0) } } else { models = nil }
    }
}

/// What a board says of the versions of a model.
struct ModelReport: Equatable, Sendable {
    struct Version: Equatable, Sendable {
        var version: Int
        var state: Outcome.State
        var reason: String
    }

    var model: String
    /// No version up to this one is of use to it.
    var highest: Int
    var versions: [Version]

    init?(_ value: JSONValue) {
        guard let model = value["model_id"]?.text, model.utf8.count <= 200, let highest = value["highest_version"]?.text.flatMap({ Int($0) }), highest >= 0 else { return nil }
        (self.model, self.highest) = (model, highest)
        guard case .array(let found)? = value["versions"] else {
            versions = []
            return
        }
        versions = found.compactMap { entry in
            guard let version = entry["version"]?.text.flatMap({ Int($0) }), version >= 0, let state = entry["state"]?.text.flatMap(Outcome.State.init(rawValue:)) else { return nil }
            return Version(version: version, state: state, reason: String((entry["reason"]?.text ?? "").prefix(500)))
        }
    }
}
