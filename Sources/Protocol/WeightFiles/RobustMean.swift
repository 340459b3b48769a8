/// The mean of what many participants send, of whom some may be wrong on purpose: norms are clipped, and the outermost values of each
/// coordinate do not count.
///
/// Source: Yin et al., "Byzantine-Robust Distributed Learning", ICML 2018 (coordinate-wise trimmed mean).
package enum RobustMean {
    /// How many participants it takes before the outermost values are left out: the lowest and the highest fifth.
    private static let leastForTrimming = 5

    /// - Parameters:
    ///   - changes: of equal length, one at least.
    ///   - samples: how many each was learnt from: its weight, but at most twice the median.
    ///   - clip: the longest Euclidean norm; twice the median norm when nil.
    package static func of(_ changes: [[Float]], samples: [Int], clip: Double? = nil) -> [Float] {
        let norms = changes.map { change in change.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot() }
        let longest = clip ?? 2 * median(norms), most = max(1, 2 * median(samples.map { Double(max(1, $0)) }))
        let weights = samples.map { min(most, Double(max(1, $0))) }
        let factors = norms.map { $0 > longest && $0 > 0 ? longest / $0 : 1 }
        let trimmed = changes.count >= leastForTrimming ? changes.count / 5 : 0
        return (0..<(changes.first?.count ?? 0)).map { index in
            let kept = changes.indices.map { (value: Double(changes[$0][index]) * factors[$0], weight: weights[$0]) }
                .sorted { $0.value < $1.value }.dropFirst(trimmed).dropLast(trimmed)
            let total = kept.reduce(0) { $0 + $1.weight }
            return Float(kept.reduce(0) { $0 + $1.value * $1.weight } / total)
        }
    }

    /// Of each coordinate.
    package static func median(of rows: [[Float]]) -> [Float] {
        (0..<(rows.first?.count ?? 0)).map { index in Float(median(rows.map { Double($0[index]) })) }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
