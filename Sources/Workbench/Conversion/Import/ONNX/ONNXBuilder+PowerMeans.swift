internal import NeuralNetwork
internal import Support

/// Means of powers: what is powered spans more orders of magnitude than int16 has steps for, so that numbers are divided by the largest
/// of them, or by their length, first.
extension ONNXBuilder {
    /// A mean of powers, by the place that holds it.
    struct PowerMean {
        var source: ONNXValue
        /// Over which the mean is.
        var axes: [Int]
        var exponent: Double
        /// Whether it is the root of that.
        var isRoot = false
        /// With the axes kept.
        var result: ONNXValue
    }

    /// Notes a mean of powers, in case that something follows which makes its numbers small again.
    mutating func notePowerMean(of source: ONNXValue, _ axes: [Int], _ result: ONNXValue) {
        guard case .computed(let place, let curve) = source.content, let (base, exponent) = curve.asPower, exponent > 1,
            case .computed(let mean, .input) = result.content
        else { return }
        var before = source
        before.content = .computed(place: place, curve: base)
        powerMeans[mean] = PowerMean(source: before, axes: axes, exponent: exponent, result: result)
    }

    /// Notes the root of a mean of squares.
    mutating func noteRoot(of source: ONNXValue, _ axes: [Int], _ result: ONNXValue) {
        guard case .computed(let place, .input) = result.content else { return }
        powerMeans[place] = PowerMean(source: source, axes: axes, exponent: 2, isRoot: true, result: result)
    }

    /// A generalised mean (GeM pooling): the p-th root of a mean of p-th powers; nil where it is none.
    mutating func generalisedMean(_ node: ONNXFile.Node, _ value: ONNXValue, exponent: Double) throws(Fault) -> ONNXValue? {
        guard case .computed(let place, .input) = value.content, let mean = powerMeans[place], mean.exponent != 2,
            (mean.exponent * exponent - 1).magnitude < 1e-4
        else { return nil }
        let sizes = mean.source.isNeverNegative ? mean.source : applied(.function(.magnitude, .input), to: mean.source)
        let largest = maximum(sizes, mean.axes)
        let share = applied(.power(.input, exponent: mean.exponent), to: try combined(node, .div, mean.source, largest))
        let root = applied(.power(.input, exponent: exponent), to: try self.mean(node, share, mean.axes))
        return try combined(node, .mul, root, largest).laid(as: value, of: mean.result)
    }

    /// A standardised moment (skewness, kurtosis): a mean of powers over a function of the mean of squares of the same numbers.
    mutating func standardisedMoment(_ node: ONNXFile.Node, _ value: ONNXValue, over divisor: ONNXValue) throws(Fault) -> ONNXValue? {
        guard case .computed(let place, .input) = value.content, case .computed(let below, let curve) = divisor.content,
            let moment = powerMeans[place], let squares = powerMeans[below], moment.exponent > 2, squares.exponent == 2,
            moment.axes == squares.axes, moment.source.isAlike(squares.source), value.shape == divisor.shape,
            value.order == divisor.order, moment.result.order == squares.result.order,
            let unit = try overLength(moment.source, moment.axes)
        else { return nil }
        let powers = try mean(node, applied(.power(.input, exponent: moment.exponent), to: unit), moment.axes)
        let result = powers.laid(as: value, of: moment.result)
        // Nothing but what is below the root, or beside it, is left of the divisor.
        let length = Expression.power(.input, exponent: squares.isRoot ? moment.exponent : moment.exponent / 2)
        let rest = Expression.quotient(length, .maximum(curve, .constant(1e-30)))
        guard [1e-3, 0.03, 1, 30].contains(where: { (rest.value($0) - 1).magnitude > 1e-5 }) else { return result }
        var factor = divisor
        factor.content = .computed(place: below, curve: rest)
        return try combined(node, .mul, result, factor)
    }
}

extension ONNXValue {
    /// The same numbers, moved as `moved` was that began as `start`.
    fileprivate func laid(as moved: ONNXValue, of start: ONNXValue) -> ONNXValue {
        var elements = [Int32](repeating: -1, count: start.count)
        for (element, at) in start.order.enumerated() { elements[Int(at)] = Int32(clamping: element) }
        return picked(moved.order.map { $0 < 0 ? -1 : elements[Int($0)] }, shape: moved.shape)
    }

    fileprivate var isNeverNegative: Bool {
        guard case .computed(_, let curve) = content, let limits = curve.limits else { return false }
        return limits.lowerBound >= 0
    }

    /// Whether it is the same numbers.
    fileprivate func isAlike(_ other: ONNXValue) -> Bool {
        guard case .computed(let place, let curve) = content, case .computed(let second, let function) = other.content else { return false }
        return place == second && curve == function && order == other.order && shape == other.shape
    }
}

extension Expression {
    // A product of something with itself is a power as well.
    fileprivate var asPower: (base: Expression, exponent: Double)? {
        switch self {
        case .power(let base, let exponent): return (base, exponent)
        case .product(let one, let other):
            let left = one.asPower ?? (one, 1), right = other.asPower ?? (other, 1)
            return left.base == right.base ? (left.base, left.exponent + right.exponent) : nil
        default: return nil
        }
    }
}
