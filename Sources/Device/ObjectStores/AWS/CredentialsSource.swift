internal import Support
internal import Synchronization

/// Where credentials come from.
public enum CredentialsSource: Sendable {
    case fixed(Credentials)
    /// AWS_ACCESS_KEY_ID and its like.
    case environment
    /// A file as AWS's tools write it, which only its owner may read. It is read again when a server says that its credentials ended.
    case file(String)
    /// An identity of a Cognito identity pool: one for this board, kept. `logins` are a developer's or provider's tokens.
    case cognito(pool: String, logins: [String: String] = [:])
}

/// Credentials that are asked for when they are needed, and anew before they end.
final class CredentialsKeeper: Sendable {
    private let source: CredentialsSource
    private let identity: CognitoIdentity?
    // Held over a request: nobody asks twice at the same time.
    private let held: Mutex<Credentials?> = Mutex(nil)

    init(_ source: CredentialsSource, identity: CognitoIdentity?) {
        self.source = source
        self.identity = identity
    }

    /// - Parameter now: seconds since 1970 by the server's clock.
    func credentials(now: Int64, _ cancellation: Stop) throws(Fault) -> Credentials {
        try held.withLock { held throws(Fault) in
            // A fifth of their life before the end, at most five minutes.
            if let credentials = held, credentials.expiration.map({ now < $0 }) ?? true { return credentials }
            var fresh = try fetch(cancellation)
            if let end = fresh.expiration { fresh.expiration = end - min(300, max(0, end - now) / 5) }
            held = fresh
            return fresh
        }
    }

    /// Forgets what a server calls ended or unknown. Returns whether asking again can help.
    func forget(_ credentials: Credentials) -> Bool {
        switch source {
        case .fixed, .environment: return false
        case .file, .cognito:
            held.withLock { if $0 == credentials { $0 = nil } }
            return true
        }
    }

    private func fetch(_ cancellation: Stop) throws(Fault) -> Credentials {
        switch source {
        case .fixed(let credentials): return credentials
        case .environment:
            guard let found = Credentials.environment else {
                throw Fault(
                    .configuration, "there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
                    remedy: "Set them, name a credentials file (upload.credentials), or an identity pool (upload.identity_pool).")
            }
            return found
        case .file(let path): return try Credentials(file: path)
        case .cognito:
            guard let identity else { throw Fault(.configuration, "no identity pool is set") }
            return try identity.credentials(cancellation)
        }
    }
}
