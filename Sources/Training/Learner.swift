internal import Support

/// Mini-batch training of a two-layer network: soft-max cross-entropy, Adam.
///
/// Source: Kingma, Ba, "Adam", ICLR 2015; weight decay decoupled as in Loshchilov, Hutter, ICLR 2019.
struct Learner {
    private(set) var network: FloatNetwork
    private var moments: [Moments]
    private var steps = 0
    private let batch: Int
    private var hidden: Matrix, output: Matrix, hiddenError: Matrix

    private struct Moments {
        var gradient: Matrix
        var first: [Float]
        var second: [Float]

        init(like matrix: Matrix) {
            gradient = Matrix(matrix.rows, matrix.columns)
            first = [Float](repeating: 0, count: matrix.values.count)
            second = first
        }
    }

    init(_ network: FloatNetwork, batch: Int) {
        self.network = network
        self.batch = batch
        // In the order weights, bias of each layer.
        moments = zip(network.weights, network.biases).flatMap { [Moments(like: $0), Moments(like: $1)] }
        hidden = Matrix(batch, network.weights[0].columns)
        output = Matrix(batch, network.weights[1].columns)
        hiddenError = hidden
    }

    /// Class scores of the first `rows` rows of `inputs`, in `output`.
    private mutating func forward(_ inputs: Matrix, rows: Int) {
        hidden.setProduct(inputs, network.weights[0], rows: rows)
        hidden.add(network.biases[0], rows: rows, floor: 0)
        output.setProduct(hidden, network.weights[1], rows: rows)
        output.add(network.biases[1], rows: rows, floor: -.infinity)
    }

    /// What the network gives for up to `batch` rows: hidden layer and class scores.
    mutating func evaluate(_ inputs: Matrix, rows: Int) -> (hidden: Matrix, scores: Matrix) {
        forward(inputs, rows: rows)
        return (hidden, output)
    }

    /// One step on `rows` examples. `labels` are class indices, `smoothing` the share of the target spread over all classes.
    mutating func step(_ inputs: Matrix, labels: ArraySlice<Int>, rate: Float, decay: Float, smoothing: Float) {
        let rows = labels.count
        forward(inputs, rows: rows)
        // The error of soft-max cross-entropy, in place of the scores.
        let classes = output.columns
        for (row, label) in labels.enumerated() {
            let scores = (0..<classes).map { Double(output[row, $0]) }
            let shares = Self.softmax(scores)
            for c in 0..<classes {
                let target = (c == label ? 1 - smoothing : 0) + smoothing / Float(classes)
                output[row, c] = (Float(shares[c]) - target) / Float(rows)
            }
        }
        moments[2].gradient.setProduct(transposed: hidden, output, depth: rows)
        moments[3].gradient.setSums(output, rows: rows)
        hiddenError.setProduct(output, network.weights[1].transposed(), rows: rows)
        hiddenError.clear(where: hidden, rows: rows)
        moments[0].gradient.setProduct(transposed: inputs, hiddenError, depth: rows)
        moments[1].gradient.setSums(hiddenError, rows: rows)
        steps += 1
        let first = 1 - Self.power(0.9, steps), second = 1 - Self.power(0.999, steps)
        let adam = (rate: rate * Float(second.squareRoot() / first), epsilon: Float(1e-8 * second.squareRoot()))
        for layer in 0..<2 {
            update(&network.weights[layer].values, &moments[2 * layer], adam.rate, adam.epsilon, rate * decay)
            update(&network.biases[layer].values, &moments[2 * layer + 1], adam.rate, adam.epsilon, 0)
        }
    }

    private func update(_ values: inout [Float], _ moments: inout Moments, _ rate: Float, _ epsilon: Float, _ decay: Float) {
        let count = values.count
        precondition(moments.gradient.values.count == count)
        unsafe values.withUnsafeMutableBufferPointer { v in
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

    static func softmax(_ scores: [Double]) -> [Double] {
        let top = scores.reduce(-.infinity, max)
        let powers = scores.map { Exponential.exp($0 - top) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
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

extension Matrix {
    /// Adds a row to the first `rows` rows and limits the result below.
    fileprivate mutating func add(_ row: Matrix, rows: Int, floor: Float) {
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

    /// One row: the column sums of the first `rows` rows.
    fileprivate mutating func setSums(_ matrix: Matrix, rows: Int) {
        for c in 0..<columns {
            var sum: Float = 0
            for r in 0..<rows { sum += matrix.values[r * matrix.stride + c] }
            values[c] = sum
        }
    }

    /// Zeros where `gate` is not positive: ReLU's derivative.
    fileprivate mutating func clear(where gate: Matrix, rows: Int) {
        let count = rows * stride
        unsafe values.withUnsafeMutableBufferPointer { v in
            unsafe gate.values.withUnsafeBufferPointer { g in
                for i in 0..<count where unsafe g[i] <= 0 { unsafe v[i] = 0 }
            }
        }
    }
}
