package import NeuralNetwork
package import Sensing
package import Support

/// From a source's samples to activities. Memory is fixed at the start.
package struct ClassificationLoop: ~Copyable {
    package let source: any SampleSource
    /// Samples at the source's rate, and windows, so far.
    package private(set) var samples: Int64 = 0, windows: Int64 = 0
    /// Of the windows, those that a model's first network decided on by itself.
    package private(set) var windowsByFirst: Int64 = 0

    /// The one that decides, and the one that is tried beside it.
    package private(set) var network: Network
    // Written out: "?" would begin as nil, which Swift 6.2 cannot undo in an initialiser that throws.
    private var candidate: Optional<Network>
    private let kernel: String?
    private var keepsWindows: Bool
    private var recogniser: Recogniser
    // Steps and falls, in every sample.
    private var movement: MovementWatch
    private var gate = StepGate()
    private var counted = Moved()
    // Written out, as above.
    private var configured: Optional<ConfiguredWearing>
    private var tracker: ActivityTracker
    /// What the source gave last.
    package private(set) var block: SampleBlock
    private var rate: Int
    // Where the present rate began: samples of the source, and the same at 50 Hz.
    private var rateSince: (samples: Int64, time: Int64) = (0, 0)
    // The source's time of the first sample, ns.
    private var began: Int64?
    // What was decided last; whether the sensor sleeps since.
    private var latest: Optional<Activity>
    package private(set) var isStill = false

    /// One block is one hop: the processor wakes once for every decision.
    ///
    /// - Parameters:
    ///   - smoothing: what suits the network when nil.
    ///   - keepsWindows: whether activities come with their windows.
    ///   - falls: which blows are falls; nil where none are looked for.
    /// - Throws: `.badData` when the network cannot be used.
    package init(
        source: any SampleSource, network: Network, smoothing: Smoothing? = nil, kernel: String? = nil, keepsWindows: Bool = false,
        falls: FallDetection? = nil
    ) throws(Fault) {
        // What can fail comes first: Swift 6.2 cannot undo half an initialiser of a noncopyable struct.
        let block = SampleBlock(capacity: Swift.max(1, (network.hop * source.rate + 49_999) / 50_000))
        var recogniser = try Recogniser(network, rate: source.rate, block: block.capacity, kernel: kernel, keepsWindows: keepsWindows)
        let movement = try MovementWatch(
            falls: falls?.model, sensitivity: falls?.sensitivity ?? .normal, confirm: falls?.confirmSeconds ?? 10)
        recogniser.watch(movement)
        configured = source.wearing
        if let configured { recogniser.use(configured) }
        self.source = source
        self.network = network
        candidate = nil
        latest = nil
        self.kernel = kernel
        self.keepsWindows = keepsWindows
        self.block = block
        self.recogniser = recogniser
        self.movement = movement
        rate = source.rate
        tracker = ActivityTracker(labels: network.labels, smoothing: smoothing ?? Smoothing(for: network))
    }

    package var labels: [String] { recogniser.labels }

    /// How the sensor is worn, as far as the network has learnt it; nil for networks that do not need it.
    package var orientation: Orientation? { recogniser.orientation }

    /// Goes by what was configured until walking shows how the sensor is worn. A source that knows it itself is believed.
    package mutating func use(_ configured: ConfiguredWearing) {
        guard source.wearing == nil else { return }
        self.configured = configured
        recogniser.use(configured)
    }

    /// Whether activities come with their windows from now on.
    package mutating func keepWindows(_ isWanted: Bool) {
        keepsWindows = isWanted
        recogniser.keepWindows(isWanted)
    }

    /// Goes on with what was learnt before a restart.
    package mutating func use(_ orientation: Orientation) { recogniser.use(orientation) }

    /// Runs until the source ends, `seconds` of samples are played or `stopping` says so; hands every activity to `sink`.
    /// `between` is called after every block, empty ones too: it may use another network.
    ///
    /// - Throws: the source's, and whatever `sink` and `between` throw.
    package mutating func run(
        speed: Speed = .real, seconds: Double? = nil, stopping: () -> Bool = { false },
        between: (inout ClassificationLoop) throws(Fault) -> Void = { _ in }, sink: (Activity) throws(Fault) -> Void
    ) throws(Fault) {
        // 32 bits of samples are two years at 50 Hz, and half of that with a sign.
        let limit = seconds.map { Int64($0 * Double(source.rate) / 1000) } ?? Int64.max
        let pacer = source.isLive || speed == .max ? nil : Pacer(rate: source.rate)
        block.wanted = recogniser.missing
        while samples < limit, !stopping(), try source.read(into: &block) {
            defer { block.wanted = recogniser.missing }
            if block.count > 0 && began == nil { began = block.time }
            if block.followsGap { try resume() }
            let count = Int(Swift.min(Int64(block.count), limit - samples))
            samples += Int64(count)
            pacer?.wait(samples: samples, unless: stopping)
            if stopping() { break }
            for index in 0..<recogniser.push(block.samples, count: count) {
                let decision = recogniser.decision(index)
                var activity = tracker.take(decision)
                activity.waited = block.waited / 1_000_000
                if let moved = decision.moved { measure(&activity, moved) }
                movement.place(activity.placement)
                windows += 1
                windowsByFirst += decision.isByFirst ? 1 : 0
                latest = activity
                try sink(activity)
            }
            if let activity = rest() { try sink(activity) }
            try between(&self)
        }
    }

    // What moved since the window before.
    private mutating func measure(_ activity: inout Activity, _ moved: Moved) {
        let each = ArmSwing.steps(activity.label, at: activity.placement, cadence: moved.cadence)
        activity.steps = gate.take((moved.steps - counted.steps) * Int64(each), activity)
        activity.cadence = activity.steps > 0 ? moved.cadence.map { $0 * each } : nil
        activity.movement = (moved.squares - counted.squares) / Swift.max(1, moved.samples - counted.samples)
        counted = moved
    }

    /// What was found of falls since the last call, one at a time, and how many seconds ago the blow was.
    package mutating func takeFall() -> (event: FallEvent, age: Double)? {
        guard let event = movement.takeFall() else { return nil }
        return (event, Double(Swift.max(0, movement.moved.samples - event.impact)) / 50)
    }

    // What is said when the sensor falls asleep.
    private mutating func rest() -> Activity? {
        defer { isStill = block.isStill }
        guard block.isStill, !isStill, var activity = latest else { return nil }
        (activity.isStill, activity.window, activity.shadow) = (true, [], nil)
        activity.end = Swift.max(activity.end, (block.time - (began ?? block.time)) / 20_000_000)
        return activity
    }

    /// Goes on with another network or smoothing from the next window on, and ends what is tried beside. No window is lost, unless the
    /// networks' windows differ: the next one begins afresh then.
    ///
    /// - Throws: `.badData` when the network cannot be used; the loop then goes on as it was.
    package mutating func use(_ network: Network, smoothing: Smoothing) throws(Fault) {
        if network.window != self.network.window || network.hop != self.network.hop {
            recogniser = try anew(network)
            source.useBlocks(of: Double(network.hop) / 50)
            (self.network, candidate) = (network, nil)
            tracker = ActivityTracker(labels: network.labels, smoothing: smoothing)
            tracker.restart(at: time)
            return
        }
        if network != self.network {
            try shadow(network)
            exchange()
        }
        endShadow()
        tracker.use(smoothing)
    }

    /// Lets another network see every window beside the one that decides.
    ///
    /// - Parameter network: of the same window and hop.
    /// - Throws: `.badData` when it cannot be used; nothing has changed then.
    package mutating func shadow(_ network: Network) throws(Fault) {
        try recogniser.shadow(with: network)
        candidate = network
    }

    /// The network in the shadow decides from the next window on, and the other one is in the shadow. No window is lost or decided on
    /// twice.
    package mutating func exchange() {
        guard let candidate else { return }
        recogniser.exchange()
        let labels = network.labels
        (network, self.candidate) = (candidate, network)
        // Smoothing goes on where the labels are the same.
        if labels != network.labels { tracker.relabel(network.labels) }
    }

    package mutating func endShadow() {
        recogniser.endShadow()
        candidate = nil
    }

    // How the sensor is worn does not change with the network or the rate.
    private func anew(_ network: Network) throws(Fault) -> Recogniser {
        var next = try Recogniser(network, rate: rate, block: block.capacity, kernel: kernel, keepsWindows: keepsWindows)
        next.watch(movement)
        if let configured { next.use(configured) }
        if let orientation { next.use(orientation) }
        return next
    }

    /// Seconds x 50 since the start, also those without samples.
    package var time: Int64 { rateSince.time + (samples - rateSince.samples) * 50_000 / Int64(rate) }

    // After a gap no window holds samples from before it. The sensor may have come back with another rate, and time went on
    // without samples.
    private mutating func resume() throws(Fault) {
        let elapsed = source.isLive ? (block.time - (began ?? block.time)) / 20_000_000 : 0
        rateSince = (samples, Swift.max(time, elapsed))
        movement.interrupt()
        if source.rate == rate {
            recogniser.reset()
        } else {
            rate = source.rate
            recogniser = try anew(network)
            if let candidate { try recogniser.shadow(with: candidate) }
        }
        tracker.restart(at: time)
    }
}
