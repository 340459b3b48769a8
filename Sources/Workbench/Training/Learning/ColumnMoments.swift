/// Count, means and variances of each column of some rows of integers.
struct ColumnMoments {
    let count: Int
    let means: [Double], variances: [Double]

    init(_ rows: [some Collection<Int16>]) {
        let width = rows.first?.count ?? 0
        var sums = [Int64](repeating: 0, count: width), squares = sums
        for row in rows {
            for (column, value) in row.enumerated() {
                sums[column] += Int64(value)
                squares[column] += Int64(value) * Int64(value)
            }
        }
        let all = Double(max(rows.count, 1)), means = sums.map { Double($0) / all }
        count = rows.count
        self.means = means
        variances = squares.indices.map { max(0, Double(squares[$0]) / all - means[$0] * means[$0]) }
    }
}
