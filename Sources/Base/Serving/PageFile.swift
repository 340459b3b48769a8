internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// A file of this program, for a browser, which is to load nothing from elsewhere. All answers share its bytes.
package struct PageFile: Sendable {
    private let bytes: ByteBuffer
    private let headers: HTTPFields

    /// - Parameter type: its media type.
    package init(_ bytes: [UInt8], _ type: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff"]
        headers[.contentSecurityPolicy] =
            """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'
            """
        self.headers = headers
    }

    package var response: Response { Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes)) }
}

extension RouterMethods {
    /// Gives a file out at a path.
    package func add(_ path: RouterPath, _ bytes: [UInt8], _ type: String) {
        let file = PageFile(bytes, type)
        get(path) { _, _ in file.response }
    }
}
