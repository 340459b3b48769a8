internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Runtime
internal import Support

/// What the board knows, and what its owner may tell it.
struct BoardRoutes: Sendable {
    let command: ProgramCommand
    let limit: Int

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("status") { _, _ in Response.json(try await Self.ask("status")) }
        router.get("day/{date}", use: day)
        router.get("privacy") { _, _ in Response.json(try await command.output(["privacy", "--json"])) }
        router.get("label") { _, _ in Response.json(try await command.output(["label", "--json"])) }
        router.put("label", use: label)
        router.post("cancel-alarm") { _, _ in Response.json(try await Self.ask("cancel-alarm")) }
        router.post("wear") { _, _ in Response.json(try await Self.ask("wear")) }
        router.post("undo-wear") { _, _ in Response.json(try await Self.ask("undo-wear")) }
        router.post("accept") { _, _ in Response.json(try await Self.ask("accept")) }
        router.post("rollback") { _, _ in Response.json(try await Self.ask("rollback")) }
    }

    /// The running program's answer.
    static func ask(_ name: String) async throws -> String {
        JSON(try await answer(name)).text
    }

    static func answer(_ name: String) async throws -> JSONValue {
        try await Blocking.run { () throws(Fault) in try ControlClient.ask([("command", .string(name))]) }
    }

    @Sendable private func day(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let date = context.parameters.get("date") ?? "today"
        // Digits and dashes, or a word: nothing that could be an option.
        let isName = date.utf8.allSatisfy { $0 == 45 || (48...57).contains($0) || (97...122).contains($0) }
        guard date.utf8.count <= 10, isName, date.first != "-" else {
            throw DashboardError(.badRequest, "a day is 2026-11-24, today or yesterday")
        }
        return .json(try await command.output(["today", date, "--json"]))
    }

    @Sendable private func label(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let asked = try await request.object(limit: limit), minutes = try asked.whole("minutes", in: 1...1440)
        if asked["label"] == .null { return .json(try await command.output(["label", "--none", "--json"])) }
        return .json(try await command.output(["label", "--json", "--for", "\(minutes)", "--", try asked.name("label")]))
    }
}

extension Request {
    /// The body, an object of JSON.
    func object(limit: Int) async throws -> JSONValue {
        let bytes = Array(buffer: try await body.collect(upTo: limit))
        guard let value = JSONValue(parsing: bytes), case .object = value else {
            throw DashboardError(.unprocessableContent, "the body is no JSON object")
        }
        return value
    }
}

extension JSONValue {
    /// Text that can be an argument of a command.
    func name(_ key: String) throws -> String {
        guard case .string(let text)? = self[key], !text.isEmpty, text.utf8.count <= 1000,
            text.unicodeScalars.allSatisfy({ $0.value >= 32 })
        else { throw DashboardError(.unprocessableContent, "\(key) is missing, too long or has control characters") }
        return text
    }

    /// A whole number; 10 where there is none.
    func whole(_ key: String, in range: ClosedRange<Int>) throws -> Int {
        guard let value = self[key] else { return 10 }
        guard let number = value.number.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw DashboardError(.unprocessableContent, "\(key) are \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
