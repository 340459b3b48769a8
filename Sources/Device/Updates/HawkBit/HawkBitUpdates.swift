internal import Cryptography
package import ModelStore
internal import NeuralNetwork
package import Settings
package import Support
internal import Synchronization

/// Models that a company's hawkBit gives out: each is an artifact FILE.safetensors with FILE.safetensors.sig beside it in a distribution
/// set, and an action ends when the board keeps the model, or refuses it.
package final class HawkBitUpdates: UpdateSource {
    private let client: HawkBitActions
    // Of a download, seconds.
    private let timeout: Double
    // Of the model, as its signature has it.
    private let name: String

    /// What begins the address of such a server in `updates.source`.
    private static let mark = "hawkbit:"

    package var isRemote: Bool { true }
    package var pause: Int? { client.pause }

    /// nil for an address of another kind.
    ///
    /// - Throws: `.configuration` for an address or a file of a token that cannot be used.
    package init?(_ source: String, _ settings: Settings) throws(Fault) {
        let updates = settings.updates
        guard source.hasPrefix(Self.mark) else {
            if updates.tokenFile == nil { return nil }
            throw Fault(.configuration, "updates.token_file needs updates.source = \"hawkbit:https://...\"")
        }
        let proof: HawkBitActions.Proof = settings.trustedKey != nil ? .signature : updates.allowUnsigned ? .none : .impossible
        client = HawkBitActions(
            try HawkBitServer(String(source.dropFirst(Self.mark.count)), token: try Self.token(updates.tokenFile)), proof)
        (timeout, name) = (Double(updates.timeout), updates.model)
    }

    private static func token(_ path: String?) throws(Fault) -> String? {
        guard let path else { return nil }
        let token = try SecretFile.read(path, setting: "updates.token_file")
        guard !token.isEmpty, token.utf8.allSatisfy({ (32..<127).contains($0) }) else {
            throw Fault(.configuration, "\(path) has no token", remedy: "Write the target's security token into it, in one line.")
        }
        return token
    }

    package func poll(_ board: BoardOutcomes) async throws(Fault) { try await client.poll(board) }

    package func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        guard client.isKnown else { throw Fault(.temporary, "the server has not said what there is to do") }
        guard let action = client.action, action.mayDownload, client.objection(to: action) == nil, let model = action.model else {
            return nil
        }
        return ModelOffer(name: model.name, checksum: model.checksum, model: name)
    }

    package func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        guard let signature = client.action?.signature else { return nil }
        return try await file(signature, limit: ModelSignature.sizeLimit)
    }

    package func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] {
        guard let model = client.action?.model, model.checksum == offer.checksum else {
            throw Fault(.temporary, "\(offer.name) is not offered any more")
        }
        return try await file(model, limit: min(limit, model.size ?? limit))
    }

    // Another page in its place says nothing of the model.
    private func file(_ artifact: HawkBitAction.Artifact, limit: Int) async throws(Fault) -> [UInt8] {
        let server = client.server
        let bytes = try await Deadline.run(within: timeout, artifact.name) { () async throws(Fault) in
            try await server.file(artifact.address, limit: limit)
        }
        guard artifact.size ?? bytes.count == bytes.count, artifact.checksum ?? Digest.text(bytes) == Digest.text(bytes) else {
            throw Fault(.temporary, "\(artifact.name) is not the file that was announced: the transfer was damaged on its way")
        }
        return bytes
    }
}
