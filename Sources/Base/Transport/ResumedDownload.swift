package import Support

/// A download that goes on where it was broken off, as long as the server still has the same bytes.
package struct ResumedDownload {
    // How often it may be broken off without a single byte coming, before that is an error.
    private let attempts = 3

    package init() {}

    /// - Parameter perform: sends the request with these headers more.
    /// - Throws: the fault of the last attempt; an answer of any status is no error.
    package func run(
        limit: Int, _ perform: (_ headers: [(name: String, value: String)]) throws(HTTPClient.Interruption) -> HTTPResponse
    ) throws(Fault) -> HTTPResponse {
        var whole: [UInt8] = [], tag: String?, failures = 0, received = 0
        while true {
            let range: [(name: String, value: String)] = whole.isEmpty ? [] : [("Range", "bytes=\(whole.count)-"), ("If-Range", tag ?? "")]
            do {
                var response = try perform(range)
                // 206 goes on; 200 begins anew, since the file is another by now.
                if response.status == 206 && !whole.isEmpty {
                    guard response.headers["content-range"]?.hasPrefix("bytes \(whole.count)-") == true,
                        whole.count + response.body.count <= limit
                    else {
                        throw Fault(.badData, "the server answered with another part than it was asked for")
                    }
                    response.body = whole + response.body
                    response.status = 200
                }
                return response
            } catch let interruption as HTTPClient.Interruption {
                let response = interruption.response, before = whole.count
                received += response.body.count
                if response.status == 200 { whole = response.body }
                if response.status == 206 && response.headers["content-range"]?.hasPrefix("bytes \(whole.count)-") == true {
                    whole += response.body
                }
                tag = response.headers["etag"] ?? tag
                // A weak tag does not promise the same bytes.
                if tag == nil || tag?.hasPrefix("W/") == true { whole = [] }
                failures = whole.count > before ? 1 : failures + 1
                guard interruption.fault.code == .temporary, response.status == 0 || response.status == 200 || response.status == 206,
                    failures < attempts, whole.count <= limit, received <= 2 * limit
                else {
                    throw interruption.fault
                }
            } catch let fault as Fault {
                throw fault
            } catch {
                throw Fault(.failure, "\(error)")
            }
        }
    }
}
