internal import NeuralNetwork
internal import Support

/// Deviations and lengths: the root of a mean of squares. The squares themselves would leave int16 few steps for what is small.
extension ONNXBuilder {
    /// A root that ``ONNXNormalisation/root(_:)`` has joined to the squares below it.
    mutating func appendRoot(_ node: ONNXFile.Node) throws(Fault) {
        var source = try value(node, 0)
        let axes = try axes(node, rank: source.shape.count)
        let kept = source.shape.indices.filter { node.keepsAxes || !axes.contains($0) }
        guard let factor = try deviationFactor(node, source, axes) else {
            return try takeApart(node, try mean(node, source, axes).reshaped(kept.map { axes.contains($0) ? 1 : source.shape[$0] }))
        }
        if try optional(node, ONNXNormalisation.DeviationInput.isCentred) != nil {
            source = try combined(node, .sub, source, try mean(node, source, axes))
        }
        var result = try length(node, source, axes, factor: factor, epsilon: node.float("epsilon"))
        if node.outer != .input { result = result.followed(by: node.outer) }
        try define(node, result.reshaped(kept.map { result.shape[$0] }))
    }

    /// sqrt(factor * mean(x^2) + epsilon) over some axes, which keep an extent of one: x times x over its length is as long, and linear.
    mutating func length(
        _ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int], factor: Double, epsilon: Double = 0
    ) throws(Fault) -> ONNXValue {
        guard let unit = try overLength(source, axes) else {
            let squares = try meanSquare(node, source, axes)
            let inside = Expression.product(.constant(factor), .input)
            return applied(.function(.squareRoot, epsilon == 0 ? inside : .sum(inside, .constant(epsilon))), to: squares)
        }
        let root = try mean(node, try combined(node, .mul, applied(.input, to: source), unit), axes)
        noteRoot(of: source, axes, root)
        guard epsilon > 0 else { return factor == 1 ? root : applied(.product(.constant(factor.squareRoot()), .input), to: root) }
        let square = Expression.product(.constant(factor), .power(.input, exponent: 2))
        return applied(.function(.squareRoot, .sum(square, .constant(epsilon))), to: root)
    }

    /// mean(x^2) over some axes, which keep an extent of one.
    mutating func meanSquare(_ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int]) throws(Fault) -> ONNXValue {
        try mean(node, applied(.power(.input, exponent: 2), to: source), axes)
    }

    /// What is left of (x - mean) / deviation where a constant is added to the deviation, or is the least that it can be; nil without one.
    ///
    /// - Parameters:
    ///   - unit: (x - mean) over the root of the mean of its squares.
    ///   - factor: what the mean is multiplied with.
    mutating func share(
        _ node: ONNXFile.Node, of source: ONNXValue, _ axes: [Int], unit: ONNXValue, factor: Double
    ) throws(Fault) -> ONNXValue? {
        let added = try optional(node, ONNXNormalisation.DeviationInput.added),
            least = try optional(node, ONNXNormalisation.DeviationInput.least)
        guard let number = (added ?? least)?.constant?.scalar else { return nil }
        let centred = try combined(node, .sub, source, try mean(node, source, axes))
        let root = try mean(node, try combined(node, .mul, centred, unit), axes)
        let deviation = Expression.product(.constant(factor.squareRoot()), .input), constant = Expression.constant(number)
        return applied(.quotient(deviation, added == nil ? .maximum(deviation, constant) : .sum(deviation, constant)), to: root)
    }
}
