/// e^x and ln x from sums and products alone, so that training and conversion give the same bits on every platform: C libraries differ in
/// the last one. Relative error below 1e-12 in e^x for -700 < x < 700, absolute error below 1e-12 in ln x for x > 0.
package enum Exponential {
    private static let log2e = 1.4426950408889634, ln2 = 0.6931471805599453

    package static func exp(_ x: Double) -> Double {
        let clamped = max(-700, min(700, x))
        let power = (clamped * log2e).rounded()
        let rest = clamped - power * ln2 // |rest| <= 0.35
        var sum = 1.0
        for divisor in stride(from: 13.0, to: 0, by: -1) { sum = 1 + sum * rest / divisor }
        return sum * two(to: power)
    }

    /// Four at once, each to the bit as by itself.
    package static func exp(_ x: SIMD4<Double>) -> SIMD4<Double> {
        var clamped = x.replacing(with: 700, where: .!(x .< 700))
        clamped.replace(with: -700, where: clamped .< -700)
        let power = (clamped * log2e).rounded(.toNearestOrAwayFromZero)
        let rest = clamped - power * ln2
        var sum = SIMD4<Double>(repeating: 1)
        for divisor in stride(from: 13.0, to: 0, by: -1) { sum = 1 + sum * rest / divisor }
        return sum * SIMD4(two(to: power[0]), two(to: power[1]), two(to: power[2]), two(to: power[3]))
    }

    // Nothing here is as small or as large as to leave the normal numbers.
    private static func two(to power: Double) -> Double { Double(bitPattern: UInt64(Int(power) + 1023) << 52) }

    package static func log(_ x: Double) -> Double {
        let t = (x.significand - 1.5) / (x.significand + 1.5) // ln(1.5 (1 + t) / (1 - t)), |t| <= 0.2
        var sum = 0.0
        for power in stride(from: 17.0, to: 0, by: -2) { sum = sum * t * t + 1 / power }
        return Double(x.exponent) * ln2 + 0.4054651081081644 + 2 * t * sum
    }
}
