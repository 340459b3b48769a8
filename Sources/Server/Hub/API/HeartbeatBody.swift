internal import HubProtocol
internal import JSONReading
internal import Support

/// A heartbeat as text, and what the hub looks at in it. Only that is decoded: beats are most of what a hub does.
struct HeartbeatBody {
    let text: String
    let message: HeartbeatMessage

    /// - Throws: 422.
    init(_ bytes: [UInt8]) throws(APIError) {
        text = bytes.isEmpty ? "{}" : String(decoding: bytes, as: UTF8.self)
        guard !bytes.isEmpty else {
            message = HeartbeatMessage()
            return
        }
        guard let found = JSONValue(reading: bytes, only: HeartbeatMessage.names), case .object = found else {
            throw .invalid("the body is no JSON object")
        }
        message = HeartbeatMessage(found) { JSONValue(reading: bytes, only: [HeartbeatMessage.elderName])?[HeartbeatMessage.elderName] }
    }
}
