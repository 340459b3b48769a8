/// How long to wait before the next attempt: anywhere between nothing and a limit that doubles ("full jitter").
///
/// Source: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015.
public struct BackOff: Sendable {
    /// Seconds: the first limit and the last.
    public let base: Double, cap: Double
    /// Failures in a row.
    public private(set) var failures = 0

    public init(base: Double, cap: Double) { (self.base, self.cap) = (base, cap) }

    public mutating func reset() { failures = 0 }

    /// - Parameter least: what the server asks for; never less than that.
    /// Returns: seconds.
    public mutating func next(least: Double? = nil, using random: inout some RandomNumberGenerator) -> Double {
        let limit = min(cap, base * Double(sign: .plus, exponent: min(failures, 40), significand: 1))
        failures += 1
        return max(least ?? 0, Double.random(in: 0...limit, using: &random))
    }
}
