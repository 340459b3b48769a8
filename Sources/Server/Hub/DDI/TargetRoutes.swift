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
        target.get("softwaremodules/:action/artifacts/:file", use: artifact)
    }

    static func isTarget(_ request: Request) -> Bool {
        let parts = request.uri.path.split(separator: "/", maxSplits: 3)
        return parts.count == 4 && parts[1] == "controller" && parts[2] == "v1" && !["api", "crowd"].contains(parts[0])
    }

    /// The board of the path.
    ///
    /// - Throws: 401 without its token, 403 for another's.
    private func board(_ context: HubContext) async throws -> Target {
        let session = try context.session(), tenant = try context.parameter("tenant"), name = try context.parameter("controller")
        guard case .device(name, let id?) = session.holder, session.isTarget,
            tenant == session.org || tenant.lowercased() == Self.anyone
        else { throw APIError(.forbidden, "forbidden", "this token is not of the board \(name)") }
        guard let target = try await services.store.target(id, org: session.org) else { throw APIError.unauthorized }
        return target
    }

    // Up to the board's name, as the board wrote it.
    private func base(_ request: Request) -> String {
        "/" + request.uri.path.split(separator: "/").prefix(4).joined(separator: "/")
    }

    @Sendable private func poll(_ request: Request, _ context: HubContext) async throws -> Response {
        let target = try await board(context), base = services.url(base(request), request)
        try await services.store.note(Beat(seen: services.now, body: "{}", modelVersion: nil), of: target.id)
        let seconds = min(max(services.options.heartbeatInterval, 1), 86_399)
        let sleep = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        var links: [(String, JSONValue?)] = []
        if let offer = try await services.store.image(for: target) {
            links.append(("deploymentBase", ["href": .string("\(base)/deploymentBase/\(offer.rollout.id)")]))
        }
        if target.metadata == nil { links.append(("configData", ["href": .string("\(base)/configData")])) }
        return .json(["config": ["polling": ["sleep": .string(sleep)]], "_links": .members(links)])
    }

    @Sendable private func configure(_ request: Request, _ context: HubContext) async throws -> Response {
        // First: a board that is deleted while it speaks does not come back.
        let body = try await request.object(limit: services.options.boardLimit), target = try await board(context)
        guard case .object(let data)? = body["data"] else { throw APIError.invalid("data is no object") }
        let metadata: [String: JSONValue] =
            switch try body.optional("mode") ?? "merge" {
            case "replace": data
            case "merge": (target.metadata ?? [:]).merging(data) { $1 }
            case "remove": (target.metadata ?? [:]).filter { data[$0.key] == nil }
            default: throw APIError.invalid("mode is merge, replace or remove")
            }
        guard JSONValue.object(metadata).bytes.count <= services.options.boardLimit else {
            throw APIError(.contentTooLarge, "invalid_input", "the board says more of itself than \(services.options.boardLimit) bytes")
        }
        try await services.store.describe(target, metadata, now: services.now)
        return Response(status: .ok)
    }

    private func image(of offer: ImageOffer) async throws -> SystemImage {
        guard let bytes = try await services.file(offer.version.checksum) else {
            throw APIError.missing("not_found", "there is no such image")
        }
        return try SystemImage(bytes, name: "version \(offer.version.shown)")
    }

    /// - Throws: 404 for what was never offered to the board.
    private func action(_ context: HubContext, of target: Target) async throws -> (offer: ImageOffer, told: Outcome?) {
        let action = try context.parameter("action")
        guard let id = Int(action), "\(id)" == action, let found = try await services.store.image(of: id, for: target) else {
            throw APIError.missing("not_found", "there is no action \(action)")
        }
        return found
    }

    @Sendable private func deployment(_ request: Request, _ context: HubContext) async throws -> Response {
        let target = try await board(context), action = try context.parameter("action")
        guard let offer = try await services.store.image(for: target), "\(offer.rollout.id)" == action else {
            throw APIError.missing("not_found", "there is nothing to install")
        }
        let image = try await image(of: offer)
        let place = services.url("\(base(request))/softwaremodules/\(action)/artifacts/\(image.name)", request)
        // hawkBit has a name for each scheme.
        let links: JSONValue = [place.hasPrefix("https:") ? "download" : "download-http": ["href": .string(place)]]
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

    /// Also while its roll-out is paused: a download that has begun may end.
    @Sendable private func artifact(_ request: Request, _ context: HubContext) async throws -> Response {
        let target = try await board(context), image = try await image(of: try await action(context, of: target).offer)
        guard image.name == (try context.parameter("file")) else { throw APIError.missing("not_found", "there is no such file") }
        return Response(status: .found, headers: [.location: image.url])
    }

    @Sendable private func feedback(_ request: Request, _ context: HubContext) async throws -> Response {
        let feedback = try Feedback(try await request.object(limit: services.options.boardLimit)), target = try await board(context)
        let (offer, told) = try await action(context, of: target)
        guard let model = try await services.store.model(offer.rollout.model, org: target.org) else {
            throw APIError.missing("not_found", "there is no such model")
        }
        // What ended stays so: a word that was late changes nothing.
        let isOver = told.map { $0.state == .committed || $0.state.isFailure } ?? false
        if feedback.state == .probation && isOver || told.map({ $0.state == feedback.state && $0.reason == feedback.reason }) ?? false {
            return Response(status: .ok)
        }
        let outcome = Outcome(
            version: offer.rollout.version, device: target.id, state: feedback.state, reason: feedback.reason, updated: services.now)
        try await services.store.report([outcome], of: model)
        // Another system has other things to say of itself.
        if feedback.state == .committed { try await services.store.describe(target, nil, now: services.now) }
        return Response(status: .ok)
    }
}
