internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// What people who run a fleet look for: boards in need, a token for a new board and a picture of its command, who changed what.
struct OperatorRoutes {
    let services: HubServices
    private static let mostInNeed = 500
    /// Of a request that changes nothing.
    static let pictures = "/api/v1/qr-codes"

    func add(to api: RouterGroup<HubContext>) {
        api.get("attention", use: attention)
        api.post("bootstrap-tokens", use: makeToken)
        api.post("qr-codes", use: picture)
        api.get("audit", use: audit)
    }

    @Sendable private func attention(_ request: Request, _ context: HubContext) async throws -> Response {
        let org = try context.person().org, page = try QueryParameters(request, most: Self.mostInNeed)
        let found = try await services.attention.of(org) { [services] () async throws(Fault) in
            try await services.store.attention(org: org, now: services.now, limit: Self.mostInNeed)
        }
        return .json([
            "total": .integer(found.total),
            "counts": .members(found.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, .integer($0.value)) }),
            "boards": .array(
                found.boards.prefix(page.limit).map { board in
                    .members([
                        ("device", services.json(board.device)), ("reasons", .array(board.reasons.map { .string($0.rawValue) })),
                    ])
                }),
        ])
    }

    /// A bootstrap token, which is told this once.
    @Sendable private func makeToken(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.owner(), body = try await request.object(limit: services.options.bodyLimit), now = services.now
        let name = try body.optional("name") ?? "", hours = try body.number("hours", in: 0.01...1e6) ?? 24
        guard let boards = Int(exactly: try body.number("boards", in: 1...1e6) ?? 1) else {
            throw APIError.invalid("boards is a whole number")
        }
        let expires = now + hours * 3600
        let token = try await services.store.issue(
            .bootstrap, org: session.org, name: name, uses: boards, expires: expires, now: now)
        return .json(
            [
                "token": .string(token), "org_id": .string(session.org), "boards": .integer(boards),
                "expires_at": .string(ISOTime.text(expires)),
            ],
            status: .created)
    }

    /// Posted, so that no log has the token that the text may hold.
    @Sendable private func picture(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let body = try await request.object(limit: services.options.bodyLimit)
        let code = try QRCode(try body.optional("text", limit: QRCode.longest) ?? "")
        return .json(["rows": .array(code.rows.map { .string($0) })])
    }

    @Sendable private func audit(_ request: Request, _ context: HubContext) async throws -> Response {
        let org = try context.owner().org, page = try QueryParameters(request, most: 1000)
        return .json([
            "entries": .array(
                try await services.store.audit(org: org, limit: page.limit).map {
                    [
                        "at": .string(ISOTime.text($0.at)), "who": .string($0.who), "action": .string($0.action),
                        "status": .integer($0.status),
                    ]
                })
        ])
    }
}
