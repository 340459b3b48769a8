package import Recognition

/// Has the loop learn anew how the sensor is worn when somebody asks for it, and go by what it knew before where nobody walked then.
package struct WearingRequests {
    private let status: RunStatus
    private var before: Orientation?

    package init(_ status: RunStatus) { self.status = status }

    /// Does what was asked for since the last call.
    package mutating func apply(to loop: inout ClassificationLoop) {
        switch status.takeWearingRequest() {
        case .learn:
            // Asked again before anybody walked, it still goes back to what was known.
            if let now = loop.orientation, now.isKnown { before = now }
            loop.use(Orientation.none)
        case .undo:
            if let before, loop.orientation?.isKnown == false { loop.use(before) }
            before = nil
        case .nothing: break
        }
    }

    /// Takes note of each decision: what walking has shown since counts from then on.
    package mutating func note(_ known: KnownBy?) {
        if known == .learnt { before = nil }
    }
}
