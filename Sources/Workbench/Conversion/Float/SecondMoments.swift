/// Sums of products of a layer's inputs, two by two, a constant 1 among them: how far one input can make up for another.
package struct SecondMoments: Sendable, Equatable {
    /// Inputs, without the constant.
    package let width: Int
    // [width + 1][width + 1]; the upper triangle.
    private var sums: [Double]

    package init(width: Int) {
        self.width = width
        sums = [Double](repeating: 0, count: (width + 1) * (width + 1))
    }

    /// One more row of inputs.
    package mutating func take(_ row: ArraySlice<Float>) {
        let values: [Double] = row.map { Double($0) } + [1], size = width + 1
        unsafe values.withUnsafeBufferPointer { values in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                for i in 0..<size where unsafe values[i] != 0 {
                    let value = unsafe values[i]
                    for j in i..<size { unsafe sums[i * size + j] += value * values[j] }
                }
            }
        }
    }

    /// The same for inputs divided by `factors`.
    func divided(by factors: [Double]) -> SecondMoments {
        var result = self
        let size = width + 1
        for i in 0..<size {
            for j in i..<size { result.sums[i * size + j] /= (i < width ? factors[i] : 1) * (j < width ? factors[j] : 1) }
        }
        return result
    }

    /// The upper triangular factor U of the inverse, inverse = U' U, row by row; nil without inputs.
    ///
    /// A little of the mean square is added to the diagonal, so that there is an inverse.
    var inverseFactor: [Double]? {
        let size = width + 1, trace = (0..<size).reduce(0) { $0 + sums[$1 * size + $1] }
        guard trace > 0, trace.isFinite else { return nil }
        var matrix = sums
        for i in 0..<size {
            for j in 0..<i { matrix[i * size + j] = matrix[j * size + i] }
            matrix[i * size + i] += 1e-5 * trace / Double(size)
        }
        guard let lower = Self.cholesky(matrix, size) else { return nil }
        let inverse = Self.inverted(lower, size) // of the lower factor
        var product = [Double](repeating: 0, count: size * size) // inverse' inverse
        unsafe inverse.withUnsafeBufferPointer { a in
            unsafe product.withUnsafeMutableBufferPointer { p in
                for k in 0..<size {
                    for i in 0...k {
                        let value = unsafe a[k * size + i]
                        for j in 0...k { unsafe p[i * size + j] += value * a[k * size + j] }
                    }
                }
            }
        }
        guard let factor = Self.cholesky(product, size) else { return nil }
        return (0..<size * size).map { factor[$0 % size * size + $0 / size] }
    }

    // The lower triangular factor L of a symmetric matrix, L L'.
    private static func cholesky(_ matrix: [Double], _ size: Int) -> [Double]? {
        var lower = [Double](repeating: 0, count: size * size)
        let isPositive = unsafe lower.withUnsafeMutableBufferPointer { l in
            for i in 0..<size {
                for j in 0...i {
                    var sum = matrix[i * size + j]
                    for k in 0..<j { unsafe sum -= l[i * size + k] * l[j * size + k] }
                    if i == j {
                        guard sum > 0 else { return false }
                        unsafe l[i * size + i] = sum.squareRoot()
                    } else {
                        unsafe l[i * size + j] = sum / l[j * size + j]
                    }
                }
            }
            return true
        }
        return isPositive ? lower : nil
    }

    private static func inverted(_ lower: [Double], _ size: Int) -> [Double] {
        var inverse = [Double](repeating: 0, count: size * size)
        unsafe inverse.withUnsafeMutableBufferPointer { result in
            for column in 0..<size {
                for row in column..<size {
                    var sum = row == column ? 1.0 : 0
                    for k in column..<row { unsafe sum -= lower[row * size + k] * result[k * size + column] }
                    unsafe result[row * size + column] = sum / lower[row * size + row]
                }
            }
        }
        return inverse
    }
}

/// Rounds a row of weights one by one; what rounding changes is taken up by the weights that are still to come, as far as their
/// inputs go together, and at last by the bias.
///
/// Source: Frantar, Ashkboos, Hoefler, Alistarh, "GPTQ", ICLR 2023.
struct ErrorFeedback {
    private let factor: [Double]
    private let width: Int

    /// Nil without a factor.
    init?(_ moments: SecondMoments?) {
        guard let moments, let factor = moments.inverseFactor else { return nil }
        (self.factor, width) = (factor, moments.width)
    }

    /// A row in integers: the step of one, the integers within +-limit, and what is added to the bias, in the weights' unit.
    typealias Row = (step: Double, values: [Double], bias: Double)

    /// The step that errs least, of those that reach the largest weight or nearly so.
    func rounded(_ weights: ArraySlice<Float>, largest step: Double, limit: Double) -> Row {
        var best: Row = (step, [], 0), least = Double.infinity
        for share in stride(from: 1.0, through: 0.8, by: -0.02) {
            let (row, loss) = rounded(weights, step: step * share, limit: limit)
            if loss < least { (best, least) = (row, loss) }
        }
        return best
    }

    // The loss is the mean square of what comes out wrong, but for a factor.
    private func rounded(_ weights: ArraySlice<Float>, step: Double, limit: Double) -> (row: Row, loss: Double) {
        var left: [Double] = weights.map { Double($0) } + [0], values: [Double] = [], loss = 0.0
        let size = width + 1
        values.reserveCapacity(width)
        unsafe left.withUnsafeMutableBufferPointer { left in
            unsafe factor.withUnsafeBufferPointer { factor in
                for place in 0..<width {
                    let value = unsafe max(-limit, min(limit, (left[place] / step).rounded()))
                    let error = unsafe (left[place] - value * step) / factor[place * size + place]
                    for next in place + 1..<size { unsafe left[next] -= error * factor[place * size + next] }
                    values.append(value)
                    loss += error * error
                }
            }
        }
        return ((step, values, left[width]), loss)
    }
}
