internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// A file of this program, for a browser, which is to load nothing from elsewhere.
package enum PageFile {
    /// - Parameter type: its media type.
    package static func response(_ bytes: [UInt8], _ type: String) -> Response {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff"]
        headers[.contentSecurityPolicy] =
            """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'
            """
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
