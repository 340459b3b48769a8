/// Weights before quantisation.
package struct FloatWeights: Sendable, Equatable {
    package var inputs: Int
    package var outputs: Int
    /// [outputs][inputs]
    package var values: [Float]
    /// [outputs]
    package var bias: [Float]

    package init(inputs: Int, outputs: Int, values: [Float], bias: [Float]? = nil) {
        self.inputs = inputs
        self.outputs = outputs
        self.values = values
        self.bias = bias ?? [Float](repeating: 0, count: outputs)
    }

    var isFinite: Bool { values.allSatisfy(\.isFinite) && bias.allSatisfy(\.isFinite) }
}

/// An LSTM before quantisation; gates in the order input, forget, modulation, output.
package struct FloatLSTM: Sendable, Equatable {
    /// [4 x units][inputs], with the biases.
    package var weights: FloatWeights
    /// [4 x units][units]; no biases.
    package var recurrent: FloatWeights
    /// Limit of the cell; 0: none.
    package var cellClip = 0.0

    package init(weights: FloatWeights, recurrent: FloatWeights, cellClip: Double = 0) {
        self.weights = weights
        self.recurrent = recurrent
        self.cellClip = cellClip
    }

    package var units: Int { recurrent.inputs }
}

/// A GRU before quantisation; rows in the order update, reset, candidate.
package struct FloatGRU: Sendable, Equatable {
    /// [3 x units][inputs], with the biases.
    package var weights: FloatWeights
    /// [3 x units][units]; no biases, but for the candidate's with `resetAfter`.
    package var recurrent: FloatWeights
    /// The reset gate multiplies what the recurrent weights give, instead of the hidden state before them.
    package var resetAfter = false

    package init(weights: FloatWeights, recurrent: FloatWeights, resetAfter: Bool = false) {
        self.weights = weights
        self.recurrent = recurrent
        self.resetAfter = resetAfter
    }

    package var units: Int { recurrent.inputs }
}

extension FloatWeights {
    /// The weights times every row of `inputs` numbers.
    func product(rows: [Float]) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(rows.count / inputs * outputs)
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe values.withUnsafeBufferPointer { values in
                for start in stride(from: 0, to: rows.count, by: inputs) {
                    let row = unsafe UnsafeBufferPointer(rebasing: rows[start..<start + inputs])
                    for index in 0..<outputs {
                        let line = unsafe UnsafeBufferPointer(rebasing: values[index * inputs..<(index + 1) * inputs])
                        unsafe output.append(bias[index] + Self.dot(row, line))
                    }
                }
            }
        }
        return output
    }

    private static func dot(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float {
        var sums = SIMD8<Float>.zero, index = 0
        while index + 8 <= a.count {
            let left = unsafe UnsafeRawPointer(a.baseAddress! + index).loadUnaligned(as: SIMD8<Float>.self)
            let right = unsafe UnsafeRawPointer(b.baseAddress! + index).loadUnaligned(as: SIMD8<Float>.self)
            sums += left * right
            index += 8
        }
        var sum = sums.sum()
        while index < a.count {
            sum += unsafe a[index] * b[index]
            index += 1
        }
        return sum
    }
}
