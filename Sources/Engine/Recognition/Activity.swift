/// What the wearer does, as one window and the smoothing over the windows before tell it.
package struct Activity: Sendable, Equatable {
    /// Seconds x 50 from the first sample to the end of the window.
    package var end: Int64
    /// The window's own most probable label.
    package var label: String
    /// Of `label`, Q0.15.
    package var confidence: Int16
    /// The label after smoothing, or "unknown".
    package var smoothed: String
    /// Seconds x 50 at which the smoothed label was first seen.
    package var start: Int64
    /// All that the network knows, in its order.
    package var labels: [String]
    /// Q0.15, one for each of `labels`.
    package var probabilities: [Int16]
    /// The window's filtered samples, Q3.12 g, x, y, z interleaved; empty unless the loop keeps them.
    package var window: [Int16]
    /// How the network knows which way is up; nil where it does not need that. Before it does, `label` is walking or "unknown".
    package var orientation: KnownBy?
    /// Where on the body the sensor is, where the network finds that.
    package var placement: String?
    /// Whether the window lies far from every activity that the network knows; after two of them `smoothed` is "unknown".
    package var isNovel = false
    /// Whether this is the last activity still, since nothing has moved the sensor and it sleeps from now on.
    package var isStill = false
    /// For how long it waited before it was decided, ms; 0 but for samples that wait for each other.
    package var waited: Int64 = 0
    /// What a network that is being tried makes of the same window.
    package var shadow: ShadowDecision?
    /// Steps since the window before, as far as they are known by now: a gait is counted once it has lasted for some seconds.
    package var steps: Int64 = 0
    /// Steps a minute; nil while there is no gait.
    package var cadence: Int?
    /// How much the sensor moved since the window before: mean square of how far a sample's length was from its slow mean, (1/4096 g)^2.
    package var movement: Int64 = 0
}

/// Decisions to activities.
package struct ActivityTracker {
    private var labels: [String]
    private var smoother: Smoother
    private var offset: Int64 = 0
    // Windows in a row that lie far from every known activity.
    private var novel = 0
    /// A change from one activity to the next may make one such window, seldom two.
    private static let novelInRow = 2

    package init(labels: [String], smoothing: Smoothing) {
        self.labels = labels
        smoother = Smoother(smoothing)
    }

    /// Starts the smoothing afresh; times go on from `seconds x 50` = `sample` of the stream.
    package mutating func restart(at sample: Int64) {
        offset = sample
        smoother = Smoother(smoother.settings)
        novel = 0
    }

    /// Decisions are of other labels from now on; the smoothing goes on, since it knows labels by their names.
    package mutating func relabel(_ labels: [String]) { self.labels = labels }

    /// Another smoothing from the next window on; what is shown stays until then.
    package mutating func use(_ smoothing: Smoothing) { smoother.settings = smoothing }

    package mutating func take(_ decision: Decision) -> Activity {
        let end = offset + decision.end, confidence = decision.label.map { decision.probabilities[$0] } ?? 0
        let label = decision.label.map { labels[$0] } ?? Smoothing.unknown
        novel = decision.isNovel ? novel + 1 : 0
        let smoothed = smoother.take(label, probability: novel >= Self.novelInRow ? -1 : confidence, end: end)
        return Activity(
            end: end, label: label, confidence: confidence, smoothed: smoothed, start: smoother.since,
            labels: labels, probabilities: decision.probabilities, window: decision.window, orientation: decision.orientation,
            placement: decision.placement, isNovel: decision.isNovel, shadow: decision.shadow)
    }
}
