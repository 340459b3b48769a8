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
        let (_, version) = try await services.version(context), format = try QueryParameters(request, most: 1).text("format")
        // Android's clients want an address here.
        if format == "tensorflow_lite" { return try await address(request, context) }
        return try await send(try await services.made(version, in: format).checksum, request)
    }

    @Sendable private func signature(_ request: Request, _ context: HubContext) async throws -> Response {
        let (model, version) = try await services.version(context)
        guard let bytes = try await services.store.signature(of: version) else {
            throw APIError.missing("not_found", "version \(version.version) of \(model.name) is not signed")
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    @Sendable private func address(_ request: Request, _ context: HubContext) async throws -> Response {
        let version = try await services.version(context).version,
            file = try await services.made(version, in: try QueryParameters(request, most: 1).text("format"))
        let (url, expires) = address(of: file.checksum, request), size = JSONValue.integer(file.size)
        return .json([
            "url": url, "download_url": url, "expires_at": .string(ISOTime.text(Double(expires))), "checksum": .string(file.checksum),
            "file_size": size, "size_bytes": size, "format": .string(file.format),
        ])
    }

    /// The form that there is, whatever the caller can do.
    @Sendable private func resolve(_ request: Request, _ context: HubContext) async throws -> Response {
        let (_, version) = try await services.version(context), (url, _) = address(of: version.checksum, request)
        return .json([
            "model_id": .string(version.model), "version": .string(version.shown), "format": .string(version.format),
            "available_formats": .array(try await services.formats(of: version).map { .string($0) }), "download_url": url,
            "checksum": .string(version.checksum), "size_bytes": .integer(version.size),
        ])
    }

    /// An address that needs no token for a while; until when, seconds since 1970.
    private func address(of checksum: String, _ request: Request) -> (url: JSONValue, expires: Int) {
        let expires = Int(services.now) + addressLife, signature = services.signature(checksum, expires: expires)
        return (.string(services.url("/api/v1/files/\(checksum)?expires=\(expires)&signature=\(signature)", request)), expires)
    }

    @Sendable private func file(_ request: Request, _ context: HubContext) async throws -> Response {
        let checksum = try context.parameter("checksum")
        try services.checkSignature(of: checksum, request)
        return try await send(checksum, request)
    }

    private func send(_ checksum: String, _ request: Request) async throws -> Response {
        let tag = "\"\(checksum)\""
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .eTag: tag, .acceptRanges: "bytes",
            .cacheControl: "private, max-age=31536000, immutable",
        ]
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        guard let bytes = try await services.file(checksum) else { throw APIError.missing("version_not_found", "there is no such file") }
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
