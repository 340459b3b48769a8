internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Support
internal import Synchronization

/// A model that somebody drops on the page: the way of `gaitway model install`, and no other.
final class ModelRoutes: Sendable {
    private let command: ProgramCommand
    private let limit: Int
    private let isBusy = Atomic(false)

    init(command: ProgramCommand, limit: Int) { (self.command, self.limit) = (command, limit) }

    func add(to router: RouterGroup<DashboardContext>) { router.post("model", use: install) }

    /// The body: the model, with its signature behind it where the query has that one's length.
    @Sendable private func install(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let query = request.uri.queryParameters, given = query["signature"].map { Int($0) ?? -1 } ?? 0
        guard (0...Self.signatureLimit).contains(given) else { throw DashboardError(.badRequest, "this is no signature's length") }
        guard isBusy.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            throw DashboardError(.conflict, "another model is being installed")
        }
        defer { isBusy.store(false, ordering: .relaxed) }
        let bytes = Array(buffer: try await request.body.collect(upTo: limit)), name = Self.name(query["name"].map(String.init) ?? "")
        guard bytes.count > given else { throw DashboardError(.unprocessableContent, "there is no model") }
        let folder = try await Blocking.run { () throws(Fault) in
            let folder = try TemporaryFolder(for: "page"), model = folder.path + "/" + name
            try Files.write(Array(bytes[..<(bytes.count - given)]), to: model, isPrivate: true)
            if given > 0 { try Files.write(Array(bytes[(bytes.count - given)...]), to: model + ".sig", isPrivate: true) }
            return folder
        }
        defer { withExtendedLifetime(folder) {} }
        let said = try await command.output(["model", "install", "\(folder.path)/\(name)"])
        return .json(JSON.object([("text", .string(String(said.trimmed))), ("signed", .bool(given > 0))]).text)
    }

    // As the user knows the file, in letters that no path misunderstands.
    private static func name(_ given: String) -> String {
        let plain = given.suffix(100).map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" }
        let name = String(plain).drop { $0 == "." || $0 == "-" }
        return name.hasSuffix(".safetensors") ? String(name) : (name.isEmpty ? "model" : name) + ".safetensors"
    }

    private static let signatureLimit = 256 << 10
}
