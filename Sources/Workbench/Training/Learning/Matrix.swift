internal import CTraining

/// A float matrix whose rows are padded with zeros to whole cache lines.
struct Matrix {
    let rows: Int
    let columns: Int
    /// Floats of a row, padding included.
    let stride: Int
    var values: [Float]

    init(_ rows: Int, _ columns: Int) {
        self.rows = rows
        self.columns = columns
        let pad = Int(GW_MATRIX_PAD)
        stride = (columns + pad - 1) / pad * pad
        values = [Float](repeating: 0, count: rows * stride)
    }

    subscript(row: Int, column: Int) -> Float {
        get { values[row * stride + column] }
        set { values[row * stride + column] = newValue }
    }

    /// Four numbers of a row.
    func four(_ row: Int, _ column: Int) -> SIMD4<Float> {
        let start = row * stride + column
        return SIMD4(values[start], values[start + 1], values[start + 2], values[start + 3])
    }

    mutating func setFour(_ row: Int, _ column: Int, _ numbers: SIMD4<Float>) {
        let start = row * stride + column
        for offset in 0..<4 { values[start + offset] = numbers[offset] }
    }

    /// self = a b, or self += a b, of the first `rows` rows of a.
    mutating func setProduct(_ a: Matrix, _ b: Matrix, rows: Int, adding: Bool = false) {
        precondition(a.columns == b.rows && b.stride == stride && rows <= a.rows && rows <= self.rows)
        multiply(a.values, a.stride, 1, b.values, rows, a.columns, adding)
    }

    /// self = transposed(a) b, or self += it, over the first `depth` rows of both.
    mutating func setProduct(transposed a: Matrix, _ b: Matrix, depth: Int, adding: Bool = false) {
        precondition(a.columns == rows && b.stride == stride && depth <= a.rows && depth <= b.rows)
        multiply(a.values, 1, a.stride, b.values, rows, depth, adding)
    }

    private mutating func multiply(_ a: [Float], _ rowStride: Int, _ columnStride: Int, _ b: [Float], _ m: Int, _ k: Int, _ adding: Bool) {
        let n = Int32(stride)
        unsafe values.withUnsafeMutableBufferPointer { c in
            unsafe a.withUnsafeBufferPointer { a in
                unsafe b.withUnsafeBufferPointer { b in
                    unsafe gw_matrix_product(
                        c.baseAddress, a.baseAddress, Int64(rowStride), Int64(columnStride), b.baseAddress, Int32(m), n, Int32(k), adding)
                }
            }
        }
    }

    /// Adds a row to the first `rows` rows and limits the result below.
    mutating func add(_ row: Matrix, rows: Int, floor: Float = -.infinity) {
        let columns = columns, stride = stride
        unsafe values.withUnsafeMutableBufferPointer { v in
            unsafe row.values.withUnsafeBufferPointer { b in
                for r in 0..<rows {
                    for c in 0..<columns {
                        let sum = unsafe v[r * stride + c] + b[c]
                        unsafe v[r * stride + c] = sum > floor ? sum : floor
                    }
                }
            }
        }
    }

    /// One row: the column sums of the first `rows` rows, or these added to it.
    mutating func setSums(_ matrix: Matrix, rows: Int, adding: Bool = false) {
        for c in 0..<columns {
            var sum: Float = adding ? values[c] : 0
            for r in 0..<rows { sum += matrix.values[r * matrix.stride + c] }
            values[c] = sum
        }
    }

    /// Zeros where `gate` is not positive: ReLU's derivative.
    mutating func clear(where gate: Matrix, rows: Int) { values.clear(where: gate.values, count: rows * stride) }

    func transposed() -> Matrix {
        var result = Matrix(columns, rows)
        for row in 0..<rows {
            for column in 0..<columns { result[column, row] = self[row, column] }
        }
        return result
    }
}

extension [Float] {
    /// Zeros among the first `count` where `gate` is not positive.
    mutating func clear(where gate: [Float], count: Int) {
        unsafe withUnsafeMutableBufferPointer { v in
            unsafe gate.withUnsafeBufferPointer { g in
                for i in 0..<count {
                    // Read in any case: only so the compiler takes many at once.
                    let value = unsafe v[i]
                    unsafe v[i] = g[i] <= 0 ? 0 : value
                }
            }
        }
    }
}
