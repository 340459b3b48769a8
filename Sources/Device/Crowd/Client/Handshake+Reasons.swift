internal import Support

extension Handshake.Reason {
    /// In the words of the clients of 2016.
    var fault: Fault {
        switch self {
        case .noWeights: Fault(.temporary, "Weight is empty in FireBase. ", remedy: "The crowd's server puts it there when it starts.")
        case .notProcessed: Fault(.temporary, "Old gradients has not been checked out. ", remedy: "Is the crowd's server running?")
        case .tooSoon: Fault(.temporary, "the last gradient went a moment ago")
        }
    }

    /// Why it waits, for people.
    var explanation: String {
        switch self {
        case .noWeights: "there are no weights: the crowd's server has not started"
        case .notProcessed: "the server does not take what was sent"
        case .tooSoon: "the last gradient went a moment ago"
        }
    }
}
