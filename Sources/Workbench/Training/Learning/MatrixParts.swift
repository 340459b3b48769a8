/// Matrices side by side and one below the other.
extension Matrix {
    /// One below the other.
    init(stacking parts: [Matrix]) {
        self.init(parts.reduce(0) { $0 + $1.rows }, parts[0].columns)
        values = parts.flatMap(\.values)
    }

    /// Side by side.
    init(joining left: Matrix, _ right: Matrix) {
        self.init(left.rows, left.columns + right.columns)
        for row in 0..<rows {
            for column in 0..<left.columns { self[row, column] = left[row, column] }
            for column in 0..<right.columns { self[row, left.columns + column] = right[row, column] }
        }
    }

    /// The columns before `column` and those from it on.
    func parted(at column: Int) -> (Matrix, Matrix) {
        var left = Matrix(rows, column), right = Matrix(rows, columns - column)
        for row in 0..<rows {
            for index in 0..<columns {
                if index < column { left[row, index] = self[row, index] } else { right[row, index - column] = self[row, index] }
            }
        }
        return (left, right)
    }

    /// As many matrices of equally many rows.
    func split(_ count: Int) -> [Matrix] {
        let each = rows / count
        return (0..<count).map { part in
            var matrix = Matrix(each, columns)
            matrix.values = Array(values[part * each * stride..<(part + 1) * each * stride])
            return matrix
        }
    }

    mutating func multiply(_ other: Matrix) { for index in values.indices { values[index] *= other.values[index] } }

    mutating func add(_ other: Matrix) { for index in values.indices { values[index] += other.values[index] } }
}
