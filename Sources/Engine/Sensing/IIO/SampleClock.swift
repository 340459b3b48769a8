/// What the times of samples tell: which are missing, and how fast they really come.
struct SampleClock {
    /// ns between samples as the driver promises them.
    private let period: Int64
    private var last: Int64?
    private var recent = Mean(), whole = Mean()

    /// - Parameter rate: mHz.
    init(rate: Int) { period = 1_000_000_000_000 / Int64(rate) }

    /// How many samples are missing right before sample `index` of the block. Call it once for each, in order.
    mutating func missing(before index: Int, in times: [Int64], count: Int) -> Int {
        defer { last = times[index] }
        guard let last else { return 0 }
        let step = times[index] &- last // a driver's times may be anything
        if step > 0 && step < 8 * period { // not what an overrun or a sleeping machine left out
            recent.add(step)
            whole.add(step)
        }
        guard step > period + period / 2 else { return 0 }
        // One sample may only be late: then those after it are less so.
        var behind = step - period
        for ahead in 1...3 where index + ahead < count {
            behind = min(behind, times[index + ahead] &- last &- Int64(ahead + 1) * period)
        }
        return Int(clamping: max(0, behind / period + (behind % period * 2 >= period ? 1 : 0)))
    }

    /// Starts afresh after a gap; what was measured stays, unless the rate is another one now.
    init(rate: Int, keeping before: SampleClock) {
        self.init(rate: rate)
        if period == before.period { whole = before.whole }
    }

    /// Samples a second in mHz since the start.
    var rate: Int? { whole.rate }

    /// The rate since the last answer, once it has seen `seconds`.
    mutating func recentRate(over seconds: Double) -> Int? {
        guard Double(recent.sum) >= seconds * 1e9 else { return nil }
        defer { recent = Mean() }
        return recent.rate
    }

    private struct Mean {
        var sum: Int64 = 0, count: Int64 = 0

        mutating func add(_ step: Int64) {
            sum += step
            count += 1
        }

        var rate: Int? { sum >= count && count > 0 ? Int(clamping: 1_000_000_000_000 / (sum / count)) : nil }
    }
}
