internal import FoundationEssentials
internal import Support
internal import Transport
internal import Upload

/// This board's identity in a Cognito identity pool: asked for once and kept, so that a board stays the same one.
final class CognitoIdentity: Sendable {
    private let pool: String
    private let logins: [String: String]
    private let endpoint: Endpoint
    private let service: AWSService
    /// Where the identity is kept, 0600.
    private let path: String

    init(pool: String, logins: [String: String], endpoint: Endpoint, service: AWSService, directory: String) {
        (self.pool, self.logins, self.endpoint, self.service) = (pool, logins, endpoint, service)
        path = "\(directory)/identity-" + String(pool.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" })
    }

    /// Credentials for this board's identity.
    ///
    /// - Throws: `.temporary`, `.configuration` for a pool that does not exist, `.permission`; those of writing the identity.
    func credentials(_ cancellation: Stop) throws(Fault) -> Credentials {
        if let kept = keptIdentity {
            do throws(RemoteFailure) {
                return try credentials(kept, cancellation)
            } catch {
                // Somebody deleted the identity; the pool may still give another.
                guard error.code == "ResourceNotFoundException" else { throw error.fault }
            }
        }
        do throws(RemoteFailure) {
            let identity = try newIdentity(cancellation)
            return try credentials(identity, cancellation)
        } catch {
            throw error.fault
        }
    }

    private var keptIdentity: String? {
        guard let bytes = try? Files.read(path, limit: 1024), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func newIdentity(_ cancellation: Stop) throws(RemoteFailure) -> String {
        struct Wish: Encodable { var IdentityPoolId: String, Logins: [String: String]? }
        struct Answer: Decodable { var IdentityId: String }
        let answer: Answer = try call("GetId", Wish(IdentityPoolId: pool, Logins: logins.isEmpty ? nil : logins), cancellation)
        do throws(Fault) {
            try Files.makeDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
            try Files.write(Array(answer.IdentityId.utf8), to: path, isPrivate: true)
        } catch {
            throw RemoteFailure(.blocked, Fault(error.code, "the board's identity cannot be kept: \(error.message)", remedy: error.remedy))
        }
        return answer.IdentityId
    }

    private func credentials(_ identity: String, _ cancellation: Stop) throws(RemoteFailure) -> Credentials {
        struct Wish: Encodable { var IdentityId: String, Logins: [String: String]? }
        struct Answer: Decodable {
            struct Found: Decodable { var AccessKeyId: String, SecretKey: String, SessionToken: String, Expiration: Double }
            var Credentials: Found
        }
        let answer: Answer = try call(
            "GetCredentialsForIdentity", Wish(IdentityId: identity, Logins: logins.isEmpty ? nil : logins), cancellation)
        let found = answer.Credentials
        guard found.Expiration.isFinite, found.Expiration.magnitude < 1e12 else {
            throw RemoteFailure(.refused, Fault(.badData, "the identity pool's credentials end at \(found.Expiration)"))
        }
        return Credentials(
            accessKey: found.AccessKeyId, secretKey: found.SecretKey, sessionToken: found.SessionToken, expiration: Int64(found.Expiration))
    }

    private func call<Answer: Decodable>(_ operation: String, _ wish: some Encodable, _ cancellation: Stop) throws(RemoteFailure) -> Answer
    {
        try JSONCall(service: service, endpoint: endpoint, type: "application/x-amz-json-1.1", target: "AWSCognitoIdentityService")
            .send(operation, wish, what: "the identity pool \(pool)", cancellation)
    }
}
