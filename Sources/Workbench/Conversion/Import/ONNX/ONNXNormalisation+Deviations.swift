internal import Support

/// Roots of means of squares, and numbers less their mean over such a root, as PyTorch's `std` and `var` are exported.
extension ONNXNormalisation {
    /// What is known of a deviation when the shapes are: inputs of the operator that it is joined to, behind source, scale and offset.
    enum DeviationInput {
        /// The shape that gives a variance its axes again, and the constants that it is multiplied with and divided by (n and n - 1).
        static let shape = 3, factor = 4, divisor = 5
        /// What the deviation is increased by, and what it is at least.
        static let added = 6, least = 7
        /// There where the mean is subtracted first.
        static let isCentred = 8
        static let none = [String](repeating: "", count: 9)
    }

    /// What a root is of.
    struct Squares {
        /// What is squared.
        var source: String
        var axes: ONNXAxes
        var isSum: Bool
        /// Whether the axes have an extent of one.
        var keepsAxes: Bool
        var epsilon: Float
        /// Whether the mean of what is squared is subtracted first: mean(x^2) - mean(x)^2 is so less exact.
        var isCentred = false
        var inputs = DeviationInput.none
    }

    /// (x - mean) / (sqrt(variance + epsilon) + a constant), or over the larger of both.
    func overDeviation(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let centred = node.input(0), let mean = try centre(centred), let below = node.input(1) else { return nil }
        let divisor = try divisor(below)
        guard let root = try squareRoot(divisor.root), var found = try squares(root), found.keepsAxes, !found.isCentred,
            // Of next to nothing below the root no more is left beside a constant.
            divisor.added == nil && divisor.least == nil || found.epsilon <= Float(Self.negligible * Self.negligible),
            try isCentred(found, mean, centred)
        else { return nil }
        found.inputs[0] = mean.source
        found.inputs[DeviationInput.added] = divisor.added ?? ""
        found.inputs[DeviationInput.least] = divisor.least ?? ""
        return node.replaced(
            "LayerNormalization", found.inputs, node.outputs, axes: mean.axes, others: found.axes, epsilon: found.epsilon,
            norm: found.isSum ? ONNXNorm.sum.rawValue : nil)
    }

    /// sqrt(mean(x^2) + epsilon), another power of that, or its logarithm; or of the sum.
    func root(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let inside = node.input(0), let outer = try afterRoot(node), var found = try squares(inside) else { return nil }
        found.inputs[0] = found.source
        if found.isCentred { found.inputs[DeviationInput.isCentred] = found.source }
        return node.replaced(
            "ReduceL2", found.inputs, node.outputs, axes: found.axes, others: found.axes, epsilon: found.epsilon,
            norm: found.isSum ? ONNXNorm.sum.rawValue : nil, keepsAxes: found.keepsAxes,
            outer: outer)
    }

    // What a function of the square is of the root.
    private func afterRoot(_ node: ONNXFile.Node) throws(Fault) -> Expression? {
        switch node.kind {
        case "Sqrt": return .input
        case "Log": return .product(.constant(2), .function(.log, .input))
        default:
            guard let given = node.input(1), let exponent = try scalar(given), exponent.isFinite, exponent != 0 else { return nil }
            return exponent == 0.5 ? .input : .power(.input, exponent: 2 * exponent)
        }
    }

    // What is squared may be centred once more: the same numbers, or what they were made of.
    private func isCentred(_ squares: Squares, _ mean: Reduction, _ centred: String) throws(Fault) -> Bool {
        guard squares.source != centred else { return true }
        guard let other = try centre(squares.source), other.axes == squares.axes else { return false }
        return other.source == mean.source || other.source == centred
    }

    // A root, and the constant beside it where that is more than next to nothing.
    private func divisor(_ name: String) throws(Fault) -> (root: String, added: String?, least: String?) {
        guard let found = try limited(name) else { return (name, nil, nil) }
        guard found.least > Self.negligible else { return (found.numbers, nil, nil) }
        guard let number = found.input else { return (name, nil, nil) }
        return found.isAdded ? (found.numbers, number, nil) : (found.numbers, nil, number)
    }

    private func squares(_ inside: String) throws(Fault) -> Squares? {
        var (name, epsilon) = try offset(inside) ?? (inside, 0), inputs = DeviationInput.none
        if let reshaped = maker(name, "Reshape"), let source = reshaped.input(0), let shape = reshaped.input(1) {
            (name, inputs[DeviationInput.shape]) = (source, shape)
        }
        if let quotient = maker(name, "Div"), let source = quotient.input(0), let number = quotient.input(1) {
            (name, inputs[DeviationInput.divisor]) = (source, number)
        }
        var found = try sumOfSquares(name)
        for (value, number) in maker(name, "Mul").map(operands) ?? [] where found == nil {
            found = try sumOfSquares(value)
            inputs[DeviationInput.factor] = number
        }
        // What is reshaped has lost its axes before.
        guard var found, inputs[DeviationInput.shape].isEmpty || !found.keepsAxes else { return nil }
        found.keepsAxes = found.keepsAxes || !inputs[DeviationInput.shape].isEmpty
        (found.epsilon, found.inputs) = (epsilon, inputs)
        return found
    }

    private func sumOfSquares(_ name: String) throws(Fault) -> Squares? {
        if let found = try plainSquares(name) { return found }
        return try lessSquaredMean(name)
    }

    // mean(x^2) - mean(x)^2, of which rounding may leave less than nothing.
    private func lessSquaredMean(_ name: String) throws(Fault) -> Squares? {
        guard let difference = maker(maker(name, "Relu")?.input(0) ?? name, "Sub"), let whole = difference.input(0),
            let part = difference.input(1), var found = try plainSquares(whole), !found.isSum, let squared = try squared(part),
            let mean = try reduction(squared, "ReduceMean", keeps: found.keepsAxes), mean.source == found.source, mean.axes == found.axes
        else { return nil }
        found.isCentred = true
        return found
    }

    private func plainSquares(_ name: String) throws(Fault) -> Squares? {
        for keepsAxes in [true, false] {
            if let all = try reduction(name, "ReduceSumSquare", keeps: keepsAxes) {
                return Squares(source: all.source, axes: all.axes, isSum: true, keepsAxes: keepsAxes, epsilon: 0)
            }
            for (kind, isSum) in [("ReduceMean", false), ("ReduceSum", true)] {
                guard let all = try reduction(name, kind, keeps: keepsAxes), let source = try squared(all.source) else { continue }
                return Squares(source: source, axes: all.axes, isSum: isSum, keepsAxes: keepsAxes, epsilon: 0)
            }
        }
        // What a pool gives keeps its axes.
        guard let mean = try self.mean(name), let source = try squared(mean.source) else { return nil }
        return Squares(source: source, axes: mean.axes, isSum: false, keepsAxes: true, epsilon: 0)
    }
}
