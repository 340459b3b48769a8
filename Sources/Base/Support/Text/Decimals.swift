/// Numbers as text, without a locale and without Foundation.
package enum Decimals {
    /// `numerator / denominator` with `places` decimals, halves away from zero: `text(197, 100, 1)` is "2.0".
    package static func text(_ numerator: some BinaryInteger, over denominator: Int, places: Int) -> String {
        let magnitude = UInt64(numerator.magnitude), denominator = UInt64(denominator)
        var power: UInt64 = 1
        for _ in 0..<places { power *= 10 }
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: power)
        let scaled = overflow ? magnitude / denominator * power : (product + denominator / 2) / denominator
        let sign = numerator < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % power)
        return sign + String(scaled / power) + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// `value` with `places` decimals, at most 9.
    package static func text(_ value: Double, places: Int) -> String {
        guard value.isFinite, value.magnitude < (places > 6 ? 1e9 : 1e12) else { return "\(value)" }
        if places > 6 { return text(Int64((value * 1e9).rounded()), over: 1_000_000_000, places: places) }
        return text(Int64((value * 1e6).rounded()), over: 1_000_000, places: places)
    }
}
