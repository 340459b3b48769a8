internal import Models

/// Collects the range and the means of a place in the network, in bounded memory.
struct Calibrator {
    // A histogram with bins of 1/64 up to +-64; beyond, values count in the outermost.
    private var bins = [Int](repeating: 0, count: 8192)
    private var sums: [Double]
    private var peaks: [Double]
    private var rows = 0

    init(width: Int) {
        sums = [Double](repeating: 0, count: width)
        peaks = sums
    }

    mutating func take(_ row: some Sequence<Float>) {
        for (column, value) in row.enumerated() {
            bins[min(max(Int((value * 64).rounded(.down)) + 4096, 0), 8191)] += 1
            sums[column] += Double(value)
            peaks[column] = max(peaks[column], Double(value.magnitude))
        }
        rows += 1
    }

    /// The range without the outermost values, at most `share` of them on either side.
    func calibration(losing share: Double) -> Calibration {
        let spare = Int(Double(rows * sums.count) * share)
        func edge(_ indices: some Sequence<Int>) -> Int {
            var seen = 0
            for index in indices {
                seen += bins[index]
                if seen > spare { return index }
            }
            return 4096
        }
        let low = edge(0..<8192), high = edge((0..<8192).reversed())
        let range = Double(low - 4096) / 64...Double(max(high, low) + 1 - 4096) / 64
        return Calibration(range: range, means: sums.map { $0 / Double(max(rows, 1)) }, peaks: peaks)
    }
}
