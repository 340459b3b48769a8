internal import Support

/// What a hub says to a heartbeat.
public struct HeartbeatAnswer: Sendable, Equatable {
    /// Versions that the board should fetch, by model; gaitway-hub alone tells them.
    public var updates: [String: String] = [:]
    /// Seconds since 1970.
    public var serverTime: Double?

    init(_ answer: JSONValue) {
        if case .object(let found)? = answer["updates"] { updates = found.compactMapValues(\.text) }
        serverTime = answer["server_time"]?.text.flatMap(ISOTime.seconds)
    }
}
