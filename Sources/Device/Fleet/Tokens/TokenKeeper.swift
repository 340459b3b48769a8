internal import Cryptography
internal import FoundationEssentials
internal import HubProtocol
package import Support
internal import Transport

/// Short-lived tokens for a board: got once with a bootstrap token, refreshed before they end.
package actor TokenKeeper {
    package let orgId: String
    package let deviceIdentifier: String
    private let api: FleetAPI
    private let file: TokenFile
    private let directory: String
    // Whoever asks while a refresh is on its way gets that one's answer.
    private var refreshing: Task<Result<DeviceTokens, Fault>, Never>?

    /// - Parameters:
    ///   - service: names the file's directory; the EdgeML SDK's keychain has it, too.
    ///   - stateDirectory: where tokens are kept; nil for ``Places/state``.
    ///   - allowsHTTP: whether the server may be one beyond this machine without TLS.
    ///   - allowance: what its answers are counted in.
    package init(
        hub: String, orgId: String, deviceIdentifier: String, service: String = "ai.edgeml", stateDirectory: String? = nil,
        allowsHTTP: Bool = false, allowance: AnswerAllowance = AnswerAllowance()
    ) {
        self.orgId = orgId
        self.deviceIdentifier = deviceIdentifier
        api = FleetAPI(base: hub, allowsHTTP: allowsHTTP, allowance: allowance)
        directory = stateDirectory ?? Places.state
        file = TokenFile(service: service, account: "\(orgId):\(deviceIdentifier)", in: directory)
    }

    /// Changes a bootstrap token for the board's own tokens.
    ///
    /// - Throws: `.permission` when the server does not take it, `.temporary`, `.badData`; those of keeping the tokens.
    @discardableResult
    package func bootstrap(
        bootstrapBearerToken: String, scopes: [String] = ["devices:write"], accessTTLSeconds: Int? = nil, deviceId: String? = nil
    ) async throws(Fault) -> DeviceTokens {
        let body: [(String, JSONValue?)] = [
            ("org_id", .string(orgId)), ("device_identifier", .string(deviceIdentifier)), ("scopes", .array(scopes.map { .string($0) })),
            ("access_ttl_seconds", JSONValue(accessTTLSeconds)), ("device_id", JSONValue(deviceId)),
        ]
        let answer = try await proved(.bootstrap, body, token: bootstrapBearerToken, bearer: bootstrapBearerToken)
        return try keep(answer, before: nil)
    }

    // A hub that knows boards by their keys asks for a proof; others give tokens at once.
    private func proved(
        _ purpose: BoardProof.Purpose, _ members: [(String, JSONValue?)], token: String, bearer: String?
    ) async throws(Fault) -> JSONValue {
        let path = "device-auth/\(purpose.rawValue)", key = try BoardKey.load(in: directory)
        let members = members + [("public_key", .string(key.verifying.pem))]
        let first = try await api.send("POST", path, .members(members), token: bearer)
        guard first.status == 401, first.body["code"]?.text == BoardProof.wanted, let nonce = first.body["nonce"]?.text else {
            return try api.good(first, path)
        }
        let isForName = purpose == .bootstrap
        let proof = try BoardProof(
            purpose, token: token, org: isForName ? orgId : "", name: isForName ? deviceIdentifier : "", nonce: nonce, by: key)
        return try await api.call("POST", path, .members(members + proof.members), token: bearer)
    }

    /// New tokens for the refresh token, which is used up with that. They are kept before anyone uses them.
    ///
    /// - Throws: `.configuration` when the board was never registered; those of
    ///   ``bootstrap(bootstrapBearerToken:scopes:accessTTLSeconds:deviceId:)``.
    @discardableResult
    package func refresh() async throws(Fault) -> DeviceTokens {
        if let running = refreshing { return try await running.value.get() }
        let task = Task { () -> Result<DeviceTokens, Fault> in
            do throws(Fault) { return .success(try await self.refreshNow()) } catch { return .failure(error) }
        }
        refreshing = task
        let result = await task.value
        refreshing = nil
        return try result.get()
    }

    private func refreshNow() async throws(Fault) -> DeviceTokens {
        let seen = try stored()
        // Another program of this board may be at it: a refresh token that two bring ends both.
        guard let lock = try await file.lock() else { throw Fault(.temporary, "another program renews this board's tokens") }
        defer { lock.release() }
        let before = try stored()
        if before.accessToken != seen.accessToken { return before }
        let answer = try await proved(
            .refresh, [("refresh_token", .string(before.refreshToken))], token: before.refreshToken, bearer: nil)
        return try keep(answer, before: before)
    }

    /// Gives the tokens back, and forgets them. Without tokens nothing is done.
    ///
    /// - Throws: those of the request; the tokens are then kept.
    package func revoke(reason: String = "sdk_revoke") async throws(Fault) {
        guard let state = try file.read() else { return }
        _ = try await api.call(
            "POST", "device-auth/revoke", .members([("refresh_token", .string(state.refreshToken)), ("reason", .string(reason))]),
            token: nil)
        try file.remove()
    }

    /// Forgets the tokens; the server is not told.
    package nonisolated func forget() throws(Fault) { if try file.read() != nil { try file.remove() } }

    /// A token that holds for at least so many seconds. When it cannot be refreshed, the old one does until its very end.
    ///
    /// - Throws: those of ``refresh()``.
    package func getAccessToken(refreshIfExpiringWithin seconds: Double = 30) async throws(Fault) -> String {
        let state = try stored(), now = Date()
        if now.addingTimeInterval(seconds) < state.expiresAt { return state.accessToken }
        do throws(Fault) {
            return try await refresh().accessToken
        } catch {
            if now < state.expiresAt { return state.accessToken }
            throw error
        }
    }

    private func stored() throws(Fault) -> DeviceTokens {
        guard let state = try file.read() else {
            throw Fault(
                .configuration, "there are no tokens for \(deviceIdentifier) at \(api.base)",
                remedy: "Register the board: gaitway register --hub \(api.base) --token TOKEN")
        }
        return state
    }

    private func keep(_ answer: JSONValue, before: DeviceTokens?) throws(Fault) -> DeviceTokens {
        guard let state = DeviceTokens(answer: answer, orgId: orgId, deviceIdentifier: deviceIdentifier, before: before, now: Date()) else {
            throw Fault(.badData, "\(api.base) answered without usable tokens")
        }
        // Another program may have left the hub meanwhile.
        if before != nil, try file.read() == nil { throw Fault(.configuration, "Device not registered") }
        try file.write(state)
        return state
    }
}
