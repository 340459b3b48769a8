package import FoundationEssentials
internal import HubProtocol
internal import Support

/// A board's tokens, as a server gave them and as they are kept.
package struct DeviceTokens: Codable, Sendable, Equatable {
    package var accessToken: String
    package var refreshToken: String
    package var tokenType: String
    /// When the access token ends, by this board's clock.
    package var expiresAt: Date
    package var orgId: String
    package var deviceIdentifier: String
    package var scopes: [String]

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", refreshToken = "refresh_token", tokenType = "token_type", expiresAt = "expires_at", orgId =
            "org_id"
        case deviceIdentifier = "device_identifier", scopes
    }

    /// Servers give `expires_at`, `expires_in`, or both; the seconds count where they are, since a board's clock may be off.
    init?(answer: JSONValue, orgId: String, deviceIdentifier: String, before: DeviceTokens? = nil, now: Date) {
        guard let found = TokenAnswer(answer), let refresh = found.refresh ?? before?.refreshToken else { return nil }
        guard let end = found.lifetime.map({ now.addingTimeInterval($0) }) ?? found.expires.map(Date.init(timeIntervalSince1970:)) else {
            return nil
        }
        (accessToken, refreshToken, tokenType, expiresAt) = (found.access, refresh, found.type ?? "Bearer", end)
        (self.orgId, self.deviceIdentifier, scopes) = (
            found.org ?? orgId, found.identifier ?? deviceIdentifier, found.scopes ?? before?.scopes ?? []
        )
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try values.decode(String.self, forKey: .accessToken)
        refreshToken = try values.decode(String.self, forKey: .refreshToken)
        tokenType = try values.decodeIfPresent(String.self, forKey: .tokenType) ?? "Bearer"
        let end = try values.decode(String.self, forKey: .expiresAt)
        guard let seconds = ISOTime.seconds(end) else {
            throw DecodingError.dataCorruptedError(forKey: .expiresAt, in: values, debugDescription: end)
        }
        expiresAt = Date(timeIntervalSince1970: seconds)
        orgId = try values.decode(String.self, forKey: .orgId)
        deviceIdentifier = try values.decode(String.self, forKey: .deviceIdentifier)
        scopes = try values.decodeIfPresent([String].self, forKey: .scopes) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
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
