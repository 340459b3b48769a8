internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import NIOCore
internal import Support

/// A version's file and its signature.
struct FileRoutes {
    let services: HubServices
    // How long an address without a token is good, seconds.
    private let addressLife = 900

    init(services: HubServices) { self.services = services }

    func add(to api: RouterGroup<HubContext>) {
        api.get("models/:model/versions/:version/download", use: download)
        api.get("models/:model/versions/:version/signature", use: signature)
        api.get("models/:model/versions/:version/download-url", use: address)
        api.post("models/:model/versions/:version/resolve", use: resolve)
        api.get("files/:checksum", use: file)
    }

    @Sendable private func download(_ request: Request, _ context: HubContext) async throws -> Response {
        let (_, version) = try await services.version(context)
        // Android's clients want an address here.
        if try QueryParameters(request, most: 1).text("format") == "tensorflow_lite" { return try await address(request, context) }
        return try await send(version.checksum, request)
    }

    @Sendable private func signature(_ request: Request, _ context: HubContext) async throws -> Response {
        let (model, version) = try await services.version(context)
        guard let bytes = try await services.store.signature(of: version) else {
            throw APIError.missing("not_found", "version \(version.version) of \(model.name) is not signed")
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    @Sendable private func address(_ request: Request, _ context: HubContext) async throws -> Response {
        let (_, version) = try await services.version(context), (url, expires) = address(of: version, request),
            size = JSONValue.integer(version.size)
        return .json([
            "url": url, "download_url": url, "expires_at": .string(ISOTime.text(Double(expires))), "checksum": .string(version.checksum),
            "file_size": size, "size_bytes": size,
        ])
    }

    /// The one form that there is, whatever the caller can do.
    @Sendable private func resolve(_ request: Request, _ context: HubContext) async throws -> Response {
        let (_, version) = try await services.version(context), (url, _) = address(of: version, request)
        return .json([
            "model_id": .string(version.model), "version": .string("\(version.version)"), "format": "safetensors",
            "available_formats": .array(["safetensors"]), "download_url": url,
            "checksum": .string(version.checksum), "size_bytes": .integer(version.size),
        ])
    }

    /// An address that needs no token for a while; until when, seconds since 1970.
    private func address(of version: ModelVersion, _ request: Request) -> (url: JSONValue, expires: Int) {
        let expires = Int(services.now) + addressLife,
            path =
                "/api/v1/files/\(version.checksum)?expires=\(expires)&signature=\(services.signature(version.checksum, expires: expires))"
        // Behind a proxy the caller knows our name better than we do.
        let host = request.head.authority ?? "\(services.options.host):\(services.options.port)"
        let forwarded = HTTPField.Name("x-forwarded-proto").flatMap { request.headers[$0] }
        let scheme = services.options.certificate != nil || forwarded == "https" ? "https" : "http"
        return (.string("\(scheme)://\(host)\(path)"), expires)
    }

    @Sendable private func file(_ request: Request, _ context: HubContext) async throws -> Response {
        let checksum = try context.parameter("checksum"), page = try QueryParameters(request, most: 1)
        guard let expires = try page.number("expires").flatMap({ Int(exactly: $0) }), Double(expires) > services.now,
            let given = try page.text("signature"),
            services.isSignature(given, of: checksum, expires: expires)
        else { throw APIError(.forbidden, "forbidden", "this address is not valid, or not any more") }
        return try await send(checksum, request)
    }

    private func send(_ checksum: String, _ request: Request) async throws -> Response {
        guard let bytes = try await services.file(checksum) else { throw APIError.missing("version_not_found", "there is no such file") }
        let tag = "\"\(checksum)\""
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .eTag: tag, .acceptRanges: "bytes",
            .cacheControl: "private, max-age=31536000, immutable",
        ]
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        // If-Range: the rest of another file is of no use.
        guard let range = request.headers[.range], request.headers[.ifRange].map({ $0 == tag }) ?? true, let wanted = ByteRange(range)
        else {
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        guard let part = wanted.bounds(of: bytes.count) else {
            headers[.contentRange] = "bytes */\(bytes.count)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
        return Response(status: .partialContent, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes[part])))
    }
}
