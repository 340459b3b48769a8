internal import CrowdLearning
package import Support
internal import Synchronization
internal import Transport

/// Firebase's Realtime Database, or a hub's crowd, by REST. Each call blocks its thread.
package final class CrowdDatabase: Sendable {
    /// https://NAME.firebaseio.com, or https://HUB/crowd.
    package let address: String
    private let credentials: any CrowdCredentials
    private let client: HTTPClient
    private let cancellation: Stop
    // Bytes of an answer that is no vector: parsed it takes many times as much.
    private static let answerLimit = 1 << 20

    /// - Parameters:
    ///   - allowsHTTP: whether tokens may be read on their way to another machine.
    ///   - cancellation: ends what is under way.
    /// - Throws: `.configuration` for what is no address, and for plain HTTP where that is not allowed.
    package init(
        _ address: String, _ credentials: any CrowdCredentials, allowsHTTP: Bool = false, cancellation: Stop = Stop(), patience: Int = 20
    ) throws(Fault) {
        let endpoint = try Endpoint(address, allowsHTTP: allowsHTTP)
        self.address = endpoint.origin + endpoint.path
        (self.credentials, self.cancellation, client) = (credentials, cancellation, HTTPClient(patience: patience))
    }

    /// The signed-in user's ID.
    package func user() throws(Fault) -> String { try credentials.session(renewing: false).uid }

    /// - Parameter numbers: of a vector that is to come; 0 for anything that is none.
    /// - Throws: `.temporary` for a network or server that is down, `.permission` where the rules say no, `.badData` for what is no JSON or
    ///   longer than anything that belongs there.
    package func get(_ path: String, numbers: Int = 0) throws(Fault) -> JSONValue {
        // As an object, with its place before each number.
        try value(try send("GET", path, [], nil, limit: Self.answerLimit + 48 * numbers), path)
    }

    /// The same with its tag, for ``put(_:_:onlyIf:)``.
    package func tagged(_ path: String) throws(Fault) -> (JSONValue, tag: String) {
        let answer = try send("GET", path, [("X-Firebase-ETag", "true")], nil)
        return (try value(answer, path), answer.headers["etag"] ?? "")
    }

    /// Writes the members of a JSON object together.
    package func patch(_ path: String, _ json: [UInt8]) throws(Fault) { _ = try send("PATCH", path, [], json) }

    /// Writes where what is there still has that tag; whether it had.
    package func put(_ path: String, _ json: [UInt8], onlyIf tag: String) throws(Fault) -> Bool {
        try send("PUT", path, [("if-match", tag)], json, passing: 412).status != 412
    }

    /// Tells of each change below a path until the connection is cut; what is there at first is told, too.
    package func listen(_ path: String, _ cancellation: Stop, changed: @escaping @Sendable () -> Void) throws(Fault) {
        let line: Mutex<[UInt8]> = Mutex([])
        _ = try send("GET", path, [("Accept", "text/event-stream")], nil, cancellation) { bytes in
            line.withLock { line in
                for byte in bytes {
                    // Of an event only its name counts; data may be long.
                    if byte != UInt8(ascii: "\n") {
                        if line.count < 64 { line.append(byte) }
                        continue
                    }
                    if ["event: put", "event: patch"].contains(String(decoding: line, as: UTF8.self)) { changed() }
                    line.removeAll(keepingCapacity: true)
                }
            }
        }
    }

    private func value(_ answer: HTTPResponse, _ path: String) throws(Fault) -> JSONValue {
        guard let value = JSONValue(parsing: answer.body) else { throw Fault(.badData, "\(address)/\(path) answers what is no JSON") }
        return value
    }

    private func send(
        _ method: String, _ path: String, _ headers: [(name: String, value: String)], _ body: [UInt8]?, _ other: Stop? = nil,
        passing: Int? = nil, limit: Int = answerLimit,
        receive: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(Fault) -> HTTPResponse {
        var isSecond = false
        while true {
            let token = PercentEncoding.query(try credentials.session(renewing: isSecond).token)
            var headers = headers
            if body != nil { headers.append(("Content-Type", "application/json")) }
            let silent = method == "PATCH" ? "&print=silent" : ""
            let request = HTTPRequest(
                method: method, url: "\(address)/\(PercentEncoding.path(path)).json?auth=\(token)\(silent)", headers: headers,
                body: body.map { .bytes($0) } ?? .none, limit: limit)
            let answer: HTTPResponse
            do throws(HTTPClient.Interruption) { answer = try client.sendAndWait(request, other ?? cancellation, receive: receive) } catch {
                throw error.fault
            }
            if (200..<300).contains(answer.status) || answer.status == passing { return answer }
            // A token may end before its time.
            if answer.status == 401, !isSecond {
                isSecond = true
                continue
            }
            throw fault(answer, path)
        }
    }

    private func fault(_ answer: HTTPResponse, _ path: String) -> Fault {
        let said = (JSONValue(parsing: answer.body)?["error"]?.text).map { Printable.short($0) } ?? "status \(answer.status)",
            place = "\(address)/\(path)"
        return switch answer.status {
        case 401, 403: Fault(.permission, "\(place) is refused: \(said)", remedy: "Does the account belong to this crowd?")
        case 400, 413: Fault(.badData, "\(place) does not take that: \(said)")
        case 404: Fault(.noInput, "\(place) is no database: \(said)", remedy: "The address of a hub's ends with /crowd.")
        default: Fault(.temporary, "\(place) fails: \(said)")
        }
    }
}
