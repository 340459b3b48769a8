internal import Fleet
public import FoundationEssentials
public import Support

/// A board's tokens, as a server gave them and as they are kept.
public struct DeviceTokenState: Sendable, Equatable {
    /// Sent with each request.
    public var accessToken: String
    /// Exchanged for the next pair of tokens.
    public var refreshToken: String
    /// "Bearer"
    public var tokenType: String
    /// When the access token ends, by this board's clock.
    public var expiresAt: Date
    /// The organisation.
    public var orgId: String
    /// This device's name within it.
    public var deviceIdentifier: String
    /// What the tokens allow.
    public var scopes: [String]

    fileprivate init(_ tokens: DeviceTokens) {
        (accessToken, refreshToken, tokenType, expiresAt) = (tokens.accessToken, tokens.refreshToken, tokens.tokenType, tokens.expiresAt)
        (orgId, deviceIdentifier, scopes) = (tokens.orgId, tokens.deviceIdentifier, tokens.scopes)
    }
}

/// Short-lived tokens for a board, with the EdgeML SDK's names: got once with a bootstrap token, refreshed before they end.
public actor DeviceAuthManager {
    /// The organisation.
    public let orgId: String
    /// This device's name within it.
    public let deviceIdentifier: String
    private let keeper: TokenKeeper

    /// - Parameters:
    ///   - keychainService: names the file's directory.
    ///   - stateDirectory: where tokens are kept; nil for $STATE_DIRECTORY, else ~/.local/state/gaitway.
    ///   - allowsHTTP: whether the server may be one beyond this machine without TLS.
    public init(
        baseURL: URL, orgId: String, deviceIdentifier: String, keychainService: String = "ai.edgeml", stateDirectory: String? = nil,
        allowsHTTP: Bool = false
    ) {
        (self.orgId, self.deviceIdentifier) = (orgId, deviceIdentifier)
        keeper = TokenKeeper(
            hub: baseURL.absoluteString, orgId: orgId, deviceIdentifier: deviceIdentifier, service: keychainService,
            stateDirectory: stateDirectory, allowsHTTP: allowsHTTP)
    }

    /// Changes a bootstrap token for the board's own tokens.
    ///
    /// - Throws: `.permission` when the server does not take it, `.temporary`, `.badData`; those of keeping the tokens.
    @discardableResult
    public func bootstrap(
        bootstrapBearerToken: String, scopes: [String] = ["devices:write"], accessTTLSeconds: Int? = nil, deviceId: String? = nil
    ) async throws(Fault) -> DeviceTokenState {
        DeviceTokenState(
            try await keeper.bootstrap(
                bootstrapBearerToken: bootstrapBearerToken, scopes: scopes, accessTTLSeconds: accessTTLSeconds, deviceId: deviceId))
    }

    /// New tokens for the refresh token, which is used up with that. They are kept before anyone uses them.
    ///
    /// - Throws: `.configuration` when the board was never registered; those of a bootstrap.
    @discardableResult
    public func refresh() async throws(Fault) -> DeviceTokenState { DeviceTokenState(try await keeper.refresh()) }

    /// Gives the tokens back, and forgets them. Without tokens nothing is done.
    ///
    /// - Throws: those of the request; the tokens are then kept.
    public func revoke(reason: String = "sdk_revoke") async throws(Fault) { try await keeper.revoke(reason: reason) }

    /// A token that holds for at least so many seconds. When it cannot be refreshed, the old one does until its very end.
    ///
    /// - Throws: those of ``refresh()``.
    public func getAccessToken(refreshIfExpiringWithin seconds: TimeInterval = 30) async throws(Fault) -> String {
        try await keeper.getAccessToken(refreshIfExpiringWithin: seconds)
    }
}
