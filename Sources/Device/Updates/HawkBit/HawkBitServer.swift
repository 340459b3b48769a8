internal import Support
internal import Transport

/// A hawkBit server as one board sees it: the device's part of its Direct Device Integration API, version 1.
struct HawkBitServer: Sendable {
    /// "https://host/TENANT/controller/v1/BOARD"
    let base: String
    private let origin: String
    private let authorisation: String?
    private let client = HTTPClient()

    private static let largestDocument = 1 << 20

    /// - Parameter token: of this board, "GatewayToken TOKEN" for one of many boards; nil for a server that
    ///   asks for none.
    /// - Throws: `.configuration` for what is no such address.
    init(_ address: String, token: String?) throws(Fault) {
        let endpoint = try Endpoint(address)
        let parts = endpoint.path.split(separator: "/")
        guard parts.count >= 3, parts[parts.count - 3] == "controller", parts[parts.count - 2] == "v1" else {
            throw Fault(
                .configuration, "\"\(address)\" is not where a board finds hawkBit",
                remedy: "Write it as hawkbit:https://HOST/TENANT/controller/v1/BOARD.")
        }
        origin = endpoint.origin
        base = endpoint.origin + endpoint.path
        authorisation = token.map { $0.hasPrefix("GatewayToken ") || $0.hasPrefix("TargetToken ") ? $0 : "TargetToken \($0)" }
    }

    /// A document.
    ///
    /// - Returns: nil where there is none.
    func document(_ address: String) async throws(Fault) -> JSONValue? {
        let response = try await send(HTTPRequest(url: try own(address), headers: headers, limit: Self.largestDocument))
        if [404, 410].contains(response.status) { return nil }
        try check(response, address)
        guard let document = JSONValue(parsing: response.body), case .object = document else {
            throw Fault(.temporary, "\(origin) answers with something that is not hawkBit's", remedy: "Is another server's page between?")
        }
        return document
    }

    /// Sends what the board has to say.
    ///
    /// - Returns: false where the server does not want it any more.
    @discardableResult
    func say(_ method: String, _ address: String, _ body: JSONValue) async throws(Fault) -> Bool {
        let headers = headers + [("Content-Type", "application/json")]
        let response = try await send(HTTPRequest(method: method, url: try own(address), headers: headers, body: .bytes(body.bytes)))
        if [404, 409, 410].contains(response.status) { return false }
        try check(response, address)
        return true
    }

    /// A file, here or where the server sends the board on to. The token stays with the server.
    ///
    /// - Throws: `.badData` when it is larger than `limit`, `.temporary`, `.permission`, `.noInput`.
    func file(_ address: String, limit: Int) async throws(Fault) -> [UInt8] {
        var place = address
        if isOwn(address) {
            let answer = try await download(address, headers, follows: false, limit)
            guard (301...308).contains(answer.status) else {
                try check(answer, address)
                return answer.body
            }
            place = answer.headers["location"] ?? ""
            if place.hasPrefix("/") && !place.hasPrefix("//") { place = origin + place }
        }
        guard place.hasPrefix("https://") || isOwn(place) else {
            throw Fault(.failure, "\(origin) sends this board to \(Printable.short(place)) for a file", remedy: "Offer files over https.")
        }
        let answer = try await download(place, [], follows: true, limit)
        try check(answer, place)
        return answer.body
    }

    private func download(
        _ url: String, _ headers: [(name: String, value: String)], follows: Bool, _ limit: Int
    ) async throws(Fault) -> HTTPResponse {
        let client = client
        return try await ResumedDownload.run(limit: limit) { more async throws(HTTPClient.Interruption) in
            try await client.send(HTTPRequest(url: url, headers: headers + more, follows: follows, limit: limit))
        }
    }

    private var headers: [(name: String, value: String)] {
        [("Accept", "application/json, */*")] + (authorisation.map { [("Authorization", $0)] } ?? [])
    }

    private func isOwn(_ address: String) -> Bool { address.hasPrefix(origin + "/") }

    // What it names is asked for with the token.
    private func own(_ address: String) throws(Fault) -> String {
        guard isOwn(address), address.utf8.count <= 4096, address.utf8.allSatisfy({ (33..<127).contains($0) }) else {
            throw Fault(
                .failure, "\(origin) sends this board to \(Printable.short(address))",
                remedy: "The address that the server gives of itself has to be that of updates.source.")
        }
        return address
    }

    private func send(_ request: HTTPRequest) async throws(Fault) -> HTTPResponse {
        do throws(HTTPClient.Interruption) { return try await client.send(request) } catch { throw error.fault }
    }

    private func check(_ response: HTTPResponse, _ address: String) throws(Fault) {
        let said = "\(Printable.short(address)) cannot be had: the server says HTTP \(response.status)"
        switch response.status {
        case 200...299: return
        case 401, 403: throw Fault(.permission, said, remedy: "Is the token of updates.token_file this board's?")
        case 404, 410: throw Fault(.noInput, said)
        case 429, 500...: throw Fault(.temporary, said)
        default: throw Fault(.failure, said)
        }
    }
}
