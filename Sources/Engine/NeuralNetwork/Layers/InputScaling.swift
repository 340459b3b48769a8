/// What becomes of each row of ``NetworkInput/features`` before it is quantised at the input's scale.
package struct InputScaling: Sendable, Equatable {
    /// Each column has an offset and a step of its own.
    package var steps: ColumnSteps?
    /// Each column becomes the number of its thresholds that are less: all that trees ask for, and exact. Where there are steps as well,
    /// the ranks come after all columns with their steps, so that the input has two integers of each.
    package var thresholds: ColumnThresholds?

    package static let none = InputScaling()

    package init(steps: ColumnSteps? = nil, thresholds: ColumnThresholds? = nil) {
        self.steps = steps
        self.thresholds = thresholds
    }

    /// Whether nothing but ranks goes in, for which no number is too large.
    package var isOfRanksAlone: Bool { thresholds != nil && steps == nil }

    package var hasCopies: Bool { steps?.copies != nil }

    /// How many numbers a row has that makes this many of the input's integers.
    package func columns(of inputs: Int) -> Int {
        steps?.copies.map(\.columns) ?? (steps != nil && thresholds != nil ? inputs / 2 : inputs)
    }

    /// A row of numbers, as the input's scale has them.
    package func scaled(_ row: [Double]) -> [Double] {
        guard steps != nil || thresholds != nil else { return row }
        let stepped = steps.map { $0.scaled(row) } ?? []
        return stepped + (thresholds.map { thresholds in row.enumerated().map { Double(thresholds.rank(of: Float($1), in: $0)) } } ?? [])
    }
}

/// What is subtracted from each column of the input, and two to which power is multiplied with it then: columns that are small, or far
/// from zero, have as many of the input's integers as the others.
package struct ColumnSteps: Sendable, Equatable {
    /// One for each of the input's integers.
    package let exponents: [Int]
    /// The same, in the column's own unit.
    package let offsets: [Float]
    /// Which column each of the input's integers is of; nil: as they come.
    package let copies: ColumnCopies?

    /// - Parameter offsets: nil: none.
    package init(exponents: [Int], offsets: [Float]? = nil, copies: ColumnCopies? = nil) {
        self.exponents = exponents
        self.offsets = offsets ?? [Float](repeating: 0, count: exponents.count)
        self.copies = copies
    }

    package var hasOffsets: Bool { offsets.contains { $0 != 0 } }

    /// What the input is multiplied with, after the subtraction.
    package var factors: [Float] { exponents.map { Float(sign: .plus, exponent: $0, significand: 1) } }

    func scaled(_ row: [Double]) -> [Double] {
        guard let copies else { return row.enumerated().map { scaled($1, of: $0) } }
        return copies.from.enumerated().map { index, column in
            row.indices.contains(Int(column)) ? scaled(row[Int(column)], of: index) : 0
        }
    }

    func scaled(_ number: Double, of index: Int) -> Double {
        guard exponents.indices.contains(index) else { return number }
        return (number - Double(offsets[index])) * Double(sign: .plus, exponent: exponents[index], significand: 1)
    }

    /// What a column's number was before.
    func original(_ scaled: Double, of column: Int) -> Double {
        guard exponents.indices.contains(column) else { return scaled }
        return scaled * Double(sign: .plus, exponent: -exponents[column], significand: 1) + Double(offsets[column])
    }
}

/// Columns of which the input has several integers, each with an offset and a step of its own.
package struct ColumnCopies: Sendable, Equatable {
    /// Numbers of a row.
    package let columns: Int
    /// For each of the input's integers the column that it is of; -1: 0, whatever the row.
    package let from: [Int32]

    package init(columns: Int, from: [Int32]) { (self.columns, self.from) = (columns, from) }
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
