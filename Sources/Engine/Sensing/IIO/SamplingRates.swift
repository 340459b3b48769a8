/// Which of a chip's sampling rates to ask for.
package enum SamplingRates {
    /// mHz: what networks run on.
    package static let usual = 50_000
    /// mHz: what the front end makes 50 Hz of.
    package static let usable = 10_000...400_000
    /// mHz: what a chip needs at least to notice that somebody moves.
    static let resting = 10_000

    /// - Parameter available: sampling_frequency_available, "12.5 25 50 100" or "[min step max]"; empty when the driver tells none.
    /// - Returns: the lowest rate of at least `wanted` mHz as the driver writes it, else its highest.
    static func choose(from available: String, wanted: Int = usual) -> String {
        let isRange = available.contains("[")
        let texts = available.split { " \t[]".contains($0) }.map(String.init)
        let rates = texts.compactMap { text in Accelerometer.millihertz(text).map { (text: text, rate: $0) } }
        if isRange, rates.count == 3 {
            let (low, step, high) = (rates[0].rate, rates[1].rate, rates[2].rate)
            let steps = wanted > low ? (wanted - low + step - 1) / step : 0
            let rate = min(low + steps * step, high)
            return "\(rate / 1000).\(String(rate % 1000 + 1000).dropFirst())"
        }
        let enough = rates.filter { $0.rate >= wanted }.min { $0.rate < $1.rate }
        return (enough ?? rates.max { $0.rate < $1.rate })?.text ?? "\(wanted / 1000)"
    }
}
