internal import Support

/// Numbers divided by their sum, as scikit-learn's converter writes them.
extension ONNXNormalisation {
    /// Numbers over their sum, or over one where that is zero. Of exponentials that is a soft-max.
    func share(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let given = node.input(0), let divisor = node.input(1) else { return nil }
        let numbers = try unguarded(given), below = try unguarded(divisor)
        guard let (sum, isDirect) = origin(below.name, "ReduceSum"), sum.input(0) == numbers.name,
            [numbers.tested, below.tested].allSatisfy({ $0 == nil || $0 == sum.index }), let axis = try lastAxis(sum)
        else { return nil }
        let isRow = !isDirect || below.tested != nil || sum.integer("keepdims", default: 1) == 0 || axis == 1 && isOfTables
        // Which axis the second is cannot be known here: only scikit-learn's tables have two for sure.
        guard isRow || axis == -1 else { return nil }
        if let exponent = maker(numbers.name, "Exp")?.input(0) {
            return node.replaced("Softmax", [exponent], node.outputs, axis: axis, norm: (isRow ? ONNXNorm.row : .sum).rawValue)
        }
        let isPositive = try isNeverNegative(numbers.name)
        let norm: ONNXNorm = isRow ? isPositive ? .positiveRow : .row : isPositive ? .positiveSum : .sum
        return node.replaced("Normalizer", [numbers.name], node.outputs, axis: axis, norm: norm.rawValue)
    }

    /// e to the power of numbers minus the logarithm of the sum of such: a soft-max.
    func probability(_ node: ONNXFile.Node) throws(Fault) -> ONNXFile.Node? {
        guard let difference = node.input(0).flatMap({ maker($0, "Sub") }), let numbers = difference.input(0),
            let (sum, _) = difference.input(1).flatMap({ origin($0, "ReduceLogSumExp") }), sum.input(0) == numbers,
            let axis = try lastAxis(sum)
        else { return nil }
        return node.replaced("Softmax", [numbers], node.outputs, axis: axis, norm: ONNXNorm.row.rawValue)
    }

    private var isOfTables: Bool {
        let kinds: Set = ["ArrayFeatureExtractor", "Imputer", "LinearClassifier", "Scaler", "TreeEnsembleClassifier", "ZipMap"]
        return file.nodes.contains { kinds.contains($0.kind) }
    }

    // The one axis of a sum, where that is the second or the last.
    private func lastAxis(_ sum: ONNXFile.Node) throws(Fault) -> Int? {
        let axes = try axes(sum)
        return axes == [1] || axes == [-1] ? axes?.first : nil
    }

    // What something is added to where a sum is zero: the truth of that, as a number; and which sum.
    private func unguarded(_ name: String) throws(Fault) -> (name: String, tested: Int?) {
        guard let guarded = maker(name, "Add") else { return (name, nil) }
        for (value, added) in operands(guarded) {
            for factor in maker(added, "Mul").map(operands)?.map(\.0) ?? [added] {
                guard let cast = maker(factor, "Cast")?.input(0), let test = maker(cast, "Not") ?? maker(cast, "Equal"),
                    let tested = test.input(0).flatMap({ maker($0, "Cast") })?.input(0), let (sum, _) = origin(tested, "ReduceSum")
                else { continue }
                var isZero = test.kind == "Not"
                if let other = test.input(1) { isZero = try constant(other)?.scalar == 0 }
                if isZero { return (value, sum.index) }
            }
        }
        return (name, nil)
    }

    // The operator that gives a tensor, seen through those that only change its shape.
    private func origin(_ name: String, _ kind: String) -> (ONNXFile.Node, isDirect: Bool)? {
        var name = name
        for step in 0..<Self.mostBetween {
            if let found = maker(name, kind) { return (found, step == 0) }
            guard let between = maker(name, "Reshape") ?? maker(name, "Unsqueeze") ?? maker(name, "Identity"), let source = between.input(0)
            else { return nil }
            name = source
        }
        return nil
    }

    private func isNeverNegative(_ name: String) throws(Fault) -> Bool {
        var open = [name], seen = Set<String>()
        while let name = open.popLast() {
            guard seen.insert(name).inserted else { continue }
            guard seen.count <= Self.mostAsked else { return false }
            guard let node = maker(name) else {
                guard try constant(name)?.floats.allSatisfy({ $0 >= 0 }) ?? false else { return false }
                continue
            }
            switch node.kind {
            case "Abs", "Exp", "Relu", "Sigmoid", "Softmax": continue
            case "TreeEnsembleClassifier":
                guard node.floats("class_weights").allSatisfy({ $0 >= 0 }), node.floats("base_values").isEmpty else { return false }
            case "LinearClassifier":
                guard ["LOGISTIC", "SOFTMAX"].contains(node.text("post_transform") ?? "NONE") else { return false }
            case "ArrayFeatureExtractor", "Cast", "Identity", "Reciprocal", "Reshape", "Slice", "Unsqueeze":
                open.append(node.input(0) ?? "")
            case "Add", "Concat", "Div", "Mul", "Sum": open += node.inputs
            default: return false
            }
        }
        return true
    }

    private static let mostAsked = 256
}
