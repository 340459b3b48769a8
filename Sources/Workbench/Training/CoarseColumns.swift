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

    /// Nil where no column is, or where each has steps of its own size.
    package init?(_ rows: CalibrationRows, _ network: Network) {
        guard rows.count > 1, network.inputScaling == .none else { return nil }
        let step = network.input.quantisation.scale, sizes = ColumnSizes(rows, width: network.inputs)
        let found = sizes.deviations.indices.filter { (0.0.nextUp..<Self.fewest * step).contains(sizes.deviations[$0]) }
        guard !found.isEmpty else { return nil }
        (columns, self.step) = (found.map { $0 + 1 }, step)
        let widest = sizes.largest.indices.reduce(0) { sizes.largest[$1] > sizes.largest[$0] ? $1 : $0 }
        self.widest = (widest + 1, sizes.largest[widest])
    }
}
