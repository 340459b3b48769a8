internal import HTTPTypes
internal import Hummingbird
internal import JSONReading
internal import NIOCore
internal import Support

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        json(ByteBuffer(bytes: value.bytes), status: status)
    }

    /// - Parameter text: JSON.
    static func json(_ text: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"], body: .init(byteBuffer: text))
    }

    static var nothing: Response { Response(status: .noContent) }
}

extension Request {
    /// The body as it came.
    ///
    /// - Throws: 413.
    func bytes(limit: Int) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
            try await discard(upTo: Self.mostDiscarded)
            throw APIError(.contentTooLarge, "invalid_input", "the request is larger than \(limit) bytes")
        }
        return Array(buffer: try await body.collect(upTo: limit))
    }

    // Clients that close the connection afterwards read no answer before all of their request went.
    private static let mostDiscarded = 32 << 20

    private func discard(upTo limit: Int) async throws {
        var left = limit
        for try await part in body {
            left -= part.readableBytes
            if left < 0 { return }
        }
    }

    /// An object.
    ///
    /// - Throws: 413, 422.
    func object(limit: Int) async throws -> JSONValue {
        let bytes = try await bytes(limit: limit)
        guard let value = JSONValue(reading: bytes), case .object = value else { throw APIError.invalid("the body is no JSON object") }
        return value
    }
}

extension JSONValue {
    /// Text of a member that there must be.
    func required(_ name: String, limit: Int = 200) throws(APIError) -> String {
        guard let text = try optional(name, limit: limit), !text.isEmpty else { throw .invalid("\(name) is missing") }
        return text
    }

    func optional(_ name: String, limit: Int = 200) throws(APIError) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let text = value.text else { throw .invalid("\(name) is no text") }
        guard text.utf8.count <= limit, !text.unicodeScalars.contains(where: { $0.value < 32 && $0.value != 10 }) else {
            throw .invalid("\(name) is too long, or has control characters")
        }
        return text
    }

    /// A list of texts; nil where there is none.
    func texts(_ name: String) throws(APIError) -> [String]? {
        guard let value = self[name], value != .null else { return nil }
        guard case .array(let values) = value else { throw .invalid("\(name) is no list") }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else { throw .invalid("\(name) is no list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// A number within its range.
    func number(_ name: String, in range: ClosedRange<Double>) throws(APIError) -> Double? {
        guard let value = self[name], value != .null else { return nil }
        guard let number = value.number, range.contains(number) else {
            throw .invalid("\(name) is not within \(range.lowerBound) ... \(range.upperBound)")
        }
        return number
    }
}
