/// A row with a number that is far beyond what all others have in its column: the steps of the input follow it.
package struct OutlierRow {
    /// From 1.
    package let row: Int, column: Int
    package let value: Double
    /// The largest magnitude in the other rows.
    package let usual: Double

    private static let fewestRows = 20, times = 1000.0

    /// Nil where there is none; of several the one that is furthest off.
    package init?(_ rows: CalibrationRows) {
        guard rows.count >= Self.fewestRows else { return nil }
        var largest: [(row: Int, value: Double)] = [], second: [Double] = []
        for index in 0..<rows.count {
            for (column, number) in rows.row(index).enumerated() {
                let value = Double(number)
                if column == largest.count {
                    largest.append((index, value))
                    second.append(0)
                } else if value.magnitude > largest[column].value.magnitude {
                    second[column] = largest[column].value.magnitude
                    largest[column] = (index, value)
                } else {
                    second[column] = max(second[column], value.magnitude)
                }
            }
        }
        // A column that is zero but for one row is no outlier.
        let found = largest.indices.filter { second[$0] > 0 && largest[$0].value.magnitude > Self.times * second[$0] }
        guard let column = found.max(by: { largest[$0].value.magnitude / second[$0] < largest[$1].value.magnitude / second[$1] })
        else { return nil }
        (row, self.column, value, usual) = (largest[column].row + 1, column + 1, largest[column].value, second[column])
    }
}
