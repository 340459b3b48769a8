package import Support

/// A board's tokens, as a hub answers to `/device-auth`.
package struct TokenAnswer: Sendable, Equatable {
    package var access: String
    package var refresh: String?
    package var type: String?
    /// Seconds that the access token holds; nil where the hub tells only when it ends.
    package var lifetime: Double?
    /// When it ends: seconds since 1970 by the hub's clock.
    package var expires: Double?
    package var org: String?
    package var identifier: String?
    package var scopes: [String]?

    package init(access: String, refresh: String, lifetime: Int, expires: Double, org: String, identifier: String, scopes: [String]) {
        (self.access, self.refresh, type, self.lifetime, self.expires) = (access, refresh, "Bearer", Double(lifetime), expires)
        (self.org, self.identifier, self.scopes) = (org, identifier, scopes)
    }

    /// nil without an access token.
    package init?(_ answer: JSONValue) {
        guard let access = answer["access_token"]?.text, !access.isEmpty else { return nil }
        (self.access, refresh, type) = (access, answer["refresh_token"]?.text, answer["token_type"]?.text)
        lifetime = answer["expires_in"]?.number.flatMap { $0.isFinite && $0 > 0 && $0 < 1e9 ? $0 : nil }
        expires = answer["expires_at"]?.text.flatMap(ISOTime.seconds)
        (org, identifier) = (answer["org_id"]?.text, answer["device_identifier"]?.text)
        if case .array(let found)? = answer["scopes"] { scopes = found.compactMap(\.text) }
    }

    package var json: JSONValue {
        .members([
            ("access_token", .string(access)), ("refresh_token", JSONValue(refresh)), ("token_type", JSONValue(type)),
            ("expires_at", expires.map { .string(ISOTime.text($0)) }),
            ("expires_in", lifetime.flatMap { Int(exactly: $0) }.map { .integer($0) }), ("org_id", JSONValue(org)),
            ("device_identifier", JSONValue(identifier)),
            ("scopes", scopes.map { .array($0.map { .string($0) }) }),
        ])
    }
}
