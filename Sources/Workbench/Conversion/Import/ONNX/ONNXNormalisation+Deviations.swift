internal import Support

/// Numbers less their mean, over their deviation, as PyTorch's `std` and `var` are exported.
extension ONNXNormalisation {
    /// What is known of a deviation when the shapes are: inputs of the LayerNormalization that it is joined to.
    enum DeviationInput {
        /// Behind source, scale and offset: the shape that gives a variance its axes again, and the constants that it is multiplied with
        /// and divided by (n and n - 1).
        static let shape = 3, factor = 4, divisor = 5
    }

    /// (x - mean) / (sqrt(variance + epsilon) + next to nothing).
    func overDeviation(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let centred = node.input(0), let mean = try centre(centred), let divisor = node.input(1),
            let root = try squareRoot(try unlimited(divisor))
        else { return nil }
        var (variance, epsilon) = try offset(root) ?? (root, 0), inputs = [mean.source, "", "", "", "", ""]
        if let reshaped = maker(variance, "Reshape"), let source = reshaped.input(0), let shape = reshaped.input(1) {
            (variance, inputs[DeviationInput.shape]) = (source, shape)
        }
        if let quotient = maker(variance, "Div"), let source = quotient.input(0), let number = quotient.input(1) {
            (variance, inputs[DeviationInput.divisor]) = (source, number)
        }
        var found = try squares(variance, of: mean, centred, keeps: inputs[DeviationInput.shape].isEmpty)
        for (value, number) in maker(variance, "Mul").map(operands) ?? [] where found == nil {
            found = try squares(value, of: mean, centred, keeps: inputs[DeviationInput.shape].isEmpty)
            inputs[DeviationInput.factor] = number
        }
        guard let found else { return nil }
        // An epsilon beside the root is next to nothing; below it, it counts.
        return node.replaced(
            "LayerNormalization", inputs, node.outputs, axes: mean.axes, others: found.axes, epsilon: epsilon,
            norm: found.isSum ? ONNXNorm.sum.rawValue : nil)
    }

    // The mean or sum of the squares of what is centred, by itself or once more.
    private func squares(
        _ name: String, of mean: Reduction, _ centred: String, keeps: Bool
    ) throws(Fault) -> (axes: ONNXAxes, isSum: Bool)? {
        for (kind, isSum) in [("ReduceMean", false), ("ReduceSum", true)] {
            guard let found = try reduction(name, kind, keeps: keeps), let square = try squared(found.source) else { continue }
            if square == centred { return (found.axes, isSum) }
            guard let other = try centre(square), other.source == mean.source, other.axes == found.axes else { return nil }
            return (found.axes, isSum)
        }
        // What a pool gives keeps its axes.
        guard keeps, let found = try self.mean(name), try isSquare(found.source, of: centred) else { return nil }
        return (found.axes, false)
    }
}
