/// Decides when a sensor that nothing moves is left to its driver's events for movement.
///
/// Events are believed once one came with a movement that the samples show: a chip whose interrupt is not wired has them too.
struct RestPlan {
    enum Step: Equatable {
        case goOn
        /// Switch the events on, and go on capturing: movement will show whether they come.
        case watch
        /// Switch them off.
        case stopWatching
        /// Stop capturing until an event comes.
        case sleep
    }

    enum Trust: Equatable {
        case unknown, watching, proved
        /// They did not come with movement.
        case refuted
    }

    /// From lowest to highest of an axis within a block, Q3.12 g: what counts as lying still, and what no event may miss.
    static let stillness = 205, movement = 2048 // 0.05 and 0.5 g
    // A sleep shorter than this (ns) was for nothing; after so many in a row the waits get longer.
    private static let short: Int64 = 10_000_000_000, mostShort = 3, longest: Int64 = 3_600_000_000_000

    /// ns without movement; nil to capture for ever.
    var after: Int64?
    private(set) var trust = Trust.unknown
    private var still: Int64 = 0, factor: Int64 = 1, shortSleeps = 0

    init(after: Int64? = nil) { self.after = after }

    /// - Parameters:
    ///   - range: the widest of a block's axes, Q3.12 g.
    ///   - duration: of the block, ns.
    ///   - event: whether one came since the last block; asked for only while they are on.
    mutating func take(range: Int, duration: Int64, event: () -> Bool) -> Step {
        guard let after, trust != .refuted else {
            still = 0
            return endWatch(.unknown)
        }
        guard range < Self.stillness else {
            still = 0
            guard trust == .watching, range > Self.movement else { return .goOn }
            return endWatch(event() ? .proved : .refuted)
        }
        still += duration
        if trust == .watching && event() { // although nothing moves: a threshold within the chip's noise
            lengthen(after)
            still = 0
            return endWatch(.unknown)
        }
        guard still >= min(Self.longest, after * factor) else { return .goOn }
        switch trust {
        case .unknown:
            trust = .watching
            return .watch
        case .proved:
            still = 0
            return .sleep
        case .watching, .refuted: return .goOn
        }
    }

    /// The sensor is captured again.
    mutating func woke(after duration: Int64) {
        shortSleeps = duration < Self.short ? shortSleeps + 1 : 0
        if shortSleeps == 0 { factor = 1 } else if shortSleeps >= Self.mostShort, let after { lengthen(after) }
    }

    /// Events cannot be switched on.
    mutating func refute() { trust = .refuted }

    private mutating func lengthen(_ after: Int64) { factor = min(factor * 2, max(1, Self.longest / after)) }

    private mutating func endWatch(_ next: Trust) -> Step {
        guard trust == .watching else { return .goOn }
        trust = next
        return .stopWatching
    }
}
