package import Support

/// What the hub looks at in a heartbeat; all of it is kept as it came.
package struct HeartbeatMessage: Sendable, Equatable {
    /// Of the model that runs.
    package var modelVersion: Int?
    /// Only Gaitway's own boards tell it; nil where nothing is said of models.
    package var models: [ModelReport]?

    package init(modelVersion: Int? = nil, models: [ModelReport]? = nil) { (self.modelVersion, self.models) = (modelVersion, models) }

    /// The members that ``init(_:metadata:)`` reads, for readers that decode no others; `metadata` is read where the first is not there.
    package static let names = ["active_model_version", "models"], elderName = "metadata"

    /// - Parameter metadata: `elderName`'s value, asked for where the version is not at the top: elder clients tell it there.
    package init(_ value: JSONValue, metadata: () -> JSONValue?) {
        modelVersion = ModelReport.version(value["active_model_version"]) ?? ModelReport.version(metadata()?["model_version"])
        if case .array(let reports)? = value["models"] { models = reports.compactMap { ModelReport($0) } }
    }

    /// The members at the top of a heartbeat.
    package var members: [(String, JSONValue?)] {
        [
            ("active_model_version", modelVersion.map { .string("\($0)") }),
            ("model_status", models?.first?.versions.first.map { .string($0.state.rawValue) }),
            ("models", models.map { .array($0.map(\.json)) }),
        ]
    }
}

/// What a hub says to a heartbeat.
public struct HeartbeatAnswer: Sendable, Equatable {
    /// Versions that the board should fetch, by model; gaitway-hub alone tells them.
    public var updates: [String: String] = [:]
    /// Seconds since 1970.
    public var serverTime: Double?
    /// Seconds between heartbeats, 1 ... 86400.
    public var interval: Int?

    /// Without any facts yet.
    public init() {}

    package init(_ answer: JSONValue) {
        if case .object(let found)? = answer["updates"] { updates = found.compactMapValues(\.text) }
        serverTime = answer["server_time"]?.text.flatMap(ISOTime.seconds)
        interval = Self.interval(answer)
    }

    /// `heartbeat_interval_seconds` of any answer; some servers write it as text.
    package static func interval(_ answer: JSONValue) -> Int? {
        let value = answer["heartbeat_interval_seconds"]
        return (value?.number.flatMap { Int(exactly: $0.rounded()) } ?? value?.text.flatMap { Int($0) }).flatMap {
            (1...86_400).contains($0) ? $0 : nil
        }
    }

    /// The versions to fetch, as the hub writes them; nil for none.
    package static func updates(_ updates: [String: Int]) -> JSONValue? {
        updates.isEmpty ? nil : .object(updates.mapValues { .string("\($0)") })
    }
}
