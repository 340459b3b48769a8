internal import ModelStore
internal import Support

/// What a board reports of an action.
struct HawkBitFeedback: Sendable, Equatable {
    enum Execution: String, Sendable { case proceeding, closed, rejected }
    enum Result: String, Sendable { case none, success, failure }

    var execution: Execution
    var result: Result
    var detail: String

    init(_ outcome: ModelOutcome) {
        switch outcome {
        case .shadow: self.init(.proceeding, .none, "the model is tried beside the one that decides")
        case .probation: self.init(.proceeding, .none, "the model decides, and is watched")
        case .committed: self.init(.closed, .success, "the model is this board's")
        case .replaced: self.init(.closed, .failure, "the board has a newer model")
        case .refused(let reason): self.init(.closed, .failure, reason)
        }
    }

    init(_ execution: Execution, _ result: Result, _ detail: String) {
        (self.execution, self.result, self.detail) = (execution, result, detail)
    }

    /// - Parameter id: of the action.
    func body(_ id: String) -> JSONValue {
        [
            "id": .string(id),
            "status": [
                "execution": .string(execution.rawValue), "result": ["finished": .string(result.rawValue)],
                "details": .array([.string(Printable.short(detail))]),
            ],
        ]
    }
}
