/// What the times of samples tell: which are missing, and how fast they really come.
struct SampleClock {
    /// ns between samples as the driver promises them.
    private let period: Int64
    private var last: Int64?
    // Most samples of the block are late: the sensor is slower than it says, and misses none.
    private var isSlow = false
    // Blocks without times of their own: when the last one came, and those after which samples are missing.
    private var arrival: Int64?, arrivals = 0
    private var overrun: (blocks: Int, missing: Int)?
    private static let settling = 2
    private var recent = Mean(), whole = Mean()

    /// - Parameter rate: mHz.
    init(rate: Int) { period = 1_000_000_000_000 / Int64(rate) }

    /// How many samples are missing right before sample `index` of the block. Call it once for each, in order.
    mutating func missing(before index: Int, in times: [Int64], count: Int) -> Int {
        defer { last = times[index] }
        guard let last else { return 0 }
        let step = times[index] &- last // a driver's times may be anything
        if step > 0 && step < 8 * period { // not what an overrun or a sleeping machine left out
            recent.add(1, in: step)
            whole.add(1, in: step)
        }
        guard isLate(step), !isSlow else { return 0 }
        // One sample may only be late: then those after it are less so.
        var behind = step - period
        for ahead in 1...3 where index + ahead < count {
            behind = min(behind, times[index + ahead] &- last &- Int64(ahead + 1) * period)
        }
        return Int(clamping: max(0, behind / period + (behind % period * 2 >= period ? 1 : 0)))
    }

    /// A block with times of its own came; the verdicts on its samples follow.
    mutating func begin(_ times: [Int64], count: Int) {
        var late = 0
        for index in 1..<max(1, count) where isLate(times[index] &- times[index - 1]) { late += 1 }
        isSlow = 2 * late >= count && late > 1
    }

    /// Whether it takes the next block to tell a late sample at the end of this one from missing ones before it.
    func isUndecided(_ times: [Int64], count: Int) -> Bool { count > 1 && !isSlow && isLate(times[count - 1] &- times[count - 2]) }

    private func isLate(_ step: Int64) -> Bool { step > period + period / 2 }

    /// A block without times of its own came.
    ///
    /// - Parameters:
    ///   - now: when it was read, ns.
    ///   - block: samples of a whole block.
    ///   - waiting: blocks that wait for the reader at most; more are lost.
    /// - Returns: how many samples are missing before it.
    mutating func missing(beforeBlockOf count: Int, at now: Int64, block: Int, waiting: Int) -> Int {
        defer { (arrival, arrivals) = (now, min(arrivals + 1, Self.settling)) }
        last = nil
        // What waited at the start comes at once.
        guard let arrival, arrivals == Self.settling else { return 0 }
        let elapsed = now &- arrival, room = Int64(waiting * block) * period
        guard elapsed > room + Int64(block) * period else {
            if elapsed > 0 && overrun == nil { // what waited comes at once
                recent.add(Int64(count), in: elapsed)
                whole.add(Int64(count), in: elapsed)
            }
            return endOverrun()
        }
        // The oldest ones waited, this block first among them; those after them are lost.
        overrun = (waiting, Int(clamping: (elapsed - room) / period))
        return endOverrun()
    }

    private mutating func endOverrun() -> Int {
        guard let (blocks, missing) = overrun else { return 0 }
        overrun = blocks > 0 ? (blocks - 1, missing) : nil
        return blocks > 0 ? 0 : missing
    }

    /// Starts afresh after a gap; what was measured stays, unless the rate is another one now.
    init(rate: Int, keeping before: SampleClock) {
        self.init(rate: rate)
        if period == before.period { whole = before.whole }
    }

    /// Samples a second in mHz since the start.
    var rate: Int? { whole.rate }

    /// Seconds for which ``rate`` was measured.
    var measuredSeconds: Double { Double(whole.sum) * 1e-9 }

    /// The rate since the last answer, once it has seen so long (ns).
    mutating func recentRate(over duration: Int64) -> Int? {
        guard recent.sum >= duration else { return nil }
        defer { recent = Mean() }
        return recent.rate
    }

    private struct Mean {
        var sum: Int64 = 0, count: Int64 = 0

        mutating func add(_ samples: Int64, in time: Int64) {
            sum += time
            count += samples
        }

        var rate: Int? { sum >= count && count > 0 ? Int(clamping: 1_000_000_000_000 / (sum / count)) : nil }
    }
}
