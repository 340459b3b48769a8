internal import FoundationEssentials
internal import Support
internal import Transport
internal import Upload

/// What a server says when it does not do as asked.
struct AWSError {
    var status: Int
    /// "NoSuchKey", "ResourceNotFoundException"...
    var code: String
    var message: String
    var retryAfter: Double?
    private var region: String?

    init(_ response: HTTPResponse) {
        status = response.status
        retryAfter = response.headers["retry-after"].flatMap { Double($0) ?? ServerClock.secondsUntil($0, by: response) }.flatMap {
            $0.isFinite ? max(0, $0) : nil
        }
        region = response.headers["x-amz-bucket-region"]
        if response.body.first == UInt8(ascii: "{"), let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)) {
            code = body.type.split(separator: "#").last.map(String.init) ?? ""
            message = body.message ?? ""
        } else {
            code = XMLText.first("Code", in: response.body) ?? ""
            message = XMLText.first("Message", in: response.body) ?? ""
        }
        message = String(message.prefix { !$0.isNewline }.prefix(300))
    }

    private struct Body: Decodable {
        var type: String, message: String?
        enum Key: String, CodingKey { case type = "__type", message, Message }

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Key.self)
            type = try body.decode(String.self, forKey: .type)
            message = try body.decodeIfPresent(String.self, forKey: .message) ?? body.decodeIfPresent(String.self, forKey: .Message)
        }
    }

    /// Whether other credentials of the same source may be taken.
    var isAboutCredentials: Bool {
        [
            "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId",
            "UnrecognizedClientException", "InvalidClientTokenId",
        ].contains(code)
    }

    func failure(_ what: String) -> RemoteFailure {
        var failure = explained(what)
        failure.code = code
        return failure
    }

    private func explained(_ what: String) -> RemoteFailure {
        let said = "the server says HTTP \(status)" + (code.isEmpty ? "" : ", \(code)") + (message.isEmpty ? "" : ": \(message)")
        func blocked(_ code: Fault.Code, _ remedy: String) -> RemoteFailure {
            RemoteFailure(.blocked, Fault(code, "\(what): \(said)", remedy: remedy))
        }
        switch code {
        case "SlowDown", "Throttling", "ThrottlingException", "TooManyRequestsException", "ProvisionedThroughputExceededException",
            "RequestLimitExceeded",
            "RequestTimeout", "InternalError", "InternalServerError", "ServiceUnavailable", "OperationAborted",
            "ConditionalRequestConflict":
            return temporary(what, said)
        case "NoSuchBucket": return blocked(.configuration, "Make the bucket, or set another (upload.bucket).")
        case "ResourceNotFoundException": return blocked(.configuration, "Is the name of the table or identity pool right?")
        case "RequestTimeTooSkewed": return blocked(.permission, "Set the clock of this machine.")
        case "PermanentRedirect", "AuthorizationHeaderMalformed":
            return blocked(
                .configuration,
                region.map { "The bucket is in the region \($0): set it (upload.region)." } ?? "Is the region right (upload.region)?")
        case _ where isAboutCredentials || code == "SignatureDoesNotMatch" || code == "InvalidSignatureException":
            return blocked(.permission, "Are the credentials those of this bucket or table, and still valid?")
        default: break
        }
        switch status {
        case 429, 500...599: return temporary(what, said)
        case 300..<400:
            return blocked(
                .configuration, "A redirect is not followed, since the credentials would go along. Set the right endpoint or region.")
        case 401, 403: return blocked(.permission, "May these credentials do that?")
        case 404: return RemoteFailure(.refused, Fault(.noInput, "\(what): \(said)"))
        default: return RemoteFailure(.refused, Fault(.failure, "\(what): \(said)"))
        }
    }

    private func temporary(_ what: String, _ said: String) -> RemoteFailure {
        RemoteFailure(.temporary(retryAfter: retryAfter), Fault(.temporary, "\(what): \(said)", remedy: "It can be tried again later."))
    }
}
