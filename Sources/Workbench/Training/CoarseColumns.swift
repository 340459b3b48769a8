internal import Conversion
package import NeuralNetwork

/// Columns of a forest's rows that have few of the input's integers, since others are much larger: trees compare them coarsely.
package struct CoarseColumns {
    /// From 1.
    package let columns: [Int]
    /// What one integer is in all columns.
    package let step: Double
    /// The column with the largest numbers, and the largest of these.
    package let widest: (column: Int, size: Double)

    // Steps in a standard deviation: with fewer, a threshold is off by more than a hundredth of what the column shows.
    private static let fewest = 64.0

    /// Nil where no column is.
    ///
    /// - Parameter input: of the network, which has a forest.
    package init?(_ rows: CalibrationRows, input: Tensor) {
        guard rows.count > 1 else { return nil }
        let width = input.count, step = input.quantisation.scale
        var sums = [Double](repeating: 0, count: width), squares = sums, largest = sums
        for index in 0..<rows.count {
            for (column, number) in rows.row(index).enumerated() where column < width {
                let value = Double(number)
                sums[column] += value
                squares[column] += value * value
                largest[column] = max(largest[column], value.magnitude)
            }
        }
        let count = Double(rows.count)
        let found = (0..<width).filter { column in
            let mean = sums[column] / count, variance = max(0, squares[column] / count - mean * mean)
            return variance > 0 && variance.squareRoot() < Self.fewest * step
        }
        guard !found.isEmpty else { return nil }
        (columns, self.step) = (found.map { $0 + 1 }, step)
        let widest = largest.indices.reduce(0) { largest[$1] > largest[$0] ? $1 : $0 }
        self.widest = (widest + 1, largest[widest])
    }
}
