internal import Fleet
internal import ModelStore
internal import NeuralNetwork
internal import Support
internal import Synchronization

/// The actions of one board at a hawkBit server: what it is to do, and what is reported of that.
final class HawkBitActions: Sendable {
    /// What has to prove a model.
    enum Proof: Sendable {
        case signature, none
        /// There is no trusted key, and the settings do not allow to do without.
        case impossible
    }

    let server: HawkBitServer
    private let proof: Proof
    private let state = Mutex(State())

    private struct State {
        /// What the server has the board do, as of the last poll; nil for nothing. And whether that poll came so far.
        var action: HawkBitAction?, isKnown = false
        /// The last one that there was.
        var last: HawkBitAction?
        /// What was reported last, and of which action.
        var sent: HawkBitFeedback?, sentID: String?
        /// Seconds.
        var pause: Int?
    }

    init(_ server: HawkBitServer, _ proof: Proof) { (self.server, self.proof) = (server, proof) }

    var action: HawkBitAction? { state.withLock { $0.action } }
    /// Whether the last poll found what there is to do.
    var isKnown: Bool { state.withLock { $0.isKnown } }
    /// Seconds that the server wants to pass between two polls; nil where it does not say.
    var pause: Int? { state.withLock { $0.pause } }

    /// Asks what there is to do, and reports.
    func poll(_ board: BoardOutcomes) async throws(Fault) {
        state.withLock { ($0.action, $0.isKnown) = (nil, false) }
        guard let found = try await server.document(server.base) else {
            throw Fault(.noInput, "\(server.base): the server knows no such board", remedy: "Add it there as a target of that name.")
        }
        let links = found["_links"]
        state.withLock { $0.pause = Self.seconds(found["config"]?["polling"]?["sleep"]?.text) }
        if let address = links?["cancelAction"]?["href"]?.text { return try await cancel(address, board) }
        if let address = links?["deploymentBase"]?["href"]?.text {
            try await deploy(address, board)
        } else {
            state.withLock { $0.isKnown = true }
        }
        // Last: what is wrong with it keeps no model away.
        if links?["configData"] != nil { try await server.send("PUT", server.base + "/configData", Self.attributes) }
    }

    private func deploy(_ address: String, _ board: BoardOutcomes) async throws(Fault) {
        guard let document = try await server.document(address) else { return }
        let action = try HawkBitAction(document)
        state.withLock { ($0.action, $0.last, $0.isKnown) = (action, action, true) }
        let objection = objection(to: action)
        guard let feedback = objection.map({ HawkBitFeedback(.closed, .failure, $0) }) ?? feedback(of: action, board) else { return }
        let isKnown = state.withLock { $0.sentID == action.id && $0.sent == feedback }
        if isKnown { return }
        try await server.send("POST", "\(server.base)/deploymentBase/\(action.id)/feedback", feedback.body(action.id))
        state.withLock { ($0.sent, $0.sentID) = (feedback, action.id) }
        if let objection { throw Fault(.badData, "action \(action.id) cannot be carried out: \(objection)") }
    }

    /// Why nothing of an action is fetched; nil for no reason. The model itself is not refused: the next set, or this board with other
    /// settings, may have it again.
    func objection(to action: HawkBitAction) -> String? {
        guard let model = action.model, model.checksum != nil else {
            return "a distribution set for this board has one .safetensors file, with its SHA-256"
        }
        switch proof {
        case .impossible: return "no trusted_key is set on this board, so nothing proves where a model comes from"
        case .signature where action.signature == nil:
            return "\(ModelSignature.path(of: model.name)) is not in the distribution set, and trusted_key asks for it"
        default: break
        }
        let limit = NetworkFile.sizeLimit, size = model.size ?? 0
        return size > limit ? "\(model.name) has \(size) bytes, and a model has at most \(limit)" : nil
    }

    private func feedback(of action: HawkBitAction, _ board: BoardOutcomes) -> HawkBitFeedback? {
        guard let model = action.model, let checksum = model.checksum else { return nil }
        if let outcome = board.outcome(of: ModelOffer(name: model.name, checksum: checksum)) { return HawkBitFeedback(outcome) }
        return action.mayDownload ? board.obstacle.map { HawkBitFeedback(.proceeding, .none, $0) } : nil
    }

    // What has not begun does not begin. What has begun goes on, and the cancellation is rejected.
    private func cancel(_ address: String, _ board: BoardOutcomes) async throws(Fault) {
        guard let document = try await server.document(address), let id = document["id"]?.text, HawkBitAction.isID(id) else { return }
        let stopped = document["cancelAction"]?["stopId"]?.text ?? id
        guard HawkBitAction.isID(stopped) else { return }
        var model = state.withLock { $0.last?.id == stopped ? $0.last?.model : nil }
        // After a restart the server may still say what it was.
        if model == nil, let document = try? await server.document("\(server.base)/deploymentBase/\(stopped)") {
            model = (try? HawkBitAction(document))?.model
        }
        let hasBegun: Bool
        if let model {
            switch board.outcome(of: ModelOffer(name: model.name, checksum: model.checksum)) {
            case .shadow, .probation, .committed: hasBegun = true
            default: hasBegun = false
            }
        } else {
            hasBegun = board.hasCandidate
        }
        var feedback = HawkBitFeedback(.closed, .success, "the model is not taken")
        if hasBegun { feedback = HawkBitFeedback(.rejected, .none, "the board has the model already") }
        try await server.send("POST", "\(server.base)/cancelAction/\(id)/feedback", feedback.body(id))
    }

    private static var attributes: JSONValue {
        let board = DeviceDescription()
        func short(_ text: String?) -> JSONValue? { text.map { .string(String($0.prefix(longestAttribute))) } }
        return [
            "mode": "merge",
            "data": .members([
                ("gaitway", short(gaitwayVersion)), ("architecture", short(board.cpuArchitecture)), ("model", short(board.model)),
                ("os", short(board.distribution)),
            ]),
        ]
    }

    // hawkBit's own limit, characters.
    private static let longestAttribute = 128

    /// "HH:MM:SS" in seconds.
    static func seconds(_ text: String?) -> Int? {
        let parts = (text ?? "").split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard parts.count == 3, parts.allSatisfy({ (0...99_999).contains($0) }) else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    }
}
