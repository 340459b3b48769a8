internal import Glibc
public import Support

/// What signs requests.
public struct Credentials: Sendable, Equatable, CustomStringConvertible {
    /// The access key ID.
    public var accessKey: String
    /// The secret access key; never logged.
    public var secretKey: String
    /// Of temporary credentials.
    public var sessionToken: String?
    /// Seconds since 1970 at which they end; nil for never.
    public var expiration: Int64?

    /// Temporary ones have a session token and seconds since 1970 at which they expire.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Int64? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken, self.expiration) = (accessKey, secretKey, sessionToken, expiration)
    }

    /// Never shows a secret.
    public var description: String { "credentials \(accessKey)" }

    /// Those of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; nil where there are none.
    public static var environment: Credentials? {
        func variable(_ name: String) -> String? {
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let access = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") else { return nil }
        return Credentials(accessKey: access, secretKey: secret, sessionToken: variable("AWS_SESSION_TOKEN"))
    }

    /// A profile of a credentials file as AWS's tools write it.
    ///
    /// - Throws: `.permission` when others than its owner may read it, `.badData` when it has no such profile; those of
    ///   ``Files/read(_:limit:)``.
    public init(file path: String, profile: String = "default") throws(Fault) {
        guard try Files.isPrivate(path) else {
            throw Fault(
                .permission, "\(path) can be read by others than its owner, so its secrets are not used", remedy: "chmod 600 \(path)")
        }
        var section = "", values: [String: String] = [:]
        for line in String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.filter { !$0.isWhitespace }
            if text.hasPrefix("[") { section = String(text.dropFirst().prefix { $0 != "]" }) }
            guard section == profile, !text.hasPrefix("#"), let equals = text.firstIndex(of: "=") else { continue }
            values[text[..<equals].lowercased()] = String(text[text.index(after: equals)...])
        }
        guard let access = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            throw Fault(.badData, "\(path) has no profile [\(profile)] with aws_access_key_id and aws_secret_access_key")
        }
        self.init(accessKey: access, secretKey: secret, sessionToken: values["aws_session_token"])
    }
}
