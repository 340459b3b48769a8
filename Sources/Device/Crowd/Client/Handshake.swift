/// The client's side of Crowd-ML's handshake: what is seen in the database, and what is to be done about it. No network, no clock.
struct Handshake: Equatable, Sendable {
    struct Sent: Equatable, Sendable {
        var number: Int
        var weightIteration: Int
    }

    /// What a device sees when it looks.
    struct View: Equatable, Sendable {
        var node = UserNode()
        /// nil where there are no weights.
        var iteration: Int?
        var parameterIteration = 0
    }

    enum Step: Equatable, Sendable {
        /// There is no node: write one.
        case join
        /// Compute a gradient and send it under this number.
        case send(number: Int)
        /// The server will never take what was sent, since the weights moved on: send anew, if it still waits.
        case resend(number: Int)
        /// What was sent counts.
        case counted
        /// It came too late, and does not count.
        case stale
        /// The parameters are others than before: begin anew.
        case reload
        case wait(Reason)
    }

    enum Reason: Equatable, Sendable {
        case noWeights, notProcessed
        /// It may not send as often as the server has it.
        case tooSoon
    }

    private(set) var parameterIteration: Int
    private(set) var sent: Sent?

    init(parameterIteration: Int) { self.parameterIteration = parameterIteration }

    /// What was sent may have arrived or not; the next look tells.
    mutating func didSend(_ number: Int, _ weightIteration: Int) { sent = Sent(number: number, weightIteration: weightIteration) }

    mutating func look(_ view: View) -> Step {
        guard view.parameterIteration == parameterIteration else { return .reload }
        guard let isProcessed = view.node.isProcessed else {
            sent = nil
            return .join
        }
        guard let iteration = view.iteration else { return .wait(.noWeights) }
        let last = view.node.number ?? 0
        if isProcessed {
            guard let mine = sent, last == mine.number else {
                // Nothing is under way, or what was sent never arrived.
                sent = nil
                return .send(number: last + 1)
            }
            sent = nil
            return view.node.isStale ? .stale : .counted
        }
        // Servers of 2017 never acknowledge what came too late.
        if let made = sent?.weightIteration ?? view.node.weightIteration, made < iteration { return .resend(number: last + 1) }
        return .wait(.notProcessed)
    }
}
