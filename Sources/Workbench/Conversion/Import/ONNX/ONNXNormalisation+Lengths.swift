internal import Support

/// Numbers divided by their length, or by the root of the mean of their squares.
extension ONNXNormalisation {
    // Below what integers of a network can be, so that only zeros are divided by it.
    static let negligible = 1e-5

    /// x / length.
    func overLength(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let source = node.input(0), let divisor = node.input(1) else { return nil }
        return try quotient(node, source, over: divisor)
    }

    /// x times the inverse of that.
    func timesInverseLength(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        for (source, factor) in operands(node) {
            var divisor = maker(factor, "Reciprocal")?.input(0)
            if let inverse = maker(factor, "Div"), let one = inverse.input(0), try scalar(one) == 1 { divisor = inverse.input(1) }
            if let divisor, let found = try quotient(node, source, over: divisor) { return found }
            if let inside = try power(factor, -0.5), let found = try overRoot(node, source, of: inside) { return found }
        }
        return nil
    }

    private func quotient(_ node: ONNXFile.Node, _ source: String, over divisor: String) throws(Fault) -> ONNXFile.Node? {
        let expanded = maker(divisor, "Expand"), below = try unlimited(expanded?.input(0) ?? divisor)
        for (kind, norm) in [("ReduceL2", ONNXNorm.l2), ("ReduceL1", .l1)] {
            guard let length = try reduction(below, kind), length.source == source else { continue }
            // Whether that is the shape of the numbers is not known here.
            let inputs = [source] + [expanded?.input(1)].compactMap { $0 }
            return node.replaced("LpNormalization", inputs, node.outputs, axes: length.axes, norm: norm.rawValue)
        }
        guard expanded == nil, let inside = try squareRoot(below) else { return nil }
        return try overRoot(node, source, of: inside)
    }

    // Without what keeps it from being zero: PyTorch's `normalize` takes the larger of it and next to nothing, others add that.
    private func unlimited(_ divisor: String) throws(Fault) -> String {
        guard let found = try limited(divisor), found.least <= Self.negligible else { return divisor }
        return found.numbers
    }

    /// What is increased by a constant, or is at least that; which input the constant is, nil where it is an attribute.
    func limited(_ name: String) throws(Fault) -> (numbers: String, least: Double, input: String?, isAdded: Bool)? {
        guard let limited = maker(name) else { return nil }
        switch limited.kind {
        case "Clip":
            guard let numbers = limited.input(0), limited.input(2) == nil, !limited.has("max") else { return nil }
            var least: Double? = limited.has("min") ? limited.float("min") : nil
            if let input = limited.input(1) { least = try scalar(input) }
            guard let least, least >= 0, least.isFinite else { return nil }
            return (numbers, least, limited.input(1), false)
        case "Max", "Add":
            for (numbers, input) in operands(limited) {
                guard let least = try scalar(input), least >= 0, least.isFinite else { continue }
                return (numbers, least, input, limited.kind == "Add")
            }
            return nil
        default: return nil
        }
    }

    // Over sqrt(mean of x^2 + epsilon), or of the sum; either may be without epsilon.
    private func overRoot(_ node: ONNXFile.Node, _ source: String, of inside: String) throws(Fault) -> ONNXFile.Node? {
        let (squares, epsilon) = try offset(inside) ?? (inside, 0)
        if let mean = try mean(squares) {
            guard try isSquare(mean.source, of: source) else { return nil }
            return node.replaced("RMSNormalization", [source], node.outputs, axes: mean.axes, epsilon: epsilon)
        }
        var sum = try reduction(squares, "ReduceSumSquare")
        if let plain = try reduction(squares, "ReduceSum"), try isSquare(plain.source, of: source) {
            sum = Reduction(source: source, axes: plain.axes)
        }
        guard let sum, sum.source == source else { return nil }
        return node.replaced("LpNormalization", [source], node.outputs, axes: sum.axes, epsilon: epsilon, norm: ONNXNorm.l2.rawValue)
    }
}
