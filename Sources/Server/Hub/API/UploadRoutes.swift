internal import Cryptography
internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import NeuralNetwork
internal import Support

/// New versions: as the body of a request, as a form, or at an address that needs no token.
struct UploadRoutes {
    let services: HubServices
    // How long an address is good, seconds.
    private let addressLife = 900

    init(services: HubServices) { self.services = services }

    func add(to api: RouterGroup<HubContext>) {
        api.post("models/:model/versions", use: make)
        api.post("models/:model/versions/upload", use: upload)
        api.post("models/:model/versions/upload-url", use: address)
        api.put("uploads/:upload", use: put)
    }

    /// The body is the file itself, or a form with it.
    @Sendable private func upload(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let model = try await services.model(context), page = try QueryParameters(request, most: 1)
        let body = try await request.bytes(limit: services.options.modelLimit + services.options.bodyLimit)
        var file = UploadedFile(name: "", bytes: body)
        var version = try page.text("version"), description = try page.text("description")
        if let type = request.headers[.contentType], type.lowercased().hasPrefix("multipart/form-data") {
            guard let form = MultipartForm(body, contentType: type) else { throw APIError.invalid("the body is no form with a file") }
            guard form.file(named: "onnx_data") == nil else {
                throw APIError.invalid("weights beside the file are not taken: save the model as one file")
            }
            guard let found = form.file(named: "file") else { throw APIError.invalid("the form has no file called \"file\"") }
            file = found
            version = form.text("version") ?? version
            description = form.text("description") ?? description
        }
        guard file.bytes.count <= services.options.modelLimit else {
            throw APIError(.contentTooLarge, "invalid_input", "the file is larger than \(services.options.modelLimit) bytes")
        }
        let made = try await add(file, version: version, description: description ?? "", status: .published, to: model)
        guard case .object(var members) = services.json(made) else { return .nothing }
        let formats = try await services.formats(of: made)
        members["formats"] = .object(Dictionary(uniqueKeysWithValues: formats.map { ($0, "ready") }))
        members["checksums"] = .object([made.format: .string(made.checksum)])
        return .json(.object(members), status: .created)
    }

    /// Names a file that was uploaded to an address of ``address(_:_:)``.
    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let model = try await services.model(context), body = try await request.object(limit: services.options.bodyLimit)
        let version = try body.required("version"), checksum = try body.optional("checksum"), size = body["size_bytes"]?.number
        let place = try body.required("storage_path", limit: 500), description = try body.optional("description", limit: 1000) ?? ""
        guard let id = place.split(separator: "/").last, let bytes = try await services.store.staged(String(id), of: model) else {
            throw APIError.missing("not_found", "no file was uploaded to \(place): ask for an address with upload-url")
        }
        guard checksum.map({ $0.lowercased() == Digest.text(bytes) }) ?? true, size.map({ $0 == Double(bytes.count) }) ?? true else {
            throw APIError.invalid("the file at \(place) is another: its SHA-256 or its size differs")
        }
        let file = UploadedFile(name: try body.optional("format").map { "model.\($0)" } ?? "", bytes: bytes)
        var metrics = "{}"
        if case .object(let said)? = body["metrics"] { metrics = String(decoding: JSONValue.object(said).bytes, as: UTF8.self) }
        let made = try await add(file, version: version, description: description, status: .draft, metrics: metrics, to: model)
        try await services.store.unstage(String(id))
        return .json(services.json(made), status: .created)
    }

    private func add(
        _ file: UploadedFile, version: String?, description: String, status: ModelVersion.Status, metrics: String = "{}",
        to model: HubModel
    ) async throws -> ModelVersion {
        guard !file.bytes.isEmpty else { throw APIError.invalid("the file is empty") }
        let name = try version.map(Self.name)
        var new = NewVersion(version: name.flatMap { Int($0) }, bytes: file.bytes, description: String(description.prefix(1000)))
        new.name = new.version == nil ? name : nil
        (new.status, new.metrics, new.format) = (status, metrics, file.format)
        if file.format == ModelVersion.gaitways {
            let network: Network
            do throws(Fault) { network = try NetworkFile.read(file.bytes, name: "the upload") } catch {
                throw APIError.invalid(error.message)
            }
            if let named = new.version, named != network.version {
                throw APIError.invalid("the file says version \(network.version), not \(named)")
            }
            (new.version, new.labels, new.expires) = (network.version, network.labels, network.expires)
        } else if file.format == ModelVersion.program {
            do throws(Fault) { new.become(try ProgramRelease(file.bytes, name: "the upload")) } catch {
                throw APIError.invalid(error.message)
            }
        } else if file.format == ModelVersion.image {
            let image: SystemImage
            do throws(Fault) { image = try SystemImage(file.bytes, name: "the upload") } catch { throw APIError.invalid(error.message) }
            if let name, name != image.version { throw APIError.invalid("the file says version \(image.version), not \(name)") }
            new.become(image)
        }
        return try await services.store.add(new, to: model, now: services.now)
    }

    /// A number, or a name such as 1.4.0-rc.1.
    static func name(_ text: String) throws(APIError) -> String {
        let allowed = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".-+_".utf8.contains(byte)
        }
        guard allowed, (1...64).contains(text.utf8.count), !["latest", ".", ".."].contains(text),
            Int(text).map(HubStore.versionRange.contains) ?? true
        else { throw .invalid("version is neither a whole number nor a name such as 1.4.0") }
        return text
    }

    @Sendable private func address(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let model = try await services.model(context), id = try await services.store.stage(for: model, now: services.now)
        let expires = Int(services.now) + addressLife, signature = services.signature("upload \(id)", expires: expires)
        let url = services.url("/api/v1/uploads/\(id)?expires=\(expires)&signature=\(signature)", request)
        return .json(
            [
                "upload_url": .string(url), "url": .string(url), "method": "PUT", "upload_id": .string(id),
                "storage_path": .string("uploads/\(id)"), "expires_at": .string(ISOTime.text(Double(expires))),
            ], status: .created)
    }

    @Sendable private func put(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = try context.parameter("upload")
        try services.checkSignature(of: "upload \(id)", request)
        let bytes = try await request.bytes(limit: services.options.modelLimit)
        guard try await services.store.fill(id, bytes) else {
            throw APIError(.conflict, "invalid_input", "this address was used already: ask for another one")
        }
        return .json([
            "storage_path": .string("uploads/\(id)"), "checksum": .string(Digest.text(bytes)), "size_bytes": .integer(bytes.count),
        ])
    }
}
