/// Whether a chip that sleeps at a low rate tells of movement: until an event came at that rate, one looks soon, then later and later.
struct SlowRest {
    enum Trust: Equatable {
        case unknown, proved, refuted
    }

    /// ms between two looks at a sensor that sleeps.
    static let longest: Int32 = 360_000, first: Int32 = 30_000

    private(set) var trust = Trust.unknown
    private var next = longest

    /// The sensor falls asleep.
    mutating func begin(isSlow: Bool) { next = isSlow && trust == .unknown ? Self.first : Self.longest }

    /// How long to wait for an event, ms.
    mutating func nextLook() -> Int32 {
        defer { next = min(Self.longest, next * 2) }
        return next
    }

    /// The sensor moved while it slept at the low rate: an event told so, or a look.
    mutating func end(byEvent: Bool) {
        if trust == .unknown { trust = byEvent ? .proved : .refuted }
    }
}
