internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Support

/// An answer that says no.
struct DashboardError: Error {
    let status: HTTPResponse.Status
    let message: String
    var remedy: String?

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    init(_ fault: Fault) {
        status =
            switch fault.code {
            case .usage, .badData: .unprocessableContent
            case .permission: .forbidden
            // No gaitway runs, among others.
            case .temporary, .sensorUnavailable, .noInput: .serviceUnavailable
            default: .internalServerError
            }
        (message, remedy) = (fault.message, fault.remedy)
    }

    var response: Response {
        .json(JSON.object([("error", .string(message)), ("remedy", remedy.map(JSON.string) ?? .null)]).text, status: status)
    }
}

extension Response {
    /// - Parameter text: JSON.
    static func json(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
