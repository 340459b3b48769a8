package import Recognition

/// Has the loop learn anew how the sensor is worn when somebody asks for it, and go by what it knew before where nobody walked then.
package struct WearingRequests {
    private let status: RunStatus
    private var before: Orientation?
    /// Decisions without anybody walking, after which it goes back by itself: whoever asked may be gone. A hundred seconds; `gaitway wear`
    /// waits for 93.
    private static let patience = 80
    private var waited = 0

    package init(_ status: RunStatus) { self.status = status }

    /// Does what was asked for since the last call.
    package mutating func apply(to loop: inout ClassificationLoop) {
        switch status.takeWearingRequest() {
        case .learn:
            // Asked again before anybody walked, it still goes back to what was known.
            if let now = loop.orientation, now.isKnown { before = now }
            waited = 0
            loop.use(Orientation.none)
        case .undo: goBack(&loop)
        case .nothing: if waited >= Self.patience { goBack(&loop) }
        }
    }

    private mutating func goBack(_ loop: inout ClassificationLoop) {
        if let before, loop.orientation?.isKnown == false { loop.use(before) }
        before = nil
    }

    /// Takes note of each decision: what walking has shown since counts from then on.
    package mutating func note(_ known: KnownBy?) {
        if known == .learnt { before = nil } else if before != nil { waited += 1 }
    }
}
