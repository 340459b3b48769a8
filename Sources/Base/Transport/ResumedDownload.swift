package import Support

/// A download that goes on where it was broken off, as long as the server still has the same bytes.
package struct ResumedDownload {
    // How often it may be broken off without a single byte coming, before that is an error.
    private static let attempts = 3

    private let limit: Int
    private var whole: [UInt8] = []
    private var tag: String?
    private var failures = 0, received = 0

    private init(limit: Int) { self.limit = limit }

    /// - Parameter perform: sends the request with these headers more.
    /// - Throws: the fault of the last attempt; an answer of any status is no error.
    package static func run(
        limit: Int, _ perform: (_ headers: [(name: String, value: String)]) async throws(HTTPClient.Interruption) -> HTTPResponse
    ) async throws(Fault) -> HTTPResponse {
        var download = ResumedDownload(limit: limit)
        while true {
            let answer: Result<HTTPResponse, HTTPClient.Interruption>
            do throws(HTTPClient.Interruption) { answer = .success(try await perform(download.headers)) } catch { answer = .failure(error) }
            if let response = try download.take(answer) { return response }
        }
    }

    /// The same on a thread that may wait.
    package static func runAndWait(
        limit: Int, _ perform: (_ headers: [(name: String, value: String)]) -> Result<HTTPResponse, HTTPClient.Interruption>
    ) throws(Fault) -> HTTPResponse {
        var download = ResumedDownload(limit: limit)
        while true {
            if let response = try download.take(perform(download.headers)) { return response }
        }
    }

    private var headers: [(name: String, value: String)] {
        whole.isEmpty ? [] : [("Range", "bytes=\(whole.count)-"), ("If-Range", tag ?? "")]
    }

    // The whole answer; nil where it goes on with another request.
    private mutating func take(_ answer: Result<HTTPResponse, HTTPClient.Interruption>) throws(Fault) -> HTTPResponse? {
        switch answer {
        case .success(let response): return try join(response)
        case .failure(let interruption):
            try keep(interruption)
            return nil
        }
    }

    private func goesOn(_ response: HTTPResponse) -> Bool {
        response.status == 206 && response.headers["content-range"]?.hasPrefix("bytes \(whole.count)-") == true
    }

    // 206 goes on; 200 begins anew, since the file is another by now.
    private func join(_ response: HTTPResponse) throws(Fault) -> HTTPResponse {
        guard response.status == 206, !whole.isEmpty else { return response }
        guard goesOn(response), whole.count + response.body.count <= limit else {
            throw Fault(.badData, "the server answered with another part than it was asked for")
        }
        var response = response
        response.body = whole + response.body
        response.status = 200
        return response
    }

    private mutating func keep(_ interruption: HTTPClient.Interruption) throws(Fault) {
        let response = interruption.response, before = whole.count
        received += response.body.count
        if response.status == 200 { whole = response.body }
        if goesOn(response) { whole += response.body }
        tag = response.headers["etag"] ?? tag
        // A weak tag does not promise the same bytes.
        if tag == nil || tag?.hasPrefix("W/") == true { whole = [] }
        failures = whole.count > before ? 1 : failures + 1
        guard interruption.fault.code == .temporary, [0, 200, 206].contains(response.status), failures < Self.attempts,
            whole.count <= limit, received / 2 <= limit
        else {
            throw interruption.fault
        }
    }
}
