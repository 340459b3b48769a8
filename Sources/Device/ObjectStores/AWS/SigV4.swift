internal import Cryptography
internal import Support
internal import Transport

/// AWS Signature Version 4 by headers. Source: AWS's "Signature Version 4 signing process".
struct SigV4 {
    let credentials: Credentials
    let region: String
    /// "s3", "dynamodb", ...
    let service: String

    /// What is signed: `host` and `path` just as they go over the wire, but the path without percents.
    struct Request {
        var method: String
        var host: String
        var path: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        /// SHA-256 of the body in hexadecimal, or "UNSIGNED-PAYLOAD".
        var payloadHash: String

        /// Path and query in percents, as they are sent and signed.
        var target: String { PercentEncoding.path(path) + (query.isEmpty ? "" : "?" + sortedQuery) }

        var sortedQuery: String {
            query.map { (PercentEncoding.query($0.name), PercentEncoding.query($0.value)) }
                .sorted {
                    Array($0.0.utf8) == Array($1.0.utf8)
                        ? $0.1.utf8.lexicographicallyPrecedes($1.1.utf8) : $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
                }
                .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }
    }

    /// All headers to send but `Host`: those of the request and the signature's.
    ///
    /// - Parameter time: seconds since 1970 by the server's clock.
    func headers(_ request: Request, time: Int64) -> [(name: String, value: String)] {
        let stamp = Timestamp(time), scope = "\(stamp.day)/\(region)/\(service)/aws4_request"
        var headers = request.headers + [("x-amz-date", stamp.text)]
        if service == "s3" { headers.append(("x-amz-content-sha256", request.payloadHash)) }
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        let signed = (headers + [("host", request.host)]).map { (name: $0.name.lowercased(), value: Self.collapsed($0.value)) }.sorted {
            $0.name < $1.name
        }
        let names = signed.map(\.name).joined(separator: ";")
        // S3 takes its path in percents as it is; the other services put those percents in percents again.
        let path = PercentEncoding.path(request.path)
        let canonical = [
            request.method, service == "s3" ? path : PercentEncoding.path(path), request.sortedQuery,
            signed.map { "\($0.name):\($0.value)\n" }.joined(), names, request.payloadHash,
        ].joined(separator: "\n")
        let text = ["AWS4-HMAC-SHA256", stamp.text, scope, Digest.text(Array(canonical.utf8))].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [stamp.day, region, service, "aws4_request"] { key = MessageCode.of(part.utf8, key: key) }
        let signature = Hexadecimal.text(MessageCode.of(text.utf8, key: key))
        return headers + [
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
            )
        ]
    }

    private static func collapsed(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }
}

/// "20261121T160000Z"
private struct Timestamp {
    let day: String
    let text: String

    init(_ seconds: Int64) {
        let time = CalendarTime(utc: seconds)
        day = String(time.digits.prefix(8))
        text = day + "T" + time.digits.dropFirst(8) + "Z"
    }
}
