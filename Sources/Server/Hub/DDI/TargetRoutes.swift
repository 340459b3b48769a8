internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// hawkBit's Direct Device Integration API (v1): boards that SWUpdate or RAUC keep up to date ask for images of their system.
///
/// An action is a roll-out; cancelling, confirmation and `installedBase` are not there: what is no longer offered is gone at the next poll.
struct TargetRoutes {
    let services: HubServices

    /// The tenant that clients have by themselves.
    private static let anyone = "default"

    func add(to router: Router<HubContext>) {
        let target = router.group(":tenant/controller/v1/:controller")
        target.get(use: poll)
        target.put("configData", use: configure)
        target.get("deploymentBase/:action", use: deployment)
        target.post("deploymentBase/:action/feedback", use: feedback)
        target.get("softwaremodules/:module/artifacts/:file", use: artifact)
    }

    static func isTarget(_ request: Request) -> Bool {
        request.uri.path.split(separator: "/", maxSplits: 3).dropFirst().prefix(2).elementsEqual(["controller", "v1"])
    }

    /// - Returns: the board of the path.
    /// - Throws: 401 without its token, 403 for another's.
    private func board(_ context: HubContext) async throws -> (device: Device, org: String) {
        let session = try context.session(), tenant = try context.parameter("tenant"), name = try context.parameter("controller")
        guard case .device(name, let id?) = session.holder, session.isTarget,
            tenant == session.org || tenant.lowercased() == Self.anyone
        else { throw APIError(.forbidden, "forbidden", "this token is not of the board \(name)") }
        guard let device = try await services.store.device(id, org: session.org) else { throw APIError.unauthorized }
        return (device, session.org)
    }

    // Up to the board's name, as the board wrote it.
    private func base(_ request: Request) -> String {
        "/" + request.uri.path.split(separator: "/").prefix(4).joined(separator: "/")
    }

    @Sendable private func poll(_ request: Request, _ context: HubContext) async throws -> Response {
        let (device, org) = try await board(context), base = services.url(base(request), request)
        try await services.store.note(Beat(seen: services.now, body: "{}", modelVersion: nil), of: device.id)
        let seconds = min(max(services.options.heartbeatInterval, 1), 86_399)
        let sleep = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        var links: [(String, JSONValue?)] = []
        if let offer = try await services.store.image(for: device.id, org: org) {
            links.append(("deploymentBase", ["href": .string("\(base)/deploymentBase/\(offer.rollout.id)")]))
        }
        if device.info == "{}" { links.append(("configData", ["href": .string("\(base)/configData")])) }
        return .json(["config": ["polling": ["sleep": .string(sleep)]], "_links": .members(links)])
    }

    @Sendable private func configure(_ request: Request, _ context: HubContext) async throws -> Response {
        let (device, org) = try await board(context), body = try await request.object(limit: services.options.bodyLimit)
        guard case .object(let data)? = body["data"] else { throw APIError.invalid("data is no object") }
        let info = JSONValue.object(["metadata": .object(data)])
        _ = try await services.store.register(
            org: org, identifier: device.identifier, info: String(decoding: info.bytes, as: UTF8.self), now: services.now)
        return Response(status: .ok)
    }

    /// - Throws: 404 for what is not offered to the board, or not any more.
    private func offer(_ device: Device, _ org: String, _ isMeant: (ImageOffer) -> Bool) async throws -> (ImageOffer, SystemImage) {
        guard let offer = try await services.store.image(for: device.id, org: org), isMeant(offer),
            let bytes = try await services.file(offer.version.checksum)
        else { throw APIError.missing("not_found", "there is nothing to install") }
        return (offer, try SystemImage(bytes, name: "version \(offer.version.shown)"))
    }

    @Sendable private func deployment(_ request: Request, _ context: HubContext) async throws -> Response {
        let (device, org) = try await board(context), action = try context.parameter("action")
        let (offer, image) = try await offer(device, org) { "\($0.rollout.id)" == action }
        let place = services.url("\(base(request))/softwaremodules/\(offer.version.version)/artifacts/\(image.name)", request)
        // hawkBit has a name for each scheme.
        let link = place.hasPrefix("https:") ? "download" : "download-http"
        let links: JSONValue = [link: ["href": .string(place)]]
        let artifact: JSONValue = [
            "filename": .string(image.name), "size": .whole(image.size),
            "hashes": ["sha1": .string(image.sha1), "md5": .string(image.md5), "sha256": .string(image.sha256)],
            "_links": links,
        ]
        let chunk: JSONValue = [
            "part": "os", "name": .string(offer.version.model), "version": .string(image.version), "artifacts": .array([artifact]),
        ]
        return .json(["id": .string(action), "deployment": ["download": "forced", "update": "forced", "chunks": .array([chunk])]])
    }

    /// The board's own token goes to nobody else: clients leave it out where an answer sends them to another server.
    @Sendable private func artifact(_ request: Request, _ context: HubContext) async throws -> Response {
        let (device, org) = try await board(context), module = try context.parameter("module"), file = try context.parameter("file")
        let (_, image) = try await offer(device, org) { "\($0.version.version)" == module }
        guard image.name == file else { throw APIError.missing("not_found", "there is no such file") }
        return Response(status: .found, headers: [.location: image.url])
    }

    @Sendable private func feedback(_ request: Request, _ context: HubContext) async throws -> Response {
        let (device, org) = try await board(context), action = try context.parameter("action")
        let feedback = try Feedback(try await request.object(limit: services.options.bodyLimit))
        guard let id = Int(action), let rollout = try await services.store.rollout(id, org: org),
            let model = try await services.store.model(rollout.model, org: org),
            let version = try await services.store.version(rollout.version, of: model), version.format == ModelVersion.image
        else { throw APIError.missing("not_found", "there is no action \(action)") }
        let outcome = Outcome(
            version: rollout.version, device: device.id, state: feedback.state, reason: feedback.reason, updated: services.now)
        try await services.store.report([outcome], of: model)
        return Response(status: .ok)
    }
}
