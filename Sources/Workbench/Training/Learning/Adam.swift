/// What Adam remembers of one matrix of weights, and its latest gradient.
struct Moments {
    var gradient: Matrix
    fileprivate var first: [Float]
    fileprivate var second: [Float]

    init(like matrix: Matrix) {
        gradient = Matrix(matrix.rows, matrix.columns)
        first = [Float](repeating: 0, count: matrix.values.count)
        second = first
    }
}

/// Source: Kingma, Ba, "Adam", ICLR 2015; weight decay decoupled as in Loshchilov, Hutter, ICLR 2019.
struct Adam {
    private var steps = 0
    private var rate: Float = 0, corrected: Float = 0, epsilon: Float = 0

    /// Begins a step with this rate.
    mutating func step(rate: Float) {
        steps += 1
        let first = 1 - Self.power(0.9, steps), second = 1 - Self.power(0.999, steps)
        self.rate = rate
        corrected = rate * Float(second.squareRoot() / first)
        epsilon = Float(1e-8 * second.squareRoot())
    }

    func update(_ matrix: inout Matrix, _ moments: inout Moments, decay: Float) {
        let count = matrix.values.count, rate = corrected, epsilon = epsilon, decay = self.rate * decay
        precondition(moments.gradient.values.count == count)
        unsafe matrix.values.withUnsafeMutableBufferPointer { v in
            unsafe moments.first.withUnsafeMutableBufferPointer { m in
                unsafe moments.second.withUnsafeMutableBufferPointer { s in
                    unsafe moments.gradient.values.withUnsafeBufferPointer { g in
                        for i in 0..<count {
                            let gradient = unsafe g[i]
                            let first = unsafe m[i] + (gradient - m[i]) * 0.1
                            let second = unsafe s[i] + (gradient * gradient - s[i]) * 0.001
                            unsafe m[i] = first
                            unsafe s[i] = second
                            unsafe v[i] -= rate * first / (second.squareRoot() + epsilon) + decay * v[i]
                        }
                    }
                }
            }
        }
    }

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var result = 1.0, square = base, rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }
}
