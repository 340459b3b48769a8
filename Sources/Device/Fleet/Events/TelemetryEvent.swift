internal import FoundationEssentials
internal import Support

/// Something that a board tells a hub beside its heartbeats.
public struct TelemetryEvent: Codable, Sendable, Equatable {
    /// Made here, so that what is sent twice counts once.
    public var id: String
    /// What kind of event.
    public var type: String
    /// Milliseconds since 1970.
    public var timestamp: Int64
    /// Texts about it.
    public var metadata: [String: String]

    /// - Parameter time: milliseconds since 1970.
    public init(_ type: String, at time: Int64, _ metadata: [String: String] = [:]) {
        (id, self.type, timestamp, self.metadata) = (UUID().uuidString.lowercased(), type, time, metadata)
    }

    var json: JSONValue {
        [
            "eventId": .string(id), "name": .string(type), "timestamp": .whole(timestamp), "telemetryClass": "best_effort",
            "attributes": .object(metadata.mapValues { .string($0) }),
        ]
    }
}
