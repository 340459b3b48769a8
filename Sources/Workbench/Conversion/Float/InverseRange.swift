internal import NeuralNetwork
internal import Support

/// What a function that grows without bound towards zero gives for inputs that int16 can tell from zero.
///
/// One row of zeros, divided by what keeps its length from being zero, would have a table over lengths hold nothing but that row.
struct InverseRange {
    // Of outputs, by the exponent of the input.
    private var ranges: [Int: ClosedRange<Double>] = [:]

    // The smallest step of int16 is 2^-15 of the largest number.
    private static let bits = 15

    /// Whether this is such a function: 1 / x, x^-0.5 and their like, also beside what keeps them finite.
    static func isNeeded(_ operation: FloatOperation) -> Bool {
        guard case .curve(let curve) = operation else { return false }
        return [1, 0x1p-10].allSatisfy { x in
            let far = curve.value(x).magnitude, near = curve.value(x * 0x1p-10).magnitude
            return far > 0 && near.isFinite && near > 16 * far
        }
    }

    mutating func take(_ inputs: [Float], _ outputs: [Float]) {
        for (input, output) in zip(inputs, outputs) where input != 0 {
            let output = Double(output), exponent = Int(input.exponent), known = ranges[exponent] ?? output...output
            ranges[exponent] = min(known.lowerBound, output)...max(known.upperBound, output)
        }
    }

    /// The calibration of the function's outputs, without those of smaller inputs.
    func limited(_ seen: Calibration) -> Calibration {
        guard let largest = ranges.keys.max() else { return seen }
        let kept = ranges.filter { $0.key > largest - Self.bits }.values
        guard let low = kept.map(\.lowerBound).min(), let high = kept.map(\.upperBound).max() else { return seen }
        let limit = max(low.magnitude, high.magnitude)
        return Calibration(
            range: low...high, means: seen.means.map { min(max($0, low), high) }, peaks: seen.peaks.map { min($0, limit) })
    }
}
