/// What became of a model that was offered to a board.
package enum ModelOutcome: Sendable, Equatable {
    /// It classifies beside the one that decides.
    case shadow
    /// It decides, and is watched.
    case probation
    /// It is the board's.
    case committed
    /// It was, before the present one.
    case replaced
    /// For good, and why.
    case refused(String)
}
