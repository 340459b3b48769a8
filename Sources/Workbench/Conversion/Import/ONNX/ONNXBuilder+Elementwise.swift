internal import NeuralNetwork
internal import Support

/// Operators on numbers one by one.
extension ONNXBuilder {
    /// The most parts of one function: beyond it a layer is begun.
    private static let mostParts = 64

    mutating func appendCurve(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let source = try value(node, 0)
        if kind == .thresholdedRelu, source.constant == nil {
            let threshold = ONNXValue(ONNXConstant(.floats([Float(node.float("alpha", default: 1))]), shape: []))
            let isAbove = isPositive(try combined(node, .sub, source, threshold))
            return try define(node, try combined(node, .mul, source, isAbove))
        }
        if kind == .sign, let name = node.input(0), let signs = try signs(node, of: name) {
            return try define(node, try combined(node, .sub, signs.above, signs.below))
        }
        let curve = try curve(node, kind)
        if case .computed(_, let before) = source.content, before.parts + curve.parts > Self.mostParts {
            return try define(node, applied(curve, to: source).sharing(source))
        }
        try define(node, source.followed(by: curve))
    }

    private func curve(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) -> Expression {
        func alpha(_ fallback: Float) -> Double { node.float("alpha", default: fallback) }
        func of(_ activation: Activation) -> Expression { .curve(activation, .input) }
        func of(_ function: Expression.Function) -> Expression { .function(function, .input) }
        switch kind {
        case .abs: return of(.magnitude)
        case .acos: return of(.arccosine)
        case .asin: return of(.arcsine)
        case .atan: return of(.arctangent)
        case .ceil: return of(.ceiling)
        case .cos: return of(.cosine)
        case .celu:
            let a = alpha(1)
            let below = Expression.product(.constant(a), .difference(.function(.exp, .quotient(.input, .constant(a))), .constant(1)))
            return .sum(.maximum(.input, .constant(0)), .minimum(below, .constant(0)))
        case .clip: return try clip(node)
        case .elu: return of(.elu(scale: alpha(1)))
        case .erf: return of(.erf)
        case .erfc: return .difference(.constant(1), of(.erf)) // as tf2onnx writes GELU, though ONNX has no such operator
        case .exp: return of(.exp)
        case .floor: return of(.floor)
        case .gelu: return of(.gelu(isExact: node.text("approximate") != "tanh"))
        case .hardSigmoid: return of(.hardSigmoid(scale: alpha(0.2), offset: node.float("beta", default: 0.5)))
        case .hardSwish: return of(.hardSwish)
        case .leakyRelu: return of(.leakyReLU(slope: alpha(0.01)))
        case .log: return of(.log)
        case .mish: return .product(.input, .curve(.tanh, of(.softplus)))
        case .neg: return of(.negative)
        case .reciprocal: return .quotient(.constant(1), .input)
        case .round: return of(.round)
        case .selu: return .product(.constant(node.float("gamma", default: 1.050701)), of(.elu(scale: alpha(1.6732632))))
        case .sigmoid: return of(.sigmoid)
        case .sign: return of(.sign)
        case .sin: return of(.sine)
        case .softplus: return of(.softplus)
        case .softsign: return of(.softsign)
        case .sqrt: return of(.squareRoot)
        case .swish: return .product(.input, .curve(.sigmoid, .product(.constant(alpha(1)), .input)))
        case .tan: return of(.tangent)
        case .tanh: return of(.tanh)
        case .thresholdedRelu: return of(.thresholdedReLU(threshold: alpha(1)))
        default: return of(.relu)
        }
    }

    private func clip(_ node: ONNXFile.Node) throws(Fault) -> Expression {
        let low = try constant(node, 1)?.scalar ?? (node.has("min") ? node.float("min") : nil)
        let high = try constant(node, 2)?.scalar ?? (node.has("max") ? node.float("max") : nil)
        if low == 0, high == 6 { return .curve(.relu6, .input) }
        var result = Expression.input
        if let low, low > -1e30 { result = .maximum(result, .constant(low)) }
        if let high, high < 1e30 { result = .minimum(result, .constant(high)) }
        return result
    }

    mutating func appendArithmetic(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        var result = try value(node, 0)
        if kind == .pow, let exponent = try value(node, 1).constant?.scalar,
            let mean = try generalisedMean(node, result, exponent: exponent)
        {
            return try define(node, mean)
        }
        if kind == .div, let moment = try standardisedMoment(node, result, over: try value(node, 1)) { return try define(node, moment) }
        guard kind != .prelu else { return try define(node, try leaky(node, result, try value(node, 1))) }
        for position in node.inputs.indices.dropFirst() { result = try combined(node, kind, result, try value(node, position)) }
        try define(node, result)
    }

    private func expression(_ kind: ONNXOperator, _ a: Expression, _ b: Expression) -> Expression? {
        switch kind {
        case .add, .sum: .sum(a, b)
        case .sub: .difference(a, b)
        case .mul: .product(a, b)
        case .div: .quotient(a, b)
        case .max: .maximum(a, b)
        case .min: .minimum(a, b)
        case .pow: if case .constant(let exponent) = b { .power(a, exponent: exponent) } else { nil }
        default: nil
        }
    }

    mutating func combined(_ node: ONNXFile.Node, _ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue) throws(Fault) -> ONNXValue {
        guard let shape = Elements.common(a.shape, b.shape), let count = ONNXConstant.count(shape), count <= Tensor.mostElements else {
            throw refused(node, "its inputs have the shapes \(a.shape) and \(b.shape)")
        }
        if let left = a.constant, let right = b.constant { return try folded(node, kind, left, right, shape) }
        if kind == .add || kind == .sum, a.isMask || b.isMask, hidesFarBelow(node) { return try combined(node, kind, a.masked, b.masked) }
        // A function of one number.
        if let joined = function(kind, a, b, shape) { return joined }
        for value in [a, b] { try requireFinite(node, value) }
        if let scaled = try scaled(kind, a, b, shape) { return scaled }
        return try layered(node, kind, a, b, shape)
    }

    private func folded(
        _ node: ONNXFile.Node, _ kind: ONNXOperator, _ a: ONNXConstant, _ b: ONNXConstant, _ shape: [Int]
    ) throws(Fault) -> ONNXValue {
        let left = Elements.broadcast(a.shape, to: shape) ?? [], right = Elements.broadcast(b.shape, to: shape) ?? []
        if case .integers(let x) = a.numbers, case .integers(let y) = b.numbers {
            var numbers: [Int64] = []
            for (i, j) in zip(left, right) {
                let (p, q) = (x[Int(i)], y[Int(j)])
                switch kind {
                case .add, .sum: numbers.append(p &+ q)
                case .sub: numbers.append(p &- q)
                case .mul: numbers.append(p &* q)
                case .max: numbers.append(max(p, q))
                case .min: numbers.append(min(p, q))
                case .div where q != 0 && q != -1: numbers.append(p / q)
                case .mod where q != 0 && q != -1 && node.integer("fmod") != 0: numbers.append(p % q)
                case .mod where q != 0 && q != -1: numbers.append((p % q &+ q) % q)
                default: throw refused(node, "its integers cannot be computed")
                }
            }
            return ONNXValue(ONNXConstant(.integers(numbers), shape: shape))
        }
        let x = a.floats, y = b.floats
        var numbers: [Float] = []
        for (i, j) in zip(left, right) {
            guard let result = expression(kind, .constant(Double(x[Int(i)])), .constant(Double(y[Int(j)]))) else {
                throw refused(node, "its constants cannot be computed")
            }
            numbers.append(Float(result.value(0)))
        }
        return ONNXValue(ONNXConstant(.floats(numbers), shape: shape))
    }

    private func function(_ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue, _ shape: [Int]) -> ONNXValue? {
        switch (a.content, b.content) {
        case (.computed(let place, let left), .computed(let other, let right)):
            guard place == other, a.order == b.order, a.shape == b.shape, left.parts + right.parts < Self.mostParts,
                let joined = expression(kind, left, right)
            else { return nil }
            return ONNXValue(place: place, curve: joined, shape: shape, order: a.order).sharing(a)
        case (.computed(let place, let curve), .constant):
            guard let number = b.constant?.scalar, a.count == Elements.count(shape) else { return nil }
            if number == 1, kind == .mul || kind == .div { return a.reshaped(shape) }
            guard curve.parts < Self.mostParts,
                let joined = expression(kind, curve, .constant(number))
            else { return nil }
            return ONNXValue(place: place, curve: joined, shape: shape, order: a.order).sharing(a)
        case (.constant, .computed(let place, let curve)):
            guard let number = a.constant?.scalar, b.count == Elements.count(shape), curve.parts < Self.mostParts,
                let joined = expression(kind, .constant(number), curve)
            else { return nil }
            return ONNXValue(place: place, curve: joined, shape: shape, order: b.order).sharing(b)
        default: return nil
        }
    }

    // A constant that runs along one axis alone: scale and offset of channels.
    private mutating func scaled(_ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue, _ shape: [Int]) throws(Fault) -> ONNXValue? {
        let isLeft = b.constant != nil, variable = isLeft ? a : b
        guard let constant = b.constant ?? a.constant, variable.shape == shape else { return nil }
        let extents = [Int](repeating: 1, count: shape.count - constant.shape.count) + constant.shape,
            long = extents.indices.filter { extents[$0] > 1 }
        guard long.count == 1, let axis = long.first else { return nil }
        let numbers = constant.floats, ones = [Float](repeating: 1, count: numbers.count),
            zeros = [Float](repeating: 0, count: numbers.count)
        switch kind {
        case .add, .sum: return scaled(variable, axis: axis, scale: ones, offset: numbers)
        case .mul: return scaled(variable, axis: axis, scale: numbers, offset: zeros)
        case .sub where isLeft: return scaled(variable, axis: axis, scale: ones, offset: numbers.map { -$0 })
        case .sub: return scaled(variable, axis: axis, scale: ones.map { -$0 }, offset: numbers)
        case .div where isLeft && !numbers.contains(0): return scaled(variable, axis: axis, scale: numbers.map { 1 / $0 }, offset: zeros)
        default: return nil
        }
    }

    private mutating func layered(
        _ node: ONNXFile.Node, _ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue, _ shape: [Int]
    ) throws(Fault) -> ONNXValue {
        if kind == .mul {
            if let divisor = b.divisor { return try layered(node, .div, a, divisor, shape) }
            if let divisor = a.divisor { return try layered(node, .div, b, divisor, shape) }
        }
        let operation: FloatOperation, right: ONNXValue
        switch kind {
        case .add, .sum: (operation, right) = (.add, b)
        case .sub: (operation, right) = (.subtract, b)
        case .mul: (operation, right) = (.multiply, b)
        case .max: (operation, right) = (.maximum, b)
        case .min: (operation, right) = (.minimum, b)
        case .div: (operation, right) = (.divide, b)
        case .pow where b.constant != nil:
            throw refused(
                node, "its exponents differ; it can have one",
                remedy: "Where each column has its own (PowerTransformer), write rows that are transformed, or use StandardScaler.")
        default: throw refused(node, "both of its inputs are computed")
        }
        guard let left = Elements.broadcast(a.shape, to: shape), let other = Elements.broadcast(right.shape, to: shape) else {
            throw refused(node, "its inputs do not fit each other")
        }
        let wide = (a.picked(left, shape: shape), right.picked(other, shape: shape))
        let (elements, extents, order) = common(wide.0, wide.1)
        let sources = [arranged(wide.0, elements: elements, extents), arranged(wide.1, elements: elements, extents)]
        return ONNXValue(place: append(operation, sources, extents), shape: shape, order: order)
    }

    // The order in which one of two lies already, so that the other alone has to move.
    private mutating func common(_ a: ONNXValue, _ b: ONNXValue) -> (elements: [Int32], shape: FloatShape, order: [Int32]) {
        for value in [a, b] where value.constant == nil {
            let (place, order) = materialised(value), shape = graph.shape(place)
            guard shape.count == order.count else { continue }
            var elements = [Int32](repeating: -1, count: order.count)
            for (element, at) in order.enumerated() where at >= 0 { elements[Int(at)] = Int32(clamping: element) }
            if !elements.contains(-1) { return (elements, shape, order) }
        }
        let channels = a.shape.last ?? 1, elements = (0..<Int32(clamping: a.count)).map { $0 }
        return (elements, FloatShape(rows: a.count / max(channels, 1), channels: channels), elements)
    }

    // x above zero, slope x below, with a slope of its own for each channel.
    private mutating func leaky(_ node: ONNXFile.Node, _ source: ONNXValue, _ slope: ONNXValue) throws(Fault) -> ONNXValue {
        guard let slopes = slope.constant, source.constant == nil else { throw refused(node, "its slope is computed") }
        let (place, order) = materialised(source)
        func curved(_ curve: Expression) -> ONNXValue {
            var value = ONNXValue(place: place, curve: curve, shape: source.shape, order: order)
            value.isShared = true
            return value
        }
        if let one = slopes.scalar { return curved(.curve(.leakyReLU(slope: one), .input)).sharing(source) }
        let below = try combined(node, .mul, curved(.minimum(.input, .constant(0))), slope)
        return try combined(node, .add, curved(.curve(.relu, .input)), below)
    }
}

extension ONNXValue {
    fileprivate func sharing(_ other: ONNXValue) -> ONNXValue {
        var value = self
        value.isShared = other.isShared
        return value
    }
}
