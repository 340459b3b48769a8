internal import Cryptography
internal import ModelStore
internal import NeuralNetwork

/// What a source of models may know of those that it offered to a board.
package struct BoardOutcomes: Sendable {
    let store: ModelStore
    /// What runs where the store has nothing.
    let base: Network
    /// What keeps a model from being fetched now; nil for nothing.
    let obstacle: String?

    /// What became of a file; nil where nothing has.
    func outcome(of offer: ModelOffer) -> ModelOutcome? {
        isBase(offer) ? .committed : store.outcome(of: offer)
    }

    // The file that a board was set up with is its model, as long as none came after it.
    private func isBase(_ offer: ModelOffer) -> Bool {
        guard store.status.current == nil, let checksum = offer.checksum, let bytes = try? NetworkFile.encode(base) else { return false }
        return Digest.text(bytes) == checksum
    }

    /// Whether a model is tried, or watched.
    var hasCandidate: Bool { store.status.candidate != nil }
}
