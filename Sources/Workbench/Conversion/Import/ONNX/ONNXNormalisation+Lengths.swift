internal import Support

/// Numbers divided by their length, or by the root of the mean of their squares.
extension ONNXNormalisation {
    // Below what integers of a network can be, so that only zeros are divided by it.
    private static let negligible = 1e-6

    /// PyTorch's `normalize` and `norm`: numbers over their length, where that is above next to nothing.
    func unitLength(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let source = node.input(0), var divisor = node.input(1) else { return nil }
        if let whole = maker(divisor, "Expand")?.input(0) { divisor = whole }
        if let limited = maker(divisor, "Clip") ?? maker(divisor, "Max"), let numbers = limited.input(0) {
            var least = limited.float("min", default: 1)
            if let name = limited.input(1) { least = try constant(name)?.scalar ?? 1 }
            guard (0...Self.negligible).contains(least), (limited.input(2) ?? "").isEmpty, !limited.has("max") else { return nil }
            divisor = numbers
        }
        guard let length = maker(divisor, "ReduceL2"), length.input(0) == source, length.integer("keepdims", default: 1) != 0 else {
            return nil
        }
        guard let axes = try axes(length), axes.count == 1, let axis = axes.first else { return nil }
        return node.replaced("LpNormalization", [source], node.outputs, axis: axis)
    }

    /// x / sqrt(mean of x^2 + epsilon), as PyTorch's RMSNorm is exported.
    func overRoot(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let source = node.input(0), let root = node.input(1).flatMap({ maker($0, "Sqrt") }) else { return nil }
        return try rootMeanSquare(node, of: source, root)
    }

    /// x times the inverse of that root.
    func timesInverseRoot(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        for (source, factor) in operands(node) {
            var root = maker(factor, "Reciprocal")?.input(0)
            if let quotient = maker(factor, "Div"), let one = quotient.input(0), try constant(one)?.scalar == 1 { root = quotient.input(1) }
            guard let root = root.flatMap({ maker($0, "Sqrt") }) else { continue }
            if let found = try rootMeanSquare(node, of: source, root) { return found }
        }
        return nil
    }

    private func rootMeanSquare(_ node: ONNXFile.Node, of source: String, _ root: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let inside = root.input(0), let (square, epsilon) = try offset(inside), let mean = try mean(square),
            try isSquare(mean.source, of: source)
        else { return nil }
        return node.replaced("RMSNormalization", [source], node.outputs, axis: mean.axis, epsilon: epsilon)
    }
}
