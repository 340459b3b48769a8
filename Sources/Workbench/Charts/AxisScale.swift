/// An axis with round numbers.
package struct AxisScale {
    package let low: Double
    package let high: Double
    package let ticks: [Double]

    /// One that covers the values.
    package static func of(_ values: [Double], about count: Double = 6) -> AxisScale {
        let least = values.min() ?? 0, most = values.max() ?? 1, step = step(max(most - least, 0.1), about: count)
        let low = (least / step).rounded(.down) * step, high = (most / step).rounded(.up) * step
        // Products, not sums, so that 0.3 is 0.3.
        let first = Int((low / step).rounded()), last = Int((high / step).rounded()), whole = step >= 1 ? 1.0 : (1 / step).rounded()
        let ticks = (first...max(first, last)).map { step >= 1 ? Double($0) * step : Double($0) / whole }
        return AxisScale(low: low, high: max(high, low + step), ticks: ticks)
    }

    /// A whole number without its ".0".
    package static func text(_ value: Double) -> String { value == value.rounded() && value.magnitude < 1e9 ? "\(Int(value))" : "\(value)" }

    /// 1, 2 or 5 times a power of ten.
    package static func step(_ span: Double, about count: Double) -> Double {
        var power = 1.0
        let wish = max(span, 1e-6) / count
        while power > wish { power /= 10 }
        while power * 10 <= wish { power *= 10 }
        let times = wish / power
        return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10)
    }
}
