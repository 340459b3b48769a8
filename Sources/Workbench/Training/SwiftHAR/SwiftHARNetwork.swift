internal import Conversion
package import Support

/// Swift-HAR's network and its trainer of 2017, as they really were: 300 inputs, a hidden layer with ReLU, sigmoid outputs, squared
/// error, one example at a time in the order of the classes.
///
/// Its learning rate was set to 0.4 but never used: 1 - momentum = 0.8 was. The weights before the first step counted as 0, so the
/// first step adds momentum x weights. Source: Swift-HAR and the Swift-AI it came with.
package struct SwiftHARNetwork: Sendable, Equatable {
    package static let rate: Float = 0.8, momentum: Float = 0.2, threshold: Float = 0.05, epochs = 31

    package let inputs: Int
    package let hidden: Int
    package let labels: [String]
    /// For each hidden unit its bias and weights, then the same for each output.
    package private(set) var weights: [Float]
    private var previous: [Float]

    package static func count(inputs: Int, hidden: Int, outputs: Int) -> Int { hidden * (inputs + 1) + outputs * (hidden + 1) }

    /// - Throws: `.badData` when there are too few or too many weights.
    package init(inputs: Int = 300, hidden: Int, labels: [String], weights: [Float]) throws(Fault) {
        let count = Self.count(inputs: inputs, hidden: hidden, outputs: labels.count)
        guard weights.count == count else {
            throw Fault(.badData, "\(inputs)-\(hidden)-\(labels.count) has \(count) weights, not \(weights.count)")
        }
        (self.inputs, self.hidden, self.labels, self.weights) = (inputs, hidden, labels, weights)
        previous = [Float](repeating: 0, count: count)
    }

    /// Uniform within 1 / sqrt(inputs of the unit, its bias too), in steps of 1e-6.
    package init(inputs: Int = 300, hidden: Int, labels: [String], seed: UInt64) {
        var random = RandomNumbers(seed: seed)
        func layer(_ units: Int, _ inputs: Int) -> [Float] {
            let range = 1 / Double(inputs + 1).squareRoot()
            return (0..<units * (inputs + 1)).map { _ in Float(((random.unit() * 2 - 1) * range * 1e6).rounded() / 1e6) }
        }
        (self.inputs, self.hidden, self.labels) = (inputs, hidden, labels)
        weights = layer(hidden, inputs) + layer(labels.count, hidden)
        previous = [Float](repeating: 0, count: weights.count)
    }

    /// What a window makes of it: one output for each label, 0 ... 1.
    package func infer(_ input: [Float]) -> [Float] { forward(input).outputs }

    private func forward(_ input: [Float]) -> (hidden: [Float], outputs: [Float]) {
        let units = (0..<hidden).map { max(0, sum(input, at: $0 * (inputs + 1))) }
        let first = hidden * (inputs + 1)
        let outputs = labels.indices.map { Float(Activation.sigmoid.value(Double(sum(units, at: first + $0 * (hidden + 1))))) }
        return (units, outputs)
    }

    private func sum(_ input: [Float], at start: Int) -> Float {
        unsafe input.withUnsafeBufferPointer { x in
            unsafe weights.withUnsafeBufferPointer { w in
                var sum = unsafe w[start]
                for index in 0..<x.count { unsafe sum += w[start + 1 + index] * x[index] }
                return sum
            }
        }
    }

    /// One step on one example.
    package mutating func learn(_ input: [Float], target: [Float]) {
        let (units, outputs) = forward(input), first = hidden * (inputs + 1)
        let errors = zip(outputs, target).map { $0 * (1 - $0) * ($0 - $1) }
        let unitErrors = (0..<hidden).map { unit in
            units[unit] == 0 ? 0 : errors.indices.reduce(Float(0)) { $0 + errors[$1] * weights[first + $1 * (hidden + 1) + 1 + unit] }
        }
        for (output, error) in errors.enumerated() { move(first + output * (hidden + 1), error, units) }
        for (unit, error) in unitErrors.enumerated() { move(unit * (inputs + 1), error, input) }
    }

    private mutating func move(_ start: Int, _ error: Float, _ input: [Float]) {
        unsafe weights.withUnsafeMutableBufferPointer { w in
            unsafe previous.withUnsafeMutableBufferPointer { p in
                unsafe input.withUnsafeBufferPointer { x in
                    for index in 0...x.count {
                        let old = unsafe w[start + index], reading: Float = index == 0 ? 1 : unsafe x[index - 1]
                        unsafe w[start + index] = old - Self.rate * error * reading + Self.momentum * (old - p[start + index])
                        unsafe p[start + index] = old
                    }
                }
            }
        }
    }

    /// Mean over examples of half the squared error.
    package func cost(_ examples: [(input: [Float], target: [Float])]) -> Float {
        let sum = examples.reduce(Float(0)) { sum, example in
            sum + zip(infer(example.input), example.target).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } / 2
        }
        return sum / Float(max(examples.count, 1))
    }
}
