internal import Support
internal import Transport

/// A hawkBit server as one board sees it: the device's part of its Direct Device Integration API, version 1.
struct HawkBitServer: Sendable {
    /// "https://host/TENANT/controller/v1/BOARD"
    let base: String
    private let origin: String
    private let authorisation: String?
    private let client = HTTPClient()

    private static let largestDocument = 1 << 20, longestAddress = 4096, mostRedirects = 5

    /// - Parameter token: of this board, "GatewayToken TOKEN" for one of many boards; nil for a server that asks for none.
    /// - Throws: `.configuration` for what is no such address.
    init(_ address: String, token: String?) throws(Fault) {
        let endpoint: Endpoint
        do throws(Fault) { endpoint = try Endpoint(address) } catch {
            throw Fault(
                .configuration, error.message,
                remedy: "Write it as hawkbit:https://HOST/TENANT/controller/v1/BOARD; http only for a server on this machine.")
        }
        let parts = endpoint.path.split(separator: "/")
        guard parts.count >= 4, parts[parts.count - 3] == "controller", parts[parts.count - 2] == "v1" else {
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
        let response = try await answer(HTTPRequest(url: try own(address), headers: headers, limit: Self.largestDocument))
        if [404, 410].contains(response.status) { return nil }
        try check(response, address)
        guard let document = JSONValue(parsing: response.body), case .object = document else {
            throw Fault(.temporary, "\(origin) answers with something that is not hawkBit's", remedy: "Is another server's page between?")
        }
        return document
    }

    /// Sends a document; what the server has ended by itself is no error.
    func send(_ method: String, _ address: String, _ body: JSONValue) async throws(Fault) {
        let headers = headers + [("Content-Type", "application/json")]
        let response = try await answer(HTTPRequest(method: method, url: try own(address), headers: headers, body: .bytes(body.bytes)))
        if [409, 410].contains(response.status) { return }
        try check(response, address)
    }

    /// A file, at this server or where it redirects to. The token stays with the server.
    ///
    /// - Throws: `.badData` when it is larger than `limit`, `.temporary`, `.permission`, `.noInput`.
    func file(_ address: String, limit: Int) async throws(Fault) -> [UInt8] {
        var place = address
        for _ in 0...Self.mostRedirects {
            guard isOwn(place) else { return try await foreignFile(place, limit) }
            let response = try await download(try own(place), headers, follows: false, limit)
            guard [301, 302, 303, 307, 308].contains(response.status) else { return try body(response, place) }
            place = try target(response, of: place)
        }
        throw Fault(.failure, "\(shown(address)) redirects more than \(Self.mostRedirects) times")
    }

    private func foreignFile(_ address: String, _ limit: Int) async throws(Fault) -> [UInt8] {
        guard address.hasPrefix("https://"), isAddress(address) else {
            throw Fault(.failure, "\(origin) names \(shown(address)) for a file", remedy: "Files of other servers are fetched over https.")
        }
        return try body(try await download(address, [], follows: true, limit), address)
    }

    private func body(_ response: HTTPResponse, _ address: String) throws(Fault) -> [UInt8] {
        try check(response, address)
        guard response.status == 200 else { throw Fault(.temporary, "\(shown(address)) is answered with HTTP \(response.status)") }
        return response.body
    }

    // Where a redirect leads.
    private func target(_ response: HTTPResponse, of address: String) throws(Fault) -> String {
        guard let location = response.headers["location"], !location.isEmpty else {
            throw Fault(.temporary, "\(shown(address)) redirects to nowhere")
        }
        if location.contains("://") { return location }
        if location.hasPrefix("//") { return String(origin.prefix { $0 != "/" }) + location }
        if location.hasPrefix("/") { return origin + location }
        let path = address.prefix { $0 != "?" }
        return path[...(path.lastIndex(of: "/") ?? path.startIndex)] + location
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

    private func isAddress(_ text: String) -> Bool {
        text.utf8.count <= Self.longestAddress && text.utf8.allSatisfy { (33..<127).contains($0) }
    }

    // What is asked for with the token.
    private func own(_ address: String) throws(Fault) -> String {
        guard isOwn(address), isAddress(address) else {
            throw Fault(
                .failure, "\(origin) names \(shown(address)) as its own",
                remedy: "The server has to know itself by the address that updates.source has; see its proxy's settings.")
        }
        return address
    }

    // What follows "?" may open something to whoever reads it.
    private func shown(_ address: String) -> String { Printable.short(String(address.prefix { $0 != "?" })) }

    private func answer(_ request: HTTPRequest) async throws(Fault) -> HTTPResponse {
        do throws(HTTPClient.Interruption) { return try await client.send(request) } catch { throw error.fault }
    }

    private func check(_ response: HTTPResponse, _ address: String) throws(Fault) {
        let problem = "\(shown(address)): the server says HTTP \(response.status)"
        switch response.status {
        case 200...299: return
        case 401 where isOwn(address), 403 where isOwn(address):
            throw Fault(.permission, problem, remedy: "Is the token of updates.token_file this board's?")
        case 401, 403: throw Fault(.permission, problem)
        case 404, 410: throw Fault(.noInput, problem)
        case 429, 500...: throw Fault(.temporary, problem)
        default: throw Fault(.failure, problem)
        }
    }
}
