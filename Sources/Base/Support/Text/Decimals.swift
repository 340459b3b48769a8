/// Numbers as text, without a locale and without Foundation.
package enum Decimals {
    /// `numerator / denominator` with `places` decimals, halves away from zero: `text(197, 100, 1)` is "2.0".
    package static func text(_ numerator: some BinaryInteger, over denominator: Int, places: Int) -> String {
        var line = TextLine()
        line.append(Scaled(UInt64(numerator.magnitude), over: denominator, places: places), isNegative: numerator < 0)
        return line.text
    }

    /// A magnitude, rounded to some decimals.
    struct Scaled {
        var whole: UInt64, fraction: UInt64, places: Int

        init(_ magnitude: UInt64, over denominator: Int, places: Int) {
            let denominator = UInt64(denominator)
            var power: UInt64 = 1
            for _ in 0..<places { power *= 10 }
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: power)
            let scaled = overflow ? magnitude / denominator * power : (product + denominator / 2) / denominator
            (whole, fraction, self.places) = (scaled / power, scaled % power, places)
        }

        var isZero: Bool { whole == 0 && fraction == 0 }
    }

    /// `value` with `places` decimals, at most 9.
    package static func text(_ value: Double, places: Int) -> String {
        guard value.isFinite, value.magnitude < (places > 6 ? 1e9 : 1e12) else { return "\(value)" }
        if places > 6 { return text(Int64((value * 1e9).rounded()), over: 1_000_000_000, places: places) }
        return text(Int64((value * 1e6).rounded()), over: 1_000_000, places: places)
    }
}
