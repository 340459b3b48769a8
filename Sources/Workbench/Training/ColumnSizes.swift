internal import Conversion

/// How large the numbers in each column of rows are, and how much they differ.
struct ColumnSizes {
    /// The largest magnitude.
    let largest: [Double]
    /// Standard deviations.
    let deviations: [Double]

    init(_ rows: CalibrationRows, width: Int) {
        var sums = [Double](repeating: 0, count: width), squares = sums, largest = sums
        for index in 0..<rows.count {
            for (column, number) in rows.row(index).enumerated() where column < width {
                let value = Double(number)
                sums[column] += value
                squares[column] += value * value
                largest[column] = max(largest[column], value.magnitude)
            }
        }
        let count = Double(max(rows.count, 1))
        self.largest = largest
        deviations = zip(sums, squares).map { max(0, $1 / count - ($0 / count) * ($0 / count)).squareRoot() }
    }

    /// Two to which power each column is multiplied with, so that small ones have about as many of the input's integers as the largest;
    /// nil where none has few.
    ///
    /// - Parameter graph: reads the rows.
    func exponents(for graph: FloatGraph) -> [Int]? {
        var largest = largest
        for forest in graph.forests(on: 0) {
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                largest[Int(feature)] = max(largest[Int(feature)], Double(forest.thresholds[node].magnitude))
            }
        }
        // What trees compare has steps of at least 2^-12.
        let widest = max(largest.max() ?? 0, graph.hasForests ? 8 : 0), step = widest * 0x1p-15
        guard widest.isFinite, deviations.contains(where: { $0 > 0 && $0 < Self.enough * step }) else { return nil }
        // Others' numbers may be larger; what trees compare needs the finest steps.
        let spare = graph.hasForests ? 0 : 2
        let exponents = largest.map { size in
            size > 0 ? min(max(Int((widest / size).exponent) - spare, 0), Self.most) : 0
        }
        return exponents.contains { $0 > 0 } ? exponents : nil
    }

    // Steps in a standard deviation that are as good as any.
    private static let enough = 1024.0, most = 60
}
