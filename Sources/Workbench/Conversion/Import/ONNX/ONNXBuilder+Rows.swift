internal import NeuralNetwork
internal import Support

/// What scikit-learn's converter does to rows of features and to the classes' numbers.
extension ONNXBuilder {
    /// ArgMax: at the end the numbers that it reads decide as it does.
    mutating func appendDecision(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0), axis = try axis(node, node.integer("axis"), rank: source.shape.count)
        guard source.count > 1, source.shape[axis] == source.count, node.integer("select_last_index") == 0 else {
            throw refused(node, "it is not over all classes")
        }
        if endsIn { return try define(node, source) }
        // In the middle: what a single tree decides, which AdaBoost weighs.
        guard case .computed(let place, .input) = source.content, place > 0, Elements.areInOrder(source.order),
            case .forest(let forest) = graph.layers[place - 1].operation, forest.classes == source.count, let choice = forest.choice
        else { throw refused(node, "it is not the last", remedy: Self.votesRemedy) }
        let layer = graph.layers[place - 1]
        var result = ONNXValue(place: append(.forest(choice), layer.sources, layer.shape), shape: source.shape)
        result.isChoice = true
        try define(node, result)
    }

    /// Features are never NaN.
    mutating func appendImputer(_ node: ONNXFile.Node) throws(Fault) {
        guard node.float("replaced_value_float").isNaN, !node.has("replaced_value_int64") else {
            throw refused(node, "it replaces \(node.float("replaced_value_float")), which features can be; only NaN can be left out")
        }
        try define(node, try value(node, 0))
    }

    /// Normalizer, LpNormalization and ``ONNXNormalisation/share(_:)``: rows over their length or sum. At the end the largest number stays
    /// the largest where that is above zero.
    mutating func appendRowNormalisation(_ node: ONNXFile.Node, _ kind: ONNXOperator, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        var axes = [try axis(node, node.integer("axis", default: -1), rank: rank)]
        if node.axes != nil { axes = try self.axes(node, rank: rank) }
        let count = axes.reduce(1) { $0 * source.shape[$1] }
        let norm = ONNXNorm(rawValue: node.text("norm") ?? (kind == .normalizer ? "MAX" : "L\(node.integer("p", default: 2))"))
        guard let norm else { throw refused(node, "its norm is neither L1 nor L2") }
        // Scores below zero over a sum below zero are in the other order: the label, where there is one, decides by the scores.
        if endsIn, !norm.isPositive, count == source.count, node.input(0).map(file.decisive.contains) == true {
            return try define(node, source)
        }
        // What is divided by one sum.
        guard norm != .row && norm != .positiveRow || count == source.count else { return try takeApart(node, source) }
        // What the lengths are expanded to, and a soft-max that was left out since only what covers all classes follows.
        let isFitting = try optional(node, 1).map { $0.constant.map { Self.fits($0.integers, in: source.shape) } ?? false } ?? true
        guard isFitting, !endsIn || graph.output == .logits || count == source.count else { return try takeApart(node, source) }
        if endsIn, norm.isPositive, count == source.count {
            // Shares of sigmoids: e to the power of their logarithms, which tell apart what is 0 in Q0.15.
            if norm != .l2, case .computed(let place, let curve) = source.content, let inner = curve.sigmoidArgument {
                graph.output = .softmax
                let logarithm = Expression.function(.negative, .curve(.softplus, .function(.negative, inner)))
                return try define(node, ONNXValue(place: place, curve: logarithm, shape: source.shape, order: source.order))
            }
            return try define(node, source)
        }
        if norm == .l2 {
            let each = Double(max(count, 1)), epsilon = node.float("epsilon", default: 0) / each
            return try define(node, try overRootMeanSquare(node, source, axes, gain: 1 / each.squareRoot(), epsilon: epsilon))
        }
        let whole = Expression.product(.constant(Double(count)), .input)
        let part = norm == .l1 ? applied(.function(.magnitude, .input), to: source) : source
        // A row of zeros stays one.
        let sum = applied(.sum(whole, .constant(1e-9)), to: try mean(node, part, axes))
        try define(node, try combined(node, .div, source, sum))
    }

    // Whether an expansion to `wanted` leaves a shape as it is.
    private static func fits(_ wanted: [Int], in shape: [Int]) -> Bool {
        wanted.count <= shape.count && zip(wanted.reversed(), shape.reversed()).allSatisfy { $0 == 1 || $0 == $1 }
    }
}

/// What rows are divided by.
enum ONNXNorm: String {
    case l1 = "L1", l2 = "L2"
    /// The sum of numbers that may be below zero, or that never are; of one row alone, where the file's shapes are not known.
    case sum = "SUM", positiveSum = "POSITIVE SUM", row = "ROW", positiveRow = "POSITIVE ROW"

    var isPositive: Bool { self != .sum && self != .row }
}
