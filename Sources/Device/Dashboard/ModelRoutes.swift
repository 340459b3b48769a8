internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Support

/// A model that somebody drops on the page: the way of `gaitway model install`, and no other.
struct ModelRoutes: Sendable {
    let command: ProgramCommand
    let limit: Int

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.post("model", use: install)
        router.get("models") { _, _ in Response.json(try await command.output(["model", "list", "--json"])) }
    }

    /// The body: the model; or its signature's length in the query, and both one behind the other.
    @Sendable private func install(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let signed = request.uri.queryParameters["signature"].flatMap { Int($0) } ?? 0
        guard (0...Self.signatureLimit).contains(signed) else { throw DashboardError(.badRequest, "this is no signature") }
        let bytes = Array(buffer: try await request.body.collect(upTo: limit))
        guard bytes.count > signed else { throw DashboardError(.unprocessableContent, "there is no model") }
        let folder = try await Blocking.run { () throws(Fault) in
            let folder = try TemporaryFolder(), model = folder.path + "/dropped.safetensors"
            try Files.write(Array(bytes[..<(bytes.count - signed)]), to: model, isPrivate: true)
            if signed > 0 { try Files.write(Array(bytes[(bytes.count - signed)...]), to: model + ".sig", isPrivate: true) }
            return folder
        }
        let said = try await command.output(["model", "install", folder.path + "/dropped.safetensors"])
        return .json(JSON.object([("text", .string(String(said.trimmed))), ("signed", .bool(signed > 0))]).text)
    }

    private static let signatureLimit = 256 << 10
}
