internal import Cryptography
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
        let scopes = try scopes(body) ?? [.writesDevice], key = try key(body)
        if let key { try prove(key, body, .bootstrap, token: token, org: org, name: identifier) }
        guard key != nil || !services.options.requiresKeys else {
            throw APIError(.forbidden, "key_required", "this hub registers boards that have a key of their own alone")
        }
        let isApproved = try await approve(token, org, identifier, key)
        guard isApproved,
            let tokens = try await services.store.bootstrap(
                token, org: org, identifier: identifier, scopes: scopes, lifetime: lifetime, key: key?.pem, now: services.now)
        else {
            throw APIError(
                .unauthorized, "invalid_api_key", "the bootstrap token is not valid here, has ended, or was used by another board")
        }
        return .json(Self.json(tokens), status: .created)
    }

    /// Whether the bootstrap token may be used; of a board that is new where a person approves each one.
    ///
    /// - Throws: 403 where it waits.
    private func approve(_ token: String, _ org: String, _ identifier: String, _ key: VerifyingKey?) async throws -> Bool {
        guard services.options.asksForApproval else { return true }
        switch try await services.store.approval(token, org: org, identifier: identifier, key: key?.pem, now: services.now) {
        case .notNeeded: return true
        case .usedUp: return false
        case .waits(let board):
            let which = board.key.map { " with the key \($0)" } ?? ""
            throw APIError(
                .forbidden, "approval_pending", "\(identifier)\(which) waits until a person approves it: gaitway-hub devices approve")
        }
    }

    @Sendable private func refresh(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit), token = try body.required("refresh_token", limit: 500)
        // A board that had no key may have one from now on.
        let known = try await services.store.key(ofRefreshToken: token)
        let key = if let known { try VerifyingKey(pem: known, path: "the board's key") } else { try key(body) }
        if let key { try prove(key, body, .refresh, token: token, org: "", name: "") }
        guard let tokens = try await services.store.refresh(token, scopes: try scopes(body), key: key?.pem, now: services.now) else {
            throw APIError(.unauthorized, "token_expired", "the refresh token is not valid any more")
        }
        return .json(Self.json(tokens))
    }

    @Sendable private func revoke(_ request: Request, _ context: HubContext) async throws -> Response {
        let token = try await request.object(limit: services.options.bodyLimit).required("refresh_token", limit: 500)
        try await services.store.revoke(refreshToken: token)
        return .nothing
    }

    /// nil for a client that has none.
    private func key(_ body: JSONValue) throws(APIError) -> VerifyingKey? {
        guard let pem = try body.optional("public_key", limit: 1000) else { return nil }
        let key: VerifyingKey
        do throws(Fault) { key = try VerifyingKey(pem: pem, path: "public_key") } catch { throw APIError.invalid(error.message) }
        guard key.count == 1 else { throw APIError.invalid("public_key is not one key") }
        return key
    }

    /// - Throws: 401 with a nonce to sign, where the request does not prove the key.
    private func prove(
        _ key: VerifyingKey, _ body: JSONValue, _ purpose: BoardProof.Purpose, token: String, org: String, name: String
    ) throws(APIError) {
        if let proof = BoardProof(body), services.isNonce(proof.nonce),
            proof.isValid(purpose, token: token, org: org, name: name, by: key)
        {
            return
        }
        var wanted = APIError(.unauthorized, BoardProof.wanted, "the board has to prove its key: sign the nonce and ask again")
        wanted.nonce = services.nonce()
        throw wanted
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
