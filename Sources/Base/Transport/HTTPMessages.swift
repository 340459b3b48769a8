package struct HTTPRequest: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// An open file, from its beginning; it stays open until there is an answer.
        case file(CInt, count: Int64)
    }

    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// Redirects are followed, to https only. Never with credentials: they would go along.
    package var follows: Bool
    /// Bytes of the answer.
    package var limit: Int

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: Body = .none, follows: Bool = false,
        limit: Int = 1 << 20
    ) {
        (self.method, self.url, self.headers, self.body, self.follows, self.limit) = (method, url, headers, body, follows, limit)
    }
}

package struct HTTPResponse: Sendable {
    package var status = 0
    /// By lower-case name.
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []
    /// Bytes of headers and body that came, those of redirects among them.
    package var received = 0

    package init() {}
}
