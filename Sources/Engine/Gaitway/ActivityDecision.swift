internal import Recognition

/// What a window of samples shows.
public struct ActivityDecision: Sendable, Equatable {
    /// Seconds from the first sample to the end of the window.
    public let time: Double
    /// The activity after smoothing; nil while no class has half of the probability, or two windows in a row are like nothing that the
    /// network knows. With a network that is not worn it changes when two windows in a row agree.
    public let activity: String?
    /// The window's own most probable label.
    public let window: String
    /// The probability of ``window``, 0 ... 1, in steps of 2^-15.
    public let confidence: Double
    /// The probability of each of the model's labels. Before it is known how the sensor is worn only that of walking means something.
    public let probabilities: [String: Double]

    init(_ activity: Activity) {
        time = Double(activity.end) / 50
        self.activity = activity.smoothed == Smoothing.unknown ? nil : activity.smoothed
        window = activity.label
        confidence = Double(activity.confidence) * 0x1p-15
        let pairs = zip(activity.labels, activity.probabilities).map { ($0, Double($1) * 0x1p-15) }
        probabilities = Dictionary(pairs) { first, _ in first }
    }
}
