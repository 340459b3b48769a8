internal import Support
internal import Transport

/// Calls of a hub's API: JSON both ways, below /api/v1.
struct FleetAPI: Sendable {
    let base: String
    private let origin: Result<Endpoint, Fault>
    let client = HTTPClient()
    let allowance: AnswerAllowance

    // Bytes: a heartbeat's answer has a few hundred.
    private static let largestAnswer = 16 << 10

    init(base: String, allowsHTTP: Bool, allowance: AnswerAllowance = AnswerAllowance()) {
        self.allowance = allowance
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        let text = self.base
        origin = Result { () throws(Fault) in try Endpoint(text, allowsHTTP: allowsHTTP) }
    }

    struct Answer: Sendable {
        var status: Int
        var body: JSONValue
        var headers: [String: String]
        /// Whether a body came that is no JSON.
        var isForeign = false
    }

    /// The body of a good answer.
    ///
    /// - Throws: `.permission` for 401 and 403, `.noInput` for 404, `.temporary` for a network or server that is down, `.failure` for the
    ///   rest.
    func call(_ method: String, _ path: String, _ body: JSONValue?, token: String?) async throws(Fault) -> JSONValue {
        try good(try await send(method, path, body, token: token), path)
    }

    /// Its body, when it is good.
    func good(_ answer: Answer, _ path: String) throws(Fault) -> JSONValue {
        if (200..<300).contains(answer.status) { return answer.body }
        throw fault(answer, path)
    }

    func address(_ path: String) throws(Fault) -> String {
        let endpoint = try origin.get()
        return "\(endpoint.origin)\(endpoint.path)/api/v1/\(path)"
    }

    /// Any answer.
    func send(_ method: String, _ path: String, _ body: JSONValue?, token: String?) async throws(Fault) -> Answer {
        let url = try address(path)
        var headers: [(name: String, value: String)] = [("Accept", "application/json")]
        if body != nil { headers.append(("Content-Type", "application/json")) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        let request = HTTPRequest(
            method: method, url: url, headers: headers, body: body.map { .bytes($0.bytes) } ?? .none, limit: Self.largestAnswer)
        do throws(HTTPClient.Interruption) {
            let response = try await client.send(request)
            allowance.spend(response.received)
            let body = JSONValue(parsing: response.body)
            return Answer(
                status: response.status, body: body ?? .null, headers: response.headers,
                isForeign: body == nil && !response.body.isEmpty)
        } catch {
            // What was broken off was on its way already.
            allowance.spend(error.response.received + (error.fault.code == .badData ? AnswerAllowance.onItsWay : 0))
            throw error.fault
        }
    }

    /// What a bad answer says; early servers say `detail`, later ones `code` and `message`, the last `error`.
    func fault(_ answer: Answer, _ path: String) -> Fault {
        let error = answer.body["error"] ?? answer.body
        // Servers of several generations at once say the same twice.
        let detail = answer.body["detail"]?.text ?? Self.details(answer.body["detail"]), message = error["message"]?.text
        let reasons = [error["code"]?.text, message, detail == message ? nil : detail].compactMap { $0 }
        let said =
            "\(base) says HTTP \(answer.status) to \(path)"
            + (reasons.isEmpty ? "" : ": \(Printable.short(reasons.joined(separator: ", ")))")
        return switch answer.status {
        case 403 where error["code"]?.text == "approval_pending":
            Fault(.temporary, said, remedy: "Once it is approved, register again with the same token.")
        case 401 where path.hasSuffix("bootstrap"), 403 where path.hasSuffix("bootstrap"):
            Fault(.permission, said, remedy: "A new one, where the hub runs: gaitway-hub tokens create --bootstrap")
        case 401, 403: Fault(.permission, said, remedy: "Is the token right and still valid? A new one: gaitway register")
        case 404: Fault(.noInput, said)
        case 409 where error["code"]?.text == "device_exists":
            Fault(.permission, said, remedy: "Another name: --name NAME. The same one for a new card: gaitway-hub devices reopen NAME")
        case 429, 500...599: Fault(.temporary, said, remedy: "It can be tried again later.")
        default: Fault(.failure, said)
        }
    }

    // FastAPI's list of what is wrong with a request.
    private static func details(_ value: JSONValue?) -> String? {
        guard case .array(let found)? = value else { return nil }
        return found.compactMap { $0["msg"]?.text }.joined(separator: "; ")
    }
}
