internal import NeuralNetwork
internal import Support

/// Operators with weights, and what usually stands beside them.
extension ONNXBuilder {
    mutating func appendClassifier(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0), numbers = node.floats("coefficients"), bias = node.floats("intercepts")
        let inputs = source.count, outputs = bias.count, transform = node.text("post_transform") ?? "NONE"
        guard outputs > 0, numbers.count == inputs * outputs else {
            throw refused(node, "it has \(numbers.count) coefficients for \(inputs) inputs and \(outputs) classes")
        }
        if let names = try Self.labels(node) { labels.append(names) }
        guard ["NONE", "SOFTMAX", "LOGISTIC"].contains(transform), outputs > 1 || transform == "LOGISTIC" else {
            throw refused(node, "its post_transform is \(transform) of \(outputs) scores")
        }
        var weights = FloatWeights(inputs: inputs, outputs: outputs, values: numbers, bias: bias)
        if outputs == 1 { // of the second of two classes: 1 - p and p
            weights = FloatWeights(inputs: inputs, outputs: 2, values: numbers.map { -$0 } + numbers, bias: bias.map { -$0 } + bias)
        }
        let scores = try dense(node, source, weights), output = node.outputs.count > 1 ? 1 : 0
        switch transform {
        case "LOGISTIC": try define(node, applied(.curve(.sigmoid, .input), to: scores), output: output)
        case "SOFTMAX": try define(node, softmax(scores, axis: scores.shape.count - 1, endsIn: endsIn), output: output)
        default: try define(node, scores, output: output)
        }
    }

    mutating func appendScale(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let source = try value(node, 0)
        var axis = 1, scale: [Float], means: [Float], offset: [Float]
        if kind == .scaler {
            axis = source.shape.count - 1
            let count = source.shape[axis], by = node.floats("scale"), from = node.floats("offset")
            scale = (0..<count).map { by.count == count ? by[$0] : by.first ?? 1 }
            means = (0..<count).map { from.count == count ? from[$0] : from.first ?? 0 }
            offset = [Float](repeating: 0, count: count)
        } else {
            guard node.integer("training_mode") == 0 else { throw refused(node, "it is still in training") }
            guard source.shape.count > 1, let gamma = try constant(node, 1)?.floats, let beta = try constant(node, 2)?.floats,
                let mean = try constant(node, 3)?.floats, let variance = try constant(node, 4)?.floats,
                [gamma, beta, mean, variance].allSatisfy({ $0.count == source.shape[1] })
            else { throw refused(node, "its constants do not fit the shape \(source.shape)") }
            let epsilon = node.float("epsilon", default: 1e-5)
            scale = zip(gamma, variance).map { Float(Double($0) / (Double($1) + epsilon).squareRoot()) }
            (means, offset) = (mean, beta)
        }
        let moved = scale.indices.map { offset[$0] - means[$0] * scale[$0] }
        guard (scale + moved).allSatisfy(\.isFinite) else { throw refused(node, "it has a number that is not finite") }
        guard FloatWeights(inputs: 1, outputs: scale.count, values: scale, bias: moved).movesFar else {
            try define(node, scaled(source, axis: axis, scale: scale, offset: moved))
            return
        }
        let near = scaled(source, axis: axis, scale: scale.map { _ in 1 }, offset: means.map { -$0 })
        try define(node, scaled(near, axis: axis, scale: scale, offset: offset))
    }

    // What scales the last axes to a mean of zero and a deviation of one, as operators that there are.
    mutating func appendLayerNormalization(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        let axes = try axes(node, rank: rank), scale = try optional(node, 1), offset = try optional(node, 2)
        guard [scale, offset].allSatisfy({ $0?.constant?.floats.allSatisfy(\.isFinite) ?? true }) else {
            throw refused(node, "its scale or offset is not finite")
        }
        guard let factor = try deviationFactor(node, source, axes) else { return try takeApart(node, source) }
        let epsilon = node.float("epsilon", default: 1e-5) / factor
        var result = try normalised(node, source, axes, epsilon: epsilon)
        if let share = try share(node, of: source, axes, unit: result, factor: factor) {
            result = try combined(node, .mul, result, share)
        }
        if factor != 1 { result = applied(.product(.constant(1 / factor.squareRoot()), .input), to: result) }
        if let scale { result = try combined(node, .mul, result, scale) }
        if let offset { result = try combined(node, .add, result, offset) }
        try define(node, result)
    }

    // What the mean of the squares is multiplied with; nil where it is not of these axes, or by no constant.
    func deviationFactor(_ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int]) throws(Fault) -> Double? {
        guard let others = node.others else { return 1 }
        guard try self.axes(node, others, rank: source.shape.count) == axes else { return nil }
        var factor = 1.0
        if node.text("norm") == ONNXNorm.sum.rawValue { factor = Double(axes.reduce(1) { $0 * source.shape[$1] }) }
        for (position, isDivisor) in [(ONNXNormalisation.DeviationInput.factor, false), (ONNXNormalisation.DeviationInput.divisor, true)] {
            guard let value = try optional(node, position) else { continue }
            guard let number = value.constant?.scalar, value.shape.count <= 1, number > 0, number.isFinite else { return nil }
            factor *= isDivisor ? 1 / number : number
        }
        if let shape = try optional(node, ONNXNormalisation.DeviationInput.shape) {
            guard shape.constant?.integers == source.shape.indices.map({ axes.contains($0) ? 1 : source.shape[$0] }) else { return nil }
        }
        return factor
    }

    /// The last axes over the root of the mean of their squares.
    mutating func appendRootMeanSquare(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        let axes = try axes(node, rank: rank), scale = try optional(node, 1)
        guard scale?.constant?.floats.allSatisfy(\.isFinite) ?? true else { throw refused(node, "its scale is not finite") }
        let result = try overRootMeanSquare(node, source, axes, epsilon: node.float("epsilon", default: 1e-5))
        try define(node, try scale.map { scale throws(Fault) in try combined(node, .mul, result, scale) } ?? result)
    }

    /// Numbers times `gain`, over the root of the mean of their squares along some axes and `epsilon`.
    mutating func overRootMeanSquare(
        _ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int], gain: Double = 1, epsilon: Double
    ) throws(Fault) -> ONNXValue {
        guard (0...1e6).contains(epsilon) else { throw refused(node, "its epsilon is \(epsilon)") }
        if let result = try overLength(source, axes, gain: gain, epsilon: epsilon) { return result }
        let square = try meanSquare(node, source, axes)
        // Zeros over a length of zero are zeros.
        let inverse = Expression.power(.sum(.input, .constant(max(epsilon, 1e-30))), exponent: -0.5)
        let factor = applied(.product(.constant(gain), inverse), to: square)
        return try combined(node, .mul, applied(.input, to: source), factor)
    }

    /// Numbers over the root of the mean of their squares, in one layer; nil where there are too many for it.
    mutating func overLength(_ source: ONNXValue, _ axes: [Int], gain: Double = 1, epsilon: Double = 0) throws(Fault) -> ONNXValue? {
        guard source.constant == nil, (1...Self.mostNormalised).contains(axes.reduce(1) { $0 * source.shape[$1] }) else { return nil }
        return overChannels(.rootMeanSquare(gain: Float(gain), epsilon: Float(epsilon)), source, axes)
    }

    // A layer that works on the channels of every position, on the numbers along some axes.
    private mutating func overChannels(_ operation: FloatOperation, _ source: ONNXValue, _ axes: [Int]) -> ONNXValue {
        let count = axes.reduce(1) { $0 * source.shape[$1] }, order = source.shape.indices.filter { !axes.contains($0) } + axes
        let shape = FloatShape(rows: source.count / count, channels: count)
        return value(append(operation, [arranged(source, axes: order, shape)], shape), shape: source.shape, axes: order)
    }

    /// Over the positions of each channel, the second axis: what PyTorch's InstanceNorm and GroupNorm become.
    mutating func appendInstanceNormalization(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        guard rank > 2, source.constant == nil, let scale = try constant(node, 1), let offset = try constant(node, 2),
            scale.numbers.count == source.shape[1], offset.numbers.count == source.shape[1],
            (scale.floats + offset.floats).allSatisfy(\.isFinite)
        else { throw refused(node, "its input has the shape \(source.shape), or its scale and offset are no numbers of each channel") }
        let result = try normalised(node, source, Array(2..<rank), epsilon: node.float("epsilon", default: 1e-5))
        try define(node, scaled(result, axis: 1, scale: scale.floats, offset: offset.floats))
    }

    /// Over the positions of all channels of a group.
    mutating func appendGroupNormalization(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), shape = source.shape, groups = node.integer("num_groups")
        guard shape.count > 2, shape[0] == 1, source.constant == nil, groups > 0, shape[1] % groups == 0,
            let scale = try constant(node, 1)?.floats, let offset = try constant(node, 2)?.floats, scale.count == shape[1],
            offset.count == shape[1], (scale + offset).allSatisfy(\.isFinite)
        else { throw refused(node, "its input has the shape \(shape) and \(groups) groups, or its scale and offset do not fit them") }
        let parts = source.reshaped([1, groups, source.count / groups])
        let result = try normalised(node, parts, [2], epsilon: node.float("epsilon", default: 1e-5)).reshaped(shape)
        try define(node, scaled(result, axis: 1, scale: scale, offset: offset))
    }

    // As many channels as a tensor of the core can have (GW_EXTENT_MAX).
    private static let mostNormalised = 4096

    // Minus the mean over some axes, over the standard deviation.
    private mutating func normalised(
        _ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int], epsilon: Double
    ) throws(Fault) -> ONNXValue {
        guard (0...1e6).contains(epsilon) else { throw refused(node, "its epsilon is \(epsilon)") }
        if source.constant == nil, (1...Self.mostNormalised).contains(axes.reduce(1) { $0 * source.shape[$1] }) {
            return overChannels(.normalisation(epsilon: Float(epsilon)), source, axes)
        }
        let centred = try combined(node, .sub, source, try mean(node, source, axes))
        let variance = try meanSquare(node, centred, axes)
        let factor = applied(.power(.sum(.input, .constant(epsilon)), exponent: -0.5), to: variance)
        return try combined(node, .mul, applied(.input, to: centred), factor)
    }

    mutating func appendSoftmax(_ node: ONNXFile.Node, isLog: Bool, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        let opset = node.integer("opset", default: file.opset) // an operator on integers has its own
        let axis = try axis(node, node.integer("axis", default: opset < 13 ? 1 : -1), rank: rank)
        guard source.constant == nil else { throw refused(node, "it reads a constant") }
        // Older files take all axes from that one on together.
        let norm = node.text("norm").flatMap(ONNXNorm.init)
        guard norm != .row || source.shape[axis] == source.count else { return try takeApart(node, source) }
        let isOld = opset < 13 && norm == nil, rows = source.count / Elements.count(Array(source.shape[axis...]))
        let flat = isOld ? source.reshaped([rows, source.count / rows]) : source
        guard !isLog || endsIn && flat.count == flat.shape[isOld ? 1 : axis] else { throw refused(node, "it is not the last") }
        try define(node, softmax(flat, axis: isOld ? 1 : axis, endsIn: endsIn).reshaped(source.shape))
    }

    /// The network's end, or a layer of its own.
    mutating func softmax(_ source: ONNXValue, axis: Int, endsIn: Bool) -> ONNXValue {
        if endsIn, source.count == source.shape[axis] {
            graph.output = .softmax
            return source
        }
        return overChannels(.softmax, source, [axis])
    }
}
