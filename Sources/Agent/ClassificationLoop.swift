public import Models
public import Recognition
public import Sensing
public import Support

/// How fast a source that has no pace of its own is played.
public enum Speed: String, Sendable, CaseIterable {
    /// As its wearer moved.
    case real
    /// As fast as the processor goes.
    case max
}

/// What a finished loop has done.
public struct LoopSummary: Sendable, Equatable {
    /// Samples at the source's rate.
    public var samples: Int
    public var windows: Int
}

/// From a source's samples to activities. Memory is fixed at the start.
public struct ClassificationLoop: ~Copyable {
    public let source: any SampleSource
    private var recogniser: Recogniser
    private var tracker: ActivityTracker
    private var block: SampleBlock

    /// One block is one hop: the processor wakes once for every decision.
    ///
    /// Errors: `.badData` when the network cannot be used.
    public init(source: any SampleSource, network: Network, smoothing: Smoothing = Smoothing(), kernel: String? = nil) throws(Fault) {
        // What can fail comes first: Swift 6.2 cannot undo half an initialiser of a noncopyable struct.
        let block = SampleBlock(capacity: Swift.max(1, network.hop * source.rate / 50_000))
        let recogniser = try Recogniser(network, rate: source.rate, block: block.capacity, kernel: kernel)
        self.source = source
        self.block = block
        self.recogniser = recogniser
        tracker = ActivityTracker(labels: network.labels, smoothing: smoothing)
    }

    public var labels: [String] { recogniser.labels }

    /// Runs until the source ends, `seconds` of samples are played or `stopping` says so; hands every activity to `sink`.
    ///
    /// Errors: the source's, and whatever `sink` throws.
    public mutating func run(
        speed: Speed = .real, seconds: Double? = nil, stopping: () -> Bool = { false }, sink: (Activity) throws(Fault) -> Void
    ) throws(Fault) -> LoopSummary {
        let limit = seconds.map { Int($0 * Double(source.rate) / 1000) } ?? Int.max
        let pacer = source.isLive || speed == .max ? nil : Pacer(rate: source.rate)
        var summary = LoopSummary(samples: 0, windows: 0)
        while summary.samples < limit, !stopping(), try source.read(into: &block) {
            if block.followsGap {
                recogniser.reset()
                tracker.restart(at: summary.samples * 50_000 / source.rate)
            }
            let count = Swift.min(block.count, limit - summary.samples)
            summary.samples += count
            pacer?.wait(samples: summary.samples, unless: stopping)
            if stopping() { break }
            var activities: [Activity] = []
            recogniser.push(block.samples, count: count) { activities.append(tracker.take($0)) }
            summary.windows += activities.count
            for activity in activities { try sink(activity) }
        }
        return summary
    }
}
