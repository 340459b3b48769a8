internal import HTTPTypes
internal import Hummingbird
internal import Support

/// An answer that says no, for all generations of clients: `detail`, `code` and `message`, `error`.
struct APIError: Error, Sendable {
    var status: HTTPResponse.Status
    var code: String
    var message: String
    var retryAfter: Int?
    /// What a board is to sign before it asks again.
    var nonce: String?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil) {
        (self.status, self.code, self.message, self.retryAfter) = (status, code, message, retryAfter)
    }

    static var unauthorized: APIError { APIError(.unauthorized, "token_expired", "there is no token, or it is not valid any more") }
    static func invalid(_ message: String) -> APIError { APIError(.unprocessableContent, "invalid_input", message) }
    static func missing(_ code: String, _ message: String) -> APIError { APIError(.notFound, code, message) }

    init(_ fault: Fault) {
        switch fault.code {
        case .usage where fault.condition == .nameTaken: self.init(.conflict, "device_exists", fault.message)
        case .permission: self.init(.forbidden, "forbidden", fault.message)
        case .usage, .badData: self.init(.conflict, "invalid_input", fault.message)
        case .temporary: self.init(.serviceUnavailable, "server_error", fault.message, retryAfter: 5)
        default: self.init(.internalServerError, "server_error", "the hub could not do that")
        }
    }

    var response: Response {
        let said = JSONValue.object(["code": .string(code), "message": .string(message)])
        var response = Response.json(
            .members([
                ("error", said), ("code", .string(code)), ("message", .string(message)), ("detail", .string(message)),
                ("nonce", JSONValue(nonce)),
            ]), status: status)
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }
}
