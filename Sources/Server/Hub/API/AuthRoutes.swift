internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import Support

/// Tokens for boards: /device-auth.
struct AuthRoutes {
    let services: HubServices
    // As EdgeML documents them: seconds.
    private let usual = 900, longest = 3600

    init(services: HubServices) { self.services = services }

    func add(to api: RouterGroup<HubContext>) {
        let auth = api.group("device-auth")
        auth.post("bootstrap", use: bootstrap)
        auth.post("refresh", use: refresh)
        auth.post("revoke", use: revoke)
    }

    @Sendable private func bootstrap(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit)
        let org = try body.required("org_id"), identifier = try body.required("device_identifier")
        guard let token = Authentication.bearer(request) else { throw APIError.unauthorized }
        let lifetime = try body.number("access_ttl_seconds", in: 1...Double(longest)).map { Int($0) } ?? usual
        let scopes = try scopes(body) ?? [.writesDevice]
        guard
            let tokens = try await services.store.bootstrap(
                token, org: org, identifier: identifier, scopes: scopes, lifetime: lifetime, now: services.now)
        else {
            throw APIError(
                .unauthorized, "invalid_api_key", "the bootstrap token is not valid here, has ended, or was used by another board")
        }
        return .json(Self.json(tokens), status: .created)
    }

    @Sendable private func refresh(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit), token = try body.required("refresh_token", limit: 500)
        guard let tokens = try await services.store.refresh(token, scopes: try scopes(body), now: services.now) else {
            throw APIError(.unauthorized, "token_expired", "the refresh token is not valid any more")
        }
        return .json(Self.json(tokens))
    }

    @Sendable private func revoke(_ request: Request, _ context: HubContext) async throws -> Response {
        let token = try await request.object(limit: services.options.bodyLimit).required("refresh_token", limit: 500)
        try await services.store.revoke(refreshToken: token)
        return .nothing
    }

    /// nil where none are named.
    private func scopes(_ body: JSONValue) throws(APIError) -> [Scope]? {
        guard case .array(let named)? = body["scopes"], !named.isEmpty else { return nil }
        do throws(Fault) {
            return try Scope.all(named.prefix(20).map { String(($0.text ?? "").prefix(100)) })
        } catch {
            throw APIError.invalid(error.message)
        }
    }

    private static func json(_ tokens: DeviceTokens) -> JSONValue {
        TokenAnswer(
            access: tokens.access, refresh: tokens.refresh, lifetime: tokens.lifetime, expires: tokens.expires, org: tokens.org,
            identifier: tokens.identifier,
            scopes: tokens.scopes
        ).json
    }
}
