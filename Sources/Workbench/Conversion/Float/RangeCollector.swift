/// What calibration data showed of a tensor.
package struct Calibration: Sendable, Equatable {
    /// Of all values there.
    package var range: ClosedRange<Double>
    /// Of each element.
    package var means: [Double]
    /// Largest magnitude of each element.
    package var peaks: [Double]

    package init(range: ClosedRange<Double>, means: [Double], peaks: [Double]) {
        self.range = range
        self.means = means
        self.peaks = peaks
    }

    /// The largest magnitude of all.
    var peak: Double { max(range.lowerBound.magnitude, range.upperBound.magnitude) }

    /// The same with a range that is so many times as wide.
    func widened(by factor: Double) -> Calibration {
        var wide = self
        wide.range = range.lowerBound * factor...range.upperBound * factor
        wide.peaks = peaks.map { $0 * factor }
        return wide
    }
}

/// Collects the range and the means of a tensor over many rows, in bounded memory, whatever the unit.
package struct RangeCollector: Sendable {
    // A histogram over +-limit; the limit doubles, and neighbours merge, when a value lies beyond.
    private static let half = 4096
    private var bins = [Int](repeating: 0, count: 2 * half)
    private var limit = 0x1p-10
    private var sums: [Double]
    private var peaks: [Double]

    package init(width: Int) {
        sums = [Double](repeating: 0, count: width)
        peaks = sums
    }

    /// One more row. Values must be finite.
    package mutating func take(_ row: some Sequence<Float>) {
        for (column, number) in row.enumerated() {
            let value = Double(number), column = column % sums.count
            while value.magnitude >= limit { widen() }
            bins[Int((value / limit * Double(Self.half)).rounded(.down)) + Self.half] += 1
            sums[column] += value
            peaks[column] = max(peaks[column], value.magnitude)
        }
    }

    private mutating func widen() {
        var wider = [Int](repeating: 0, count: bins.count)
        for (index, count) in bins.enumerated() where count > 0 { wider[(index + Self.half) / 2] += count }
        bins = wider
        limit *= 2
    }

    /// The range without the outermost values, at most `share` of them on either side.
    package func calibration(losing share: Double = 0) -> Calibration {
        let count = bins.reduce(0, +), spare = Int(Double(count) * share), step = limit / Double(Self.half)
        func edge(_ indices: some Sequence<Int>) -> Int {
            var seen = 0
            for index in indices {
                seen += bins[index]
                if seen > spare { return index }
            }
            return Self.half
        }
        let low = edge(bins.indices), high = edge(bins.indices.reversed())
        let range = Double(low - Self.half) * step...Double(max(high, low) + 1 - Self.half) * step
        let each = Double(max(count / sums.count, 1))
        return Calibration(range: range, means: sums.map { $0 / each }, peaks: peaks)
    }
}
