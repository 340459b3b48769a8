internal import Support
internal import Transport

extension FleetAPI {
    /// A file; whatever breaks off goes on where it was, until the time is up.
    func download(_ path: String, token: String, limit: Int, within seconds: Double) async throws(Fault) -> HTTPResponse {
        let url = try address(path), client = client
        return try await Worker.run { flag in
            let late = StopFlag()
            let clock = Task {
                try? await Task.sleep(for: .seconds(seconds))
                if !Task.isCancelled {
                    late.raise()
                    flag.raise()
                }
            }
            defer { clock.cancel() }
            return Result { () throws(Fault) in
                do throws(Fault) {
                    return try ResumedDownload().run(limit: limit) { headers throws(HTTPClient.Interruption) in
                        try client.send(HTTPRequest(url: url, headers: [("Authorization", "Bearer \(token)")] + headers, limit: limit), flag)
                    }
                } catch {
                    throw late.isRaised ? Fault(.temporary, "\(path) did not come within \(Int(seconds)) s") : error
                }
            }
        }
    }

    /// The body of a good answer.
    func body(_ response: HTTPResponse, _ path: String) throws(Fault) -> [UInt8] {
        if response.status == 200 { return response.body }
        throw fault(Answer(status: response.status, body: JSONValue(parsing: response.body) ?? .null, headers: response.headers), path)
    }
}
