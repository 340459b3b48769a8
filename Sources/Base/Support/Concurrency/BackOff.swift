/// How long to wait before the next attempt: a limit that doubles with each failure in a row.
///
/// Source: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015.
package struct BackOff: Sendable {
    /// Where within the limit a wait lies.
    package enum Jitter: Sendable {
        /// Anywhere between nothing and the limit.
        case full
        /// The limit, more or less that share of it.
        case proportional(Double)
        case none
    }

    /// Seconds: the first limit and the last; they may change from one attempt to the next.
    package var base: Double, cap: Double
    private let jitter: Jitter
    /// Failures in a row.
    package private(set) var failures = 0

    package init(base: Double, cap: Double, jitter: Jitter = .full) { (self.base, self.cap, self.jitter) = (base, cap, jitter) }

    package mutating func reset() { failures = 0 }

    /// The wait after one failure more.
    ///
    /// - Parameter least: what the server asks for; never less than that.
    /// - Returns: seconds.
    package mutating func next(least: Double? = nil, using random: inout some RandomNumberGenerator) -> Double {
        let limit = min(cap, base * Double(sign: .plus, exponent: min(failures, 40), significand: 1))
        failures += 1
        let wait =
            switch jitter {
            case .full: Double.random(in: 0...limit, using: &random)
            case .proportional(let share): limit * Double.random(in: 1 - share...1 + share, using: &random)
            case .none: limit
            }
        return max(least ?? 0, wait)
    }

    package mutating func next(least: Double? = nil) -> Double {
        var random = SystemRandomNumberGenerator()
        return next(least: least, using: &random)
    }
}
