internal import NeuralNetwork
internal import Support

/// Sums that are no means.
extension ONNXBuilder {
    /// CumSum: every number and those before it, by weights of one.
    mutating func appendCumulativeSum(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0)
        guard source.constant == nil, let written = try constant(node, 1)?.integers.first else {
            throw refused(node, "it reads a constant, or its axis is missing")
        }
        let axis = try axis(node, written, rank: source.shape.count), count = source.shape[axis]
        guard count > 0, count <= Tensor.mostElements / count else { throw refused(node, "it adds \(count) numbers") }
        let isReverse = node.integer("reverse") != 0, isExclusive = node.integer("exclusive") != 0
        var weights = FloatWeights(inputs: count, outputs: count, values: [], bias: [Float](repeating: 0, count: count))
        for output in 0..<count {
            for input in 0..<count {
                let isBefore = isReverse ? input > output : input < output
                weights.values.append(isBefore || input == output && !isExclusive ? 1 : 0)
            }
        }
        let order = source.shape.indices.filter { $0 != axis } + [axis]
        let shape = FloatShape(rows: source.count / count, channels: count)
        let place = append(.dense(weights), [arranged(source, axes: order, shape)], shape)
        try define(node, value(place, shape: source.shape, axes: order))
    }

    /// log(sum(exp(x))) over some axes, which keep an extent of one: the largest, and what the others add to it.
    mutating func logarithmOfSum(_ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int]) throws(Fault) -> ONNXValue {
        let largest = maximum(source, axes), count = axes.reduce(1) { $0 * source.shape[$1] }
        let part = applied(.function(.exp, .input), to: try combined(node, .sub, source, largest)) // at most one, and one is one
        let sum = Expression.product(.constant(Double(count)), .input)
        let added = applied(.function(.log, .maximum(sum, .constant(1))), to: try mean(node, part, axes))
        return try combined(node, .add, largest, added)
    }
}
