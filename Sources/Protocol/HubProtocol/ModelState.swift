/// What became of a version of a model on a board, in the board's words. The hub keeps them, its page and its API show them.
public enum ModelState: String, Sendable, Equatable, CaseIterable {
    /// It classifies beside the old one, without effect.
    case shadow
    /// It decides, and is watched.
    case probation
    /// It is the board's model for good.
    case committed
    /// It could not be fetched yet, and will be tried again.
    case deferred
    /// It never decided.
    case refused
    /// It decided, and was taken back.
    case rolledBack = "rolled_back"

    /// Whether the board is done with the version, and does not want it.
    package var isFailure: Bool { self == .refused || self == .rolledBack }
}
