internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The page for people: files of this program. What they show comes from the API, with the token that is entered there.
enum PageRoutes {
    static func add(to router: Router<HubContext>) {
        router.get("/") { _, _ in file(PackageResources.index_html, "text/html; charset=utf-8") }
        router.get("/page.css") { _, _ in file(PackageResources.page_css, "text/css; charset=utf-8") }
        router.get("/page.js") { _, _ in file(PackageResources.page_js, "text/javascript; charset=utf-8") }
    }

    static func file(_ bytes: [UInt8], _ type: String) -> Response {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff"]
        headers[.contentSecurityPolicy] =
            """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'
            """
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
