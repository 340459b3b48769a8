internal import NeuralNetwork
internal import Support

/// Attention as one operator (opset 23): put together of products and soft-max.
extension ONNXBuilder {
    mutating func appendAttention(_ node: ONNXFile.Node) throws(Fault) {
        let isFlat = try value(node, 0).shape.count == 3
        let query = try heads(node, 0, "q_num_heads", isFlat), key = try heads(node, 1, "kv_num_heads", isFlat)
        let values = try heads(node, 2, "kv_num_heads", isFlat), count = query.shape[1]
        guard try optional(node, 4) == nil, try optional(node, 5) == nil, node.outputs.dropFirst().allSatisfy(\.isEmpty) else {
            throw refused(node, "it takes or gives keys of windows before, or its scores")
        }
        guard key.shape[1] > 0, count % key.shape[1] == 0, values.shape[1] == key.shape[1], let width = query.shape.last, width > 0 else {
            throw refused(node, "its heads have the shapes \(query.shape), \(key.shape) and \(values.shape)")
        }
        let scale = node.has("scale") ? node.float("scale") : 1 / Double(width).squareRoot(), limit = node.float("softcap")
        var scores = try product(node, query, repeated(key, count).transposed([0, 1, 3, 2]))
        scores = applied(.product(.constant(scale), .input), to: scores)
        if limit > 0 {
            scores = applied(
                .product(.constant(limit), .curve(.tanh, .product(.constant(1 / limit), .input))), to: scores)
        }
        if let mask = try optional(node, 3) {
            scores = try combined(node, .add, scores, try self.mask(node, mask))
        }
        if node.integer("is_causal") != 0 {
            let (rows, columns) = (scores.shape[2], scores.shape[3])
            let hidden = (0..<rows * columns).map { $0 % columns > $0 / columns ? -Float.infinity : 0 }
            scores = try combined(node, .add, scores, filled(.floats(hidden), [rows, columns]).masked)
        }
        let result = try product(node, softmax(scores, axis: 3, endsIn: false), repeated(values, count))
        guard isFlat else { return try define(node, result) }
        let joined = result.transposed([0, 2, 1, 3]), shape = joined.shape
        try define(node, joined.reshaped([shape[0], shape[1], shape[2] * shape[3]]))
    }

    // [batch, heads, steps, width]
    private func heads(_ node: ONNXFile.Node, _ position: Int, _ attribute: String, _ isFlat: Bool) throws(Fault) -> ONNXValue {
        let source = try value(node, position), shape = source.shape
        guard isFlat else {
            guard shape.count == 4 else { throw refused(node, "its input \(position) has the shape \(shape)") }
            return source
        }
        let count = node.integer(attribute)
        guard shape.count == 3, count > 0, shape[2] % count == 0 else {
            throw refused(node, "its input \(position) has the shape \(shape) and \(count) heads")
        }
        return source.reshaped([shape[0], shape[1], count, shape[2] / count]).transposed([0, 2, 1, 3])
    }

    // Heads that several queries share, once for each.
    private func repeated(_ value: ONNXValue, _ count: Int) -> ONNXValue {
        let shape = value.shape, each = count / shape[1]
        guard each > 1 else { return value }
        let one = [shape[0], shape[1], 1, shape[2], shape[3]], all = [shape[0], shape[1], each, shape[2], shape[3]]
        guard let picks = Elements.broadcast(one, to: all) else { return value }
        return value.picked(picks, shape: [shape[0], count, shape[2], shape[3]])
    }

    // Of truths: what is false is hidden.
    private func mask(_ node: ONNXFile.Node, _ mask: ONNXValue) throws(Fault) -> ONNXValue {
        guard let constant = mask.constant else {
            guard !mask.isTruth else { throw refused(node, "its mask is computed") }
            return mask
        }
        guard case .integers(let truths) = constant.numbers else { return mask.masked }
        return filled(.floats(truths.map { $0 == 0 ? -.infinity : 0 }), mask.shape).masked
    }
}
