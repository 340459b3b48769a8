public import FoundationEssentials
internal import Support

/// A board's tokens, as a server gave them and as they are kept.
public struct DeviceTokenState: Codable, Sendable, Equatable {
    public var accessToken: String
    public var refreshToken: String
    public var tokenType: String
    /// When the access token ends, by this board's clock.
    public var expiresAt: Date
    public var orgId: String
    public var deviceIdentifier: String
    public var scopes: [String]

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", refreshToken = "refresh_token", tokenType = "token_type", expiresAt = "expires_at", orgId = "org_id"
        case deviceIdentifier = "device_identifier", scopes
    }

    /// Servers give `expires_at`, `expires_in`, or both; the seconds count where they are, since a board's clock may be off.
    init?(answer: JSONValue, orgId: String, deviceIdentifier: String, before: DeviceTokenState? = nil, now: Date) {
        guard let access = answer["access_token"]?.text, !access.isEmpty else { return nil }
        let seconds = answer["expires_in"]?.number.flatMap { $0.isFinite && $0 > 0 && $0 < 1e9 ? $0 : nil }
        guard let end = seconds.map({ now.addingTimeInterval($0) }) ?? answer["expires_at"]?.text.flatMap(ISOTime.seconds).map(Date.init(timeIntervalSince1970:)) else { return nil }
        guard let refresh = answer["refresh_token"]?.text ?? before?.refreshToken else { return nil }
        accessToken = access
        refreshToken = refresh
        tokenType = answer["token_type"]?.text ?? "Bearer"
        expiresAt = end
        self.orgId = answer["org_id"]?.text ?? orgId
        self.deviceIdentifier = answer["device_identifier"]?.text ?? deviceIdentifier
        if case .array(let found)? = answer["scopes"] { scopes = found.compactMap(\.text) } else { scopes = before?.scopes ?? [] }
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try values.decode(String.self, forKey: .accessToken)
        refreshToken = try values.decode(String.self, forKey: .refreshToken)
        tokenType = try values.decodeIfPresent(String.self, forKey: .tokenType) ?? "Bearer"
        let end = try values.decode(String.self, forKey: .expiresAt)
        guard let seconds = ISOTime.seconds(end) else { throw DecodingError.dataCorruptedError(forKey: .expiresAt, in: values, debugDescription: end) }
        expiresAt = Date(timeIntervalSince1970: seconds)
        orgId = try values.decode(String.self, forKey: .orgId)
        deviceIdentifier = try values.decode(String.self, forKey: .deviceIdentifier)
        scopes = try values.decodeIfPresent([String].self, forKey: .scopes) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encode(refreshToken, forKey: .refreshToken)
        try values.encode(tokenType, forKey: .tokenType)
        try values.encode(ISOTime.text(expiresAt.timeIntervalSince1970, milliseconds: true), forKey: .expiresAt)
        try values.encode(orgId, forKey: .orgId)
        try values.encode(deviceIdentifier, forKey: .deviceIdentifier)
        try values.encode(scopes, forKey: .scopes)
    }
}
