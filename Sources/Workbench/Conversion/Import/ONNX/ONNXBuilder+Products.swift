internal import NeuralNetwork
internal import Support

/// Matrices times weights, and times each other.
extension ONNXBuilder {
    mutating func appendProduct(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let left = try value(node, 0), right = try value(node, 1)
        guard let constant = try weights(node, kind, right), left.constant == nil, constant.shape.count == 2, node.integer("transA") == 0
        else {
            if kind == .matMulInteger {
                try requireDynamic(node)
                guard left.constant == nil, right.constant == nil else { throw refused(node, "its weights are no matrix behind its input") }
            }
            return try define(node, try kind == .gemm ? turnedProduct(node, left, right) : product(node, left, right))
        }
        let isTurned = kind == .gemm && node.integer("transB") != 0
        guard left.count > 0, let inputs = left.shape.last, constant.shape[isTurned ? 1 : 0] == inputs else {
            throw refused(node, "its inputs have the shapes \(left.shape) and \(right.shape)")
        }
        let outputs = constant.shape[isTurned ? 0 : 1], numbers = constant.floats, alpha = Float(node.float("alpha", default: 1))
        var weights = FloatWeights(inputs: inputs, outputs: outputs, values: [])
        weights.values.reserveCapacity(inputs * outputs)
        for output in 0..<outputs {
            for input in 0..<inputs {
                let at = isTurned ? output * inputs + input : input * outputs + output
                weights.values.append(alpha * numbers[at])
            }
        }
        if kind == .gemm, let bias = try self.constant(node, 2) {
            guard bias.numbers.count == 1 || bias.numbers.count == outputs && bias.shape.last == outputs else {
                throw refused(node, "its bias has the shape \(bias.shape)")
            }
            let beta = Float(node.float("beta", default: 1)), values = bias.floats
            weights.bias = (0..<outputs).map { beta * values[values.count == 1 ? 0 : $0] }
        }
        try define(node, try dense(node, left, weights))
    }

    /// A dense layer on the last axis.
    mutating func dense(_ node: ONNXFile.Node, _ source: ONNXValue, _ weights: FloatWeights) throws(Fault) -> ONNXValue {
        guard weights.isFinite else { throw refused(node, "it has a weight that is not a finite number") }
        let rows = source.count / max(weights.inputs, 1)
        try requireSize(node, [rows, weights.outputs])
        let shape = source.shape.dropLast() + [weights.outputs]
        let (place, order) = materialised(source)
        var weights = weights
        let from: Int
        if rows == 1, source.constant == nil, source.isWhole(of: graph.shape(place).count) {
            // The weights take the order in which the numbers lie.
            let values = weights.values, isMoved = order.enumerated().contains { $0.offset != Int($0.element) }
            for output in 0..<(isMoved ? weights.outputs : 0) {
                for (element, at) in order.enumerated() {
                    weights.values[output * weights.inputs + Int(at)] = values[output * weights.inputs + element]
                }
            }
            from = place
        } else {
            from = arranged(source, axes: Array(source.shape.indices), FloatShape(rows: rows, channels: weights.inputs))
        }
        let result = append(.dense(weights), [from], FloatShape(rows: rows, channels: weights.outputs))
        return ONNXValue(place: result, shape: Array(shape))
    }

    // Of two that are computed, or both constants, or turned.
    private mutating func turnedProduct(_ node: ONNXFile.Node, _ left: ONNXValue, _ right: ONNXValue) throws(Fault) -> ONNXValue {
        guard left.shape.count == 2, right.shape.count == 2 else { throw refused(node, "it multiplies \(left.shape) and \(right.shape)") }
        func turned(_ value: ONNXValue, _ attribute: String) -> ONNXValue {
            node.integer(attribute) != 0 ? value.transposed([1, 0]) : value
        }
        func number(_ name: String) -> ONNXValue { filled(.floats([Float(node.float(name, default: 1))]), []) }
        let product = try product(node, turned(left, "transA"), turned(right, "transB"))
        let scaled = try combined(node, .mul, product, number("alpha"))
        guard let bias = try optional(node, 2) else { return scaled }
        return try combined(node, .add, scaled, try combined(node, .mul, bias, number("beta")))
    }

    /// [..., m, k] times [..., k, n]; a vector is a row on the left and a column on the right.
    mutating func product(_ node: ONNXFile.Node, _ left: ONNXValue, _ right: ONNXValue) throws(Fault) -> ONNXValue {
        guard let inner = left.shape.last, !right.shape.isEmpty else { throw refused(node, "it multiplies a single number") }
        if left.shape.count == 1 {
            let whole = try product(node, left.reshaped([1, inner]), right)
            return whole.reshaped(whole.shape.enumerated().filter { $0.offset != whole.shape.count - 2 }.map(\.element))
        }
        if right.shape.count == 1 {
            let whole = try product(node, left, right.reshaped([right.count, 1]))
            return whole.reshaped(Array(whole.shape.dropLast()))
        }
        let rank = max(left.shape.count, right.shape.count)
        let a = left.shape.suffix(2).map { $0 }, b = right.shape.suffix(2).map { $0 }
        guard let outer = Elements.common(Array(left.shape.dropLast(2)), Array(right.shape.dropLast(2))), a[1] == b[0] else {
            throw refused(node, "its inputs have the shapes \(left.shape) and \(right.shape)")
        }
        let (wideA, wideB) = (outer + a, outer + b)
        for shape in [wideA, wideB, outer + [a[0], b[1]]] { try requireSize(node, shape) }
        guard let picksA = Elements.broadcast(left.shape, to: wideA), let picksB = Elements.broadcast(right.shape, to: wideB) else {
            throw refused(node, "its inputs do not fit each other")
        }
        let matrices = Elements.count(outer)
        if let x = left.picked(picksA, shape: wideA).constant?.floats, let y = right.picked(picksB, shape: wideB).constant?.floats {
            return filled(.floats(Self.product(x, y, matrices: matrices, rows: a[0], depth: a[1], columns: b[1])), outer + [a[0], b[1]])
        }
        let rows = arranged(
            left.picked(picksA, shape: wideA), axes: Array(0..<rank), FloatShape(height: matrices, width: a[0], channels: a[1]))
        let columns = arranged(
            right.picked(picksB, shape: wideB), axes: Array(0..<rank - 2) + [rank - 1, rank - 2],
            FloatShape(height: matrices, width: b[1], channels: b[0]))
        let place = append(.matrixProduct, [rows, columns], FloatShape(height: matrices, width: a[0], channels: b[1]))
        return ONNXValue(place: place, shape: outer + [a[0], b[1]])
    }

    private static func product(_ x: [Float], _ y: [Float], matrices: Int, rows: Int, depth: Int, columns: Int) -> [Float] {
        var sums: [Float] = []
        sums.reserveCapacity(matrices * rows * columns)
        for matrix in 0..<matrices {
            for row in 0..<rows {
                for column in 0..<columns {
                    let a = (matrix * rows + row) * depth, b = matrix * depth * columns + column
                    sums.append((0..<depth).reduce(0) { $0 + x[a + $1] * y[b + $1 * columns] })
                }
            }
        }
        return sums
    }
}
