/// What becomes of each number of ``NetworkInput/features`` before it is quantised at the input's scale.
package enum InputScaling: Sendable, Equatable {
    case none
    /// Two to this power is multiplied with each.
    case powers([Int])
    /// Each becomes the number of its column's thresholds that are less: all that trees ask for, and exact.
    case ranks(ColumnThresholds)

    /// A row of numbers, as the input's scale has them.
    package func scaled(_ row: [Double]) -> [Double] {
        switch self {
        case .none: row
        case .powers(let exponents): zip(row, exponents).map { $0 * Double(sign: .plus, exponent: $1, significand: 1) }
        case .ranks(let thresholds): row.enumerated().map { Double(thresholds.rank(of: Float($1), in: $0)) }
        }
    }
}

/// The thresholds of each column of a forest's rows, rising.
package struct ColumnThresholds: Sendable, Equatable {
    package let values: [Float]
    /// Where each column's begin; and their count.
    package let starts: [Int32]

    /// As many as int16 can count.
    package static let mostOfColumn = 32_000

    package init(columns: [[Float]]) {
        values = columns.flatMap { $0 }
        starts = columns.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int32(clamping: $1.count)) }
    }

    /// Nil where the parts do not fit each other, or a column's values do not rise.
    init?(values: [Float], starts: [Int32]) {
        guard starts.first == 0, starts.last.map(Int.init) == values.count, values.allSatisfy(\.isFinite) else { return nil }
        for (low, high) in zip(starts, starts.dropFirst()) {
            guard low <= high, Int(high) <= values.count, high - low <= Self.mostOfColumn else { return nil }
            let column = values[Int(low)..<Int(high)]
            guard zip(column, column.dropFirst()).allSatisfy(<) else { return nil }
        }
        (self.values, self.starts) = (values, starts)
    }

    package var columns: Int { starts.count - 1 }

    /// How many of a column's thresholds are less than a number.
    package func rank(of number: Float, in column: Int) -> Int {
        guard (0..<columns).contains(column) else { return 0 }
        let first = Int(starts[column])
        var low = first, high = Int(starts[column + 1])
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low - first
    }
}
