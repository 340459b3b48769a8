internal import CrowdServer
internal import Foundation
internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// Firebase's sign-in by e-mail address, under the paths that its emulator has: the service's name comes first.
struct SignInRoutes {
    let services: HubServices

    init(services: HubServices) { self.services = services }

    func add(to router: Router<HubContext>) {
        router.post("identitytoolkit.googleapis.com/v1/:action", use: enter)
        router.post("securetoken.googleapis.com/v1/token", use: refresh)
    }

    @Sendable private func enter(_ request: Request, _ context: HubContext) async throws -> Response {
        let action = try context.parameter("action")
        guard action == "accounts:signInWithPassword" || action == "accounts:signUp" else {
            throw APIError.missing("not_found", "there is nothing here")
        }
        guard let body = JSONValue(reading: try await request.bytes(limit: 1 << 14)) else { return Self.refusal("INVALID_JSON") }
        guard let email = body["email"]?.text, email.utf8.count <= 200, let at = email.firstIndex(of: "@"), at > email.startIndex,
            email.index(after: at) < email.endIndex
        else { return Self.refusal("INVALID_EMAIL") }
        guard let password = body["password"]?.text, !password.isEmpty else { return Self.refusal("MISSING_PASSWORD") }
        let tokens: DeviceTokens?
        if action == "accounts:signUp" {
            guard try await services.crowd.isOpen() else { return Self.refusal("OPERATION_NOT_ALLOWED") }
            guard password.utf8.count >= 6 else { return Self.refusal("WEAK_PASSWORD : Password should be at least 6 characters") }
            tokens = try await services.store.makeAccount(email, password: password, org: "default", now: services.now)
            if tokens == nil { return Self.refusal("EMAIL_EXISTS") }
        } else {
            tokens = try await services.store.signIn(email, password: password, now: services.now)
        }
        guard let tokens, let uid = tokens.account else { return Self.refusal("INVALID_LOGIN_CREDENTIALS") }
        return .json([
            "kind": "identitytoolkit#VerifyPasswordResponse", "localId": .string(uid), "email": .string(email),
            "idToken": .string(tokens.access), "refreshToken": .string(tokens.refresh),
            "expiresIn": .string("\(tokens.lifetime)"), "registered": true,
        ])
    }

    @Sendable private func refresh(_ request: Request, _ context: HubContext) async throws -> Response {
        let fields = Self.fields(try await request.bytes(limit: 1 << 14))
        guard fields["grant_type"] == "refresh_token" else { return Self.refusal("INVALID_GRANT_TYPE") }
        guard let token = fields["refresh_token"], let tokens = try await services.store.refresh(token, now: services.now),
            let uid = tokens.account
        else { return Self.refusal("INVALID_REFRESH_TOKEN") }
        return .json([
            "access_token": .string(tokens.access), "id_token": .string(tokens.access), "refresh_token": .string(tokens.refresh),
            "expires_in": .string("\(tokens.lifetime)"),
            "token_type": "Bearer", "user_id": .string(uid), "project_id": "gaitway",
        ])
    }

    // A form, or JSON: clients send either.
    private static func fields(_ bytes: [UInt8]) -> [String: String] {
        if case .object(let members)? = JSONValue(reading: bytes) { return members.compactMapValues(\.text) }
        var found: [String: String] = [:]
        for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).replacing("+", with: " ").removingPercentEncoding ?? "" }
            if parts.count == 2 { found[parts[0]] = parts[1] }
        }
        return found
    }

    private static func refusal(_ message: String) -> Response {
        let reason = JSONValue.object(["message": .string(message), "domain": "global", "reason": "invalid"])
        return .json(["error": ["code": .integer(400), "message": .string(message), "errors": .array([reason])]], status: .badRequest)
    }
}
