internal import Support

/// Normalisation that an exporter wrote in other operators, as one operator again: LayerNormalization came with opset 17, and
/// scikit-learn's converter divides by sums.
///
/// What is found here is known by names alone. Where the shapes do not fit it, ``ONNXBuilder/unfit`` has it, and the operators are run as
/// they are.
final class ONNXNormalisation {
    let file: ONNXFile
    // Which operator gives a tensor.
    private let makers: [String: Int]
    // Operators that end nothing.
    private let apart: Set<Int>
    // What was asked for before: nothing of a large file is read twice.
    private var constants: [String: ONNXConstant?] = [:]

    /// - Parameters:
    ///   - makers: which operator gives a tensor.
    ///   - apart: operators that are not to be joined with those before them.
    init(file: ONNXFile, makers: [String: Int], apart: Set<Int>) { (self.file, self.makers, self.apart) = (file, makers, apart) }

    /// The one operator in the place of that which ends it; nil where it ends none.
    func of(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard !apart.contains(node.index) else { return nil }
        let node = direct(node)
        switch node.kind {
        case "Div":
            if let whole = try overDeviation(node) { return whole }
            if let whole = try overLength(node) { return whole }
            return try share(node)
        case "Mul": return try timesInverseLength(node)
        case "Add": return try moved(node)
        case "Exp": return try probability(node)
        case "Sqrt", "Pow", "Log": return try root(node)
        default: return nil
        }
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
                            let found = try centre(centred), found.source == source, found.axes == first.axes,
                            try isVariance(variance, of: centred, first.axes)
                        else { continue }
                        return node.replaced(
                            "LayerNormalization", [source, scale, offset], node.outputs, axes: first.axes, epsilon: epsilon)
                    }
                }
            }
        }
        return nil
    }

    // x - mean(x).
    func centre(_ name: String) throws(Fault) -> Reduction? {
        guard let difference = maker(name, "Sub"), let source = difference.input(0), let given = difference.input(1),
            let mean = try mean(given), mean.source == source
        else { return nil }
        return mean
    }

    private func isVariance(_ name: String, of centred: String, _ axes: ONNXAxes) throws(Fault) -> Bool {
        guard let mean = try mean(name), mean.axes == axes else { return false }
        return try isSquare(mean.source, of: centred)
    }

    func isSquare(_ name: String, of source: String) throws(Fault) -> Bool { try squared(name) == source }

    /// What a number is the square of.
    func squared(_ name: String) throws(Fault) -> String? {
        guard let product = maker(name, "Mul") else { return try power(name, 2) }
        guard let (left, right) = operands(product).first, try isSame(left, right) else { return nil }
        return left
    }

    // Exporters write a difference from the mean, or that itself, anew for each who reads it.
    private func isSame(_ one: String, _ other: String) throws(Fault) -> Bool {
        guard one != other else { return true }
        if let left = try centre(one), let right = try centre(other) { return left == right }
        guard let left = try mean(one), let right = try mean(other) else { return false }
        return left == right
    }

    /// What a number is the power of; nil where it has another exponent.
    func power(_ name: String, _ exponent: Double) throws(Fault) -> String? {
        guard let power = maker(name, "Pow"), let given = power.input(1), try scalar(given) == exponent else { return nil }
        return power.input(0)
    }

    /// What a number is the square root of.
    func squareRoot(_ name: String) throws(Fault) -> String? {
        if let root = maker(name, "Sqrt") { return root.input(0) }
        return try power(name, 0.5)
    }

    /// A sum with one number.
    func offset(_ name: String) throws(Fault) -> (of: String, Float)? {
        guard let sum = maker(name, "Add") else { return nil }
        for (value, number) in operands(sum) {
            if let epsilon = try scalar(number), epsilon >= 0, epsilon.isFinite { return (value, Float(epsilon)) }
        }
        return nil
    }

    func operands(_ node: ONNXFile.Node) -> [(String, String)] {
        guard node.inputs.count == 2, let left = node.input(0), let right = node.input(1) else { return [] }
        return [(left, right), (right, left)]
    }

    func maker(_ name: String) -> ONNXFile.Node? { makers[name].map { direct(file.nodes[$0]) } }

    func maker(_ name: String, _ kind: String) -> ONNXFile.Node? {
        guard let index = makers[name], file.nodes[index].kind == kind else { return nil }
        return direct(file.nodes[index])
    }

    // The same, reading what stands before operators that change nothing.
    private func direct(_ node: ONNXFile.Node) -> ONNXFile.Node {
        var node = node
        for index in node.inputs.indices {
            for _ in 0..<Self.mostBetween {
                guard let maker = makers[node.inputs[index]], file.nodes[maker].kind == "Identity", let source = file.nodes[maker].input(0)
                else { break }
                node.inputs[index] = source
            }
        }
        return node
    }

    /// One number; where it has several axes, it may give them to what is computed with it.
    func scalar(_ name: String) throws(Fault) -> Double? {
        guard let constant = try constant(name), constant.shape.count <= 1 else { return nil }
        return constant.scalar
    }

    // Only those of a few numbers are kept: no other is an epsilon, an exponent or a list of axes.
    func constant(_ name: String) throws(Fault) -> ONNXConstant? {
        if let known = constants[name] { return known }
        let found: ONNXConstant?
        if let node = maker(name, "Constant") {
            found = try file.literal(node)
        } else {
            found = try file.constant(name)
        }
        let small = found.flatMap { $0.numbers.count <= 8 ? $0 : nil }
        constants[name] = .some(small)
        return small
    }

    static let mostBetween = 4
}
