internal import HTTPTypes
internal import Hummingbird
internal import Support

/// Recordings, and networks learnt from them on the board.
struct TrainingRoutes: Sendable {
    let command: ProgramCommand
    let long: LongCommand
    let limit: Int

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("recordings") { _, _ in Response.json(try await recordings()) }
        router.get("work") { _, _ in Response.json(long.json.text) }
        router.post("work", use: begin)
        router.delete("work") { _, _ in
            long.cancel()
            return Response.json(long.json.text)
        }
    }

    // A line each.
    private func recordings() async throws -> String {
        let lines = try await command.output(["recordings", "list", "--json"]).split(separator: "\n")
        return "[\(lines.joined(separator: ","))]"
    }

    @Sendable private func begin(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let asked = try await request.object(limit: limit)
        switch asked["command"]?.text {
        case "record":
            let label = try asked.name("label")
            // "=": a label may begin with a dash.
            try long.begin("Recording \(Printable.text(label))", ["record", "--json", "--label=\(label)", try seconds(asked)])
        case "guess": try long.begin("Guessing", ["guess", "--json", try seconds(asked)])
        case "train": try long.begin("Training", ["train", "--json"])
        case "personalise": try long.begin("Personalising", ["personalise", "--json"])
        default: throw DashboardError(.unprocessableContent, "command is record, train, guess or personalise")
        }
        return .json(long.json.text, status: .accepted)
    }

    private func seconds(_ asked: JSONValue) throws -> String {
        "--seconds=\(try asked.whole("seconds", in: 1...3600))"
    }
}
