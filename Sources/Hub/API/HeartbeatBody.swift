internal import HubStore
internal import JSONReading
internal import Support

/// What a heartbeat brings that the hub looks at; all of it is kept as it came. Only what is looked at is decoded: beats are most of what
/// a hub does.
struct HeartbeatBody {
    let text: String
    /// Of the model that runs.
    let version: Int?
    /// Only our own boards tell it.
    let models: [ModelReport]?

    /// Errors: 422.
    init(_ bytes: [UInt8]) throws(APIError) {
        text = bytes.isEmpty ? "{}" : String(decoding: bytes, as: UTF8.self)
        guard !bytes.isEmpty else {
            (version, models) = (nil, nil)
            return
        }
        guard let found = JSONValue(reading: bytes, only: ["active_model_version", "models"]), case .object = found else { throw .invalid("the body is no JSON object") }
        // Elder clients tell it among the metadata.
        version = Self.whole(found["active_model_version"]) ?? Self.whole(JSONValue(reading: bytes, only: ["metadata"])?["metadata"]?["model_version"])
        if case .array(let reports)? = found["models"] { models = reports.compactMap { ModelReport($0) } } else { models = nil }
    }

    // A number, or a number as text; nil for anything else.
    private static func whole(_ value: JSONValue?) -> Int? { value?.text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
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
