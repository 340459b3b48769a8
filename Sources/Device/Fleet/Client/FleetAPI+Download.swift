internal import Support
internal import Transport

extension FleetAPI {
    /// A file; whatever breaks off goes on where it was, until the time is up.
    func download(_ path: String, token: String, limit: Int, within seconds: Double) async throws(Fault) -> HTTPResponse {
        let url = try address(path), client = client
        return try await Deadline.run(within: seconds, path) { () async throws(Fault) in
            try await ResumedDownload.run(limit: limit) { headers async throws(HTTPClient.Interruption) in
                try await client.send(HTTPRequest(url: url, headers: [("Authorization", "Bearer \(token)")] + headers, limit: limit))
            }
        }
    }

    /// The body of a good answer.
    func body(_ response: HTTPResponse, _ path: String) throws(Fault) -> [UInt8] {
        if response.status == 200 { return response.body }
        throw fault(Answer(status: response.status, body: JSONValue(parsing: response.body) ?? .null, headers: response.headers), path)
    }
}
