package import NeuralNetwork

/// When the shown activity changes: after `agreement` windows in a row that say the same, and never to a window below `threshold`.
package struct Smoothing: Sendable, Equatable {
    /// Windows that must agree before the label changes. The default, 2, delays a change by one hop (1.28 s) and hides
    /// single odd windows.
    package var agreement: Int
    /// Q0.15. A window whose best class is less probable counts as `unknown`. The default is 0.5: no other class can be
    /// more probable than one that passes.
    package var threshold: Int16

    /// What a window below the threshold is called.
    package static let unknown = "unknown"

    package init(agreement: Int = 2, threshold: Int16 = 1 << 14) {
        self.agreement = agreement
        self.threshold = threshold
    }

    /// What suits a network: of a worn one every window counts, since it knows the windows before from its own memory.
    package init(for network: Network) { self.init(agreement: network.inputKind == .worn ? 1 : 2) }
}

/// Applies ``Smoothing`` to one window after the other.
struct Smoother {
    /// They count from the next window on.
    var settings: Smoothing
    private(set) var label: String?
    /// End of the window in which the label was first seen in its unbroken row, samples at 50 Hz.
    private(set) var since: Int64 = 0
    private var candidate: String?
    private var candidateSince: Int64 = 0
    private var agreed = 0

    init(_ settings: Smoothing) { self.settings = settings }

    /// The first window of all decides at once, so that there is a label from the start.
    mutating func take(_ observed: String, probability: Int16, end: Int64) -> String {
        let seen = probability < settings.threshold ? Smoothing.unknown : observed
        if seen == candidate {
            agreed += 1
        } else {
            (candidate, candidateSince, agreed) = (seen, end, 1)
        }
        if label == nil || (seen != label && agreed >= settings.agreement) { (label, since) = (seen, candidateSince) }
        return label ?? seen
    }
}
