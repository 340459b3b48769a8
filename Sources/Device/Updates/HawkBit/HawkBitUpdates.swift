internal import Fleet
package import ModelStore
internal import NeuralNetwork
package import Settings
package import Support
internal import Synchronization

/// Models that a company's hawkBit gives out: each is an artifact FILE.safetensors with FILE.safetensors.sig beside it in a distribution
/// set, and an action ends when the board keeps the model, or refuses it.
package final class HawkBitUpdates: UpdateSource {
    private let server: HawkBitServer
    // Of a download, seconds.
    private let timeout: Double
    private let isSigned: Bool
    // Of the model, as its signature has it.
    private let name: String
    private let state = Mutex(State())

    private struct State {
        /// What the server has the board do; nil for nothing.
        var action: HawkBitAction?
        /// What it was told last, and of which action.
        var told: HawkBitFeedback?, toldID: String?
        var pause: Int?
    }

    /// What begins the address of such a server in `updates.source`.
    private static let mark = "hawkbit:"

    package var isRemote: Bool { true }

    /// nil for an address of another kind.
    ///
    /// - Throws: `.configuration` for an address or a file of a token that cannot be used.
    package init?(_ source: String, _ settings: Settings) throws(Fault) {
        guard source.hasPrefix(Self.mark) else { return nil }
        server = try HawkBitServer(String(source.dropFirst(Self.mark.count)), token: try Self.token(settings.updates.tokenFile))
        timeout = Double(settings.updates.timeout)
        isSigned = settings.trustedKey != nil
        name = settings.updates.model
    }

    private static func token(_ path: String?) throws(Fault) -> String? {
        guard let path else { return nil }
        guard Files.isFile(path) else { throw Fault(.configuration, "updates.token_file: \(path) is not a file") }
        guard try Files.isPrivate(path) else { throw Fault(.configuration, "others may read \(path)", remedy: "chmod 600 \(path)") }
        let token = String(String(decoding: try Files.read(path, limit: 4096), as: UTF8.self).trimmed)
        guard !token.isEmpty, token.utf8.allSatisfy({ (32..<127).contains($0) }) else {
            throw Fault(.configuration, "\(path) has no token")
        }
        return token
    }

    package var pause: Int? { state.withLock { $0.pause } }

    /// Asks what there is to do, and says what became of it.
    package func report(_ store: ModelStore) async throws(Fault) {
        guard let poll = try await server.document(server.base) else {
            throw Fault(.noInput, "\(server.base): the server knows no such board", remedy: "Add it there as a target of that name.")
        }
        let pause = Self.seconds(poll["config"]?["polling"]?["sleep"]?.text), links = poll["_links"]
        state.withLock { $0.pause = pause }
        if links?["configData"] != nil { try await server.say("PUT", server.base + "/configData", attributes) }
        if let address = links?["cancelAction"]?["href"]?.text { try await cancel(address, store) }
        guard let address = links?["deploymentBase"]?["href"]?.text, let document = try await server.document(address) else {
            state.withLock { $0.action = nil }
            return
        }
        let action = try HawkBitAction(document)
        state.withLock { $0.action = action }
        guard let feedback = feedback(of: action, store) else { return }
        let isKnown = state.withLock { $0.toldID == action.id && $0.told == feedback }
        if isKnown { return }
        try await server.say("POST", "\(server.base)/deploymentBase/\(action.id)/feedback", feedback.body(action.id))
        state.withLock { ($0.told, $0.toldID) = (feedback, action.id) }
    }

    private func feedback(of action: HawkBitAction, _ store: ModelStore) -> HawkBitFeedback? {
        guard let model = action.model, let checksum = model.checksum else {
            return HawkBitFeedback(.closed, .failure, "a distribution set for this board has one .safetensors file, with its SHA-256")
        }
        // The model itself is not refused: the next set may have it again, and its signature.
        guard action.signature != nil || !isSigned else {
            return HawkBitFeedback(
                .closed, .failure, "\(ModelSignature.path(of: model.name)) is not in the distribution set, and trusted_key asks for it")
        }
        return HawkBitFeedback(store.fate(of: ModelOffer(name: model.name, checksum: checksum)))
    }

    // What is not begun does not begin; what is tried goes on, and is said to.
    private func cancel(_ address: String, _ store: ModelStore) async throws(Fault) {
        guard let document = try await server.document(address), let id = document["id"]?.text, HawkBitAction.isID(id) else { return }
        let stopped = document["cancelAction"]?["stopId"]?.text ?? id
        let begun = state.withLock { state -> HawkBitAction? in
            guard let action = state.action, action.id == stopped else { return nil }
            return action
        }
        let fate = begun?.model.flatMap { store.fate(of: ModelOffer(name: $0.name, checksum: $0.checksum)) }
        let feedback: HawkBitFeedback =
            switch fate {
            case .tried, .onProbation, .committed: HawkBitFeedback(.rejected, .none, "the board has the model already")
            default: HawkBitFeedback(.closed, .success, "the model is not taken")
            }
        try await server.say("POST", "\(server.base)/cancelAction/\(id)/feedback", feedback.body(id))
        if feedback.execution == .closed { state.withLock { $0.action = nil } }
    }

    private var attributes: JSONValue {
        let board = DeviceDescription()
        return [
            "mode": "merge",
            "data": .members([
                ("gaitway", .string(gaitwayVersion)), ("architecture", .string(board.cpuArchitecture)), ("model", JSONValue(board.model)),
                ("os", JSONValue(board.distribution)),
            ]),
        ]
    }

    /// "HH:MM:SS" in seconds.
    static func seconds(_ text: String?) -> Int? {
        let parts = (text ?? "").split(separator: ":").compactMap { Int($0) }
        guard parts.count == 3, parts.allSatisfy({ (0...99_999).contains($0) }) else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    }

    package func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        guard let action = state.withLock({ $0.action }), action.mayDownload, action.signature != nil || !isSigned,
            let model = action.model, let checksum = model.checksum
        else { return nil }
        return ModelOffer(name: model.name, checksum: checksum, size: model.size, model: name)
    }

    package func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        guard let signature = state.withLock({ $0.action?.signature }) else { return nil }
        return try await file(signature, limit: ModelSignature.sizeLimit)
    }

    package func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] {
        guard let model = state.withLock({ $0.action?.model }), model.checksum == offer.checksum else {
            throw Fault(.temporary, "\(offer.name) is not offered any more")
        }
        return try await file(model, limit: min(limit, model.size ?? limit))
    }

    private func file(_ artifact: HawkBitAction.Artifact, limit: Int) async throws(Fault) -> [UInt8] {
        let server = server
        return try await Deadline.run(within: timeout, artifact.name) { () async throws(Fault) in
            try await server.file(artifact.address, limit: limit)
        }
    }
}
