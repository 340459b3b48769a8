package import Recognition

/// Has the loop learn anew how the sensor is worn when somebody asks for it, and go by what it knew before where nobody walked then.
package struct WearingRequests {
    private let status: RunStatus
    private var before: Orientation?
    /// How many wait for it to be learnt: the last of them to give up has it go back.
    private var waiting = 0
    /// Decisions without anybody walking, after which it goes back by itself: whoever asked may be gone. A hundred seconds; `gaitway wear`
    /// waits for 93.
    private static let patience = 80
    private var waited = 0
    /// Whether the last decision was on what walking had shown; what was kept over a restart is not learnt again.
    private var wasLearnt = true

    package init(_ status: RunStatus) { self.status = status }

    /// Does what was asked for since the last call.
    package mutating func apply(to loop: inout ClassificationLoop) {
        let asked = status.takeWearingRequests()
        if asked.learns > 0 {
            // Asked again before anybody walked, it still goes back to what was known.
            if let now = loop.orientation, now.isKnown { before = now }
            (waited, wasLearnt) = (0, false)
            loop.use(Orientation.none)
        }
        waiting = max(0, waiting + asked.learns - asked.undos)
        if asked.undos > 0 && waiting == 0 || waited >= Self.patience { goBack(&loop) }
    }

    private mutating func goBack(_ loop: inout ClassificationLoop) {
        if let before, loop.orientation?.isKnown == false {
            loop.use(before)
            wasLearnt = true
        }
        end()
    }

    private mutating func end() { (before, waiting, waited) = (nil, 0, 0) }

    /// Takes note of each decision: what walking has shown since counts from then on.
    package mutating func note(_ known: KnownBy?) {
        if known == .learnt && !wasLearnt { status.note { $0.timesLearnt += 1 } }
        wasLearnt = known == .learnt
        if wasLearnt { end() } else if before != nil { waited += 1 }
    }
}
