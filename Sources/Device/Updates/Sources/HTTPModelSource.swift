public import Support
internal import Transport

/// Models below an HTTP or HTTPS address: BASE/NAME.
public struct HTTPModelSource: ModelSource {
    /// The address that names are added to.
    public let base: String
    private let client: HTTPClient

    /// - Parameter patience: seconds to wait for a connection, and for an answer that has stalled.
    /// - Throws: `.usage` when the address is neither http:// nor https://.
    public init(_ base: String, patience: Int = 20) throws(Fault) {
        guard base.hasPrefix("http://") || base.hasPrefix("https://"), base.utf8.allSatisfy({ (33..<127).contains($0) }) else {
            throw Fault(.usage, "\"\(base)\" is no address", remedy: "Write it as https://host/path.")
        }
        self.base = base.last == "/" ? String(base.dropLast()) : base
        client = HTTPClient(patience: patience)
    }

    /// A transfer that is broken off goes on where it was, where the server can.
    ///
    /// - Throws: `.noInput` when the server has no such model, `.badData` when it is larger than `limit`, `.temporary` when the server
    ///   cannot be reached or breaks off, `.failure` when it answers with an error; a cancelled task ends the download.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        let address = base + "/" + PercentEncoding.path(name), client = client
        let response = try await ResumedDownload.run(limit: limit) { headers async throws(HTTPClient.Interruption) in
            try await client.send(HTTPRequest(url: address, headers: headers, follows: true, limit: limit))
        }
        return try Self.body(response, address)
    }

    private static func body(_ response: HTTPResponse, _ address: String) throws(Fault) -> [UInt8] {
        switch response.status {
        case 200: return response.body
        case 403, 404, 410:
            throw Fault(
                .noInput, "\(address) is not there (HTTP \(response.status))", remedy: "Is the name right, and may this board read it?")
        default:
            throw Fault(
                response.status >= 500 ? .temporary : .failure, "\(address) cannot be fetched: the server says HTTP \(response.status)")
        }
    }
}
