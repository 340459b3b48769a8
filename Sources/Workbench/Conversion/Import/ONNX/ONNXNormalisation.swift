internal import Support

/// Normalisation that an exporter wrote in other operators, as one operator again: LayerNormalization came with opset 17, and
/// scikit-learn's converter divides by sums.
final class ONNXNormalisation {
    let file: ONNXFile
    // Which operator gives a tensor.
    private let makers: [String: Int]
    // What was asked for before: nothing of a large file is read twice.
    private var constants: [String: ONNXConstant?] = [:]

    /// - Parameter makers: which operator gives a tensor.
    init(file: ONNXFile, makers: [String: Int]) { (self.file, self.makers) = (file, makers) }

    /// The one operator in the place of that which ends it; nil where it ends none.
    func of(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        switch node.kind {
        case "Div":
            if let whole = try divided(node) {
                whole
            } else if let whole = try unitLength(node) {
                whole
            } else if let whole = try overRoot(node) {
                whole
            } else {
                try share(node)
            }
        case "Mul": try timesInverseRoot(node)
        case "Add": try moved(node)
        case "Exp": try probability(node)
        default: nil
        }
    }

    // What a mean is of, and the first of the axes, all to the last, that it is over.
    struct Mean {
        var source: String
        var axis: Int
    }

    // PyTorch: (x - mean) / sqrt(variance + epsilon).
    private func divided(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let centred = node.input(0), let root = node.input(1).flatMap({ maker($0, "Sqrt") }), let inside = root.input(0),
            let (variance, epsilon) = try offset(inside), let mean = try centre(centred), try isVariance(variance, of: centred, mean.axis)
        else { return nil }
        return node.replaced("LayerNormalization", [mean.source], node.outputs, axis: mean.axis, epsilon: epsilon)
    }

    // Keras: x factor + (offset - mean factor), where the factor is scale / sqrt(variance + epsilon).
    private func moved(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        for (scaled, rest) in operands(node) {
            guard let product = maker(scaled, "Mul"), let sum = maker(rest, "Add") else { continue }
            for (source, factor) in operands(product) {
                for (negative, offset) in operands(sum) {
                    guard let minus = maker(negative, "Mul"), let made = maker(factor, "Mul"),
                        let (mean, _) = operands(minus).first(where: { maker($0.0, "Neg") != nil && $0.1 == factor }),
                        let name = maker(mean, "Neg")?.input(0), let first = try self.mean(name), first.source == source
                    else { continue }
                    for (inverse, scale) in operands(made) {
                        guard let root = maker(inverse, "Reciprocal")?.input(0).flatMap({ maker($0, "Sqrt") }), let inside = root.input(0),
                            let (variance, epsilon) = try self.offset(inside), let second = try self.mean(variance),
                            let square = maker(second.source, "Mul"), let centred = square.input(0),
                            let found = try centre(centred), found.source == source, found.axis == first.axis,
                            try isVariance(variance, of: centred, first.axis)
                        else { continue }
                        return node.replaced(
                            "LayerNormalization", [source, scale, offset], node.outputs, axis: first.axis, epsilon: epsilon)
                    }
                }
            }
        }
        return nil
    }

    // x - mean(x).
    private func centre(_ name: String) throws(Fault) -> Mean? {
        guard let difference = maker(name, "Sub"), let source = difference.input(0), let given = difference.input(1),
            let mean = try mean(given), mean.source == source
        else { return nil }
        return mean
    }

    private func isVariance(_ name: String, of centred: String, _ axis: Int) throws(Fault) -> Bool {
        guard let mean = try mean(name), mean.axis == axis else { return false }
        return try isSquare(mean.source, of: centred)
    }

    func isSquare(_ name: String, of source: String) throws(Fault) -> Bool {
        if let square = maker(name, "Mul") { return square.inputs == [source, source] }
        guard let power = maker(name, "Pow"), power.input(0) == source, let exponent = power.input(1) else { return false }
        return try scalar(exponent) == 2
    }

    func mean(_ name: String) throws(Fault) -> Mean? {
        // Behind batch and channels, all that there is.
        if let source = maker(name, "GlobalAveragePool")?.input(0) { return Mean(source: source, axis: 2) }
        guard let node = maker(name, "ReduceMean"), let source = node.input(0), node.integer("keepdims", default: 1) != 0 else {
            return nil
        }
        // From the end, since the number of axes is not known here.
        guard let axes = try axes(node)?.sorted(), let first = axes.first, (-8..<0).contains(first), axes == Array(first..<0) else {
            return nil
        }
        return Mean(source: source, axis: first)
    }

    /// What a reduction is over: an attribute, or in newer files the second input.
    func axes(_ reduction: ONNXFile.Node) throws(Fault) -> [Int]? {
        let given = try reduction.integers("axes")
        guard let name = reduction.input(1) else { return given }
        return try constant(name)?.integers
    }

    // A sum with one number.
    func offset(_ name: String) throws(Fault) -> (of: String, Float)? {
        guard let sum = maker(name, "Add") else { return nil }
        for (value, number) in operands(sum) {
            if let epsilon = try scalar(number), epsilon >= 0, epsilon.isFinite { return (value, Float(epsilon)) }
        }
        return nil
    }

    func operands(_ node: ONNXFile.Node) -> [(String, String)] {
        guard let left = node.input(0), let right = node.input(1) else { return [] }
        return [(left, right), (right, left)]
    }

    func maker(_ name: String) -> ONNXFile.Node? { makers[name].map { file.nodes[$0] } }

    func maker(_ name: String, _ kind: String) -> ONNXFile.Node? {
        guard let index = makers[name], file.nodes[index].kind == kind else { return nil }
        return file.nodes[index]
    }

    private func scalar(_ name: String) throws(Fault) -> Double? { try constant(name)?.scalar }

    // Only those of a few numbers are kept: no other is an epsilon, an exponent or a list of axes.
    func constant(_ name: String) throws(Fault) -> ONNXConstant? {
        if let known = constants[name] { return known }
        let found: ONNXConstant?
        if let node = maker(name, "Constant") {
            found = try node.tensor("value").map { message throws(Fault) in try file.constant(message, name) }
        } else {
            found = try file.constant(name)
        }
        let small = found.flatMap { $0.numbers.count <= 8 ? $0 : nil }
        constants[name] = .some(small)
        return small
    }
}
