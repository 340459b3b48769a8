internal import NeuralNetwork
internal import Support

/// Convolutions, pools and means: operators that look at several positions.
extension ONNXBuilder {
    // Axes of [1, channels, height, width] or [batch, channels, time] as Gaitway has them: positions before channels. What was folded into
    // the batch, of which each part is worked on alone, is the height.
    private func positionsFirst(_ node: ONNXFile.Node, _ value: ONNXValue) throws(Fault) -> (axes: [Int], shape: FloatShape) {
        let shape = value.shape
        guard (3...4).contains(shape.count), shape[0] == 1 || shape.count == 3 && shape[0] > 0, value.constant == nil else {
            throw refused(node, "it reads the shape \(shape); the batch has to be one")
        }
        return shape.count == 3
            ? ([0, 2, 1], FloatShape(height: shape[0], width: shape[2], channels: shape[1]))
            : ([0, 2, 3, 1], FloatShape(height: shape[2], width: shape[3], channels: shape[1]))
    }

    private struct Window {
        var kernel: KernelShape
        /// Of the output.
        var height: Int
        var width: Int
        var hasPadding: Bool
        /// Whether the last one lies partly behind the padding.
        var isCut: Bool
    }

    private func window(_ node: ONNXFile.Node, _ source: ONNXValue, kernel: [Int]) throws(Fault) -> Window {
        let extents = Array(source.shape.dropFirst(2)), axes = extents.count
        func list(_ name: String, _ count: Int, _ fallback: Int) throws(Fault) -> [Int] {
            let found = try node.integers(name) ?? [Int](repeating: fallback, count: count)
            guard found.count == count, found.allSatisfy({ (fallback...4096).contains($0) }) else {
                throw refused(node, "its \(name) are \(found)")
            }
            return found
        }
        let strides = try list("strides", axes, 1), dilations = try list("dilations", axes, 1),
            automatic = node.text("auto_pad") ?? "NOTSET"
        var pads = try list("pads", 2 * axes, 0), outputs: [Int] = [], isCut = false
        guard kernel.count == axes, kernel.allSatisfy({ (1...4096).contains($0) }) else { throw refused(node, "its window is \(kernel)") }
        for axis in 0..<axes {
            let reach = dilations[axis] * (kernel[axis] - 1) + 1
            if automatic.hasPrefix("SAME") {
                let output = (extents[axis] + strides[axis] - 1) / strides[axis]
                let all = max(0, (output - 1) * strides[axis] + reach - extents[axis])
                pads[axis] = automatic == "SAME_LOWER" ? all - all / 2 : all / 2
                pads[axis + axes] = all - pads[axis]
            }
            let free = extents[axis] + pads[axis] + pads[axis + axes] - reach
            guard free >= 0 else { throw refused(node, "its window is larger than what it reads") }
            outputs.append((node.integer("ceil_mode") != 0 ? free + strides[axis] - 1 : free) / strides[axis] + 1)
            isCut = isCut || (outputs[axis] - 1) * strides[axis] > free
        }
        func both(_ numbers: [Int], _ missing: Int) -> (Int, Int) { axes == 1 ? (missing, numbers[0]) : (numbers[0], numbers[1]) }
        var shape = KernelShape(height: 1, width: 1)
        (shape.height, shape.width) = both(kernel, 1)
        (shape.strideHeight, shape.strideWidth) = both(strides, 1)
        (shape.dilationHeight, shape.dilationWidth) = both(dilations, 1)
        (shape.top, shape.left) = both(Array(pads.prefix(axes)), 0)
        let (height, width) = both(outputs, source.shape[0])
        try requireSize(node, [height, width])
        return Window(kernel: shape, height: height, width: width, hasPadding: pads.contains { $0 > 0 }, isCut: isCut)
    }

    private func result(_ place: Int, _ source: ONNXValue, _ window: Window, channels: Int) -> ONNXValue {
        let isLine = source.shape.count == 3
        return value(
            place, shape: isLine ? [window.height, channels, window.width] : [1, channels, window.height, window.width],
            axes: isLine ? [0, 2, 1] : [0, 2, 3, 1])
    }

    mutating func appendConvolution(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let source = try value(node, 0), (axes, shape) = try positionsFirst(node, source)
        guard let weights = try weights(node, kind, value(node, 1)), weights.shape.count == source.shape.count else {
            throw refused(node, "its weights are computed")
        }
        let outputs = weights.shape[0], each = weights.shape[1], groups = node.integer("group", default: 1)
        let taps = weights.shape.dropFirst(2).reduce(1, *), numbers = weights.floats
        guard (1...shape.channels).contains(groups), (1...shape.channels).contains(each), each * groups == shape.channels, outputs > 0,
            outputs % groups == 0
        else {
            throw refused(node, "weights of shape \(weights.shape) in \(groups) groups do not fit \(source.shape)")
        }
        let window = try window(node, source, kernel: Array(weights.shape.dropFirst(2)))
        let bias = kind == .convInteger ? nil : try constant(node, 2)?.floats
        guard bias?.count ?? outputs == outputs, (numbers + (bias ?? [])).allSatisfy(\.isFinite) else {
            throw refused(node, "its bias does not fit, or it has a number that is not finite")
        }
        let from = arranged(source, axes: axes, shape), result = FloatShape(height: window.height, width: window.width, channels: outputs)
        try requireSize(node, [result.height, result.width, outputs])
        guard outputs * taps <= Self.mostWeights / (each * groups) else { throw refused(node, "its groups become too many weights") }
        let operation: FloatOperation
        if each == 1, groups > 1 {
            operation = .depthwise(FloatWeights(inputs: taps, outputs: outputs, values: numbers, bias: bias), window.kernel)
        } else {
            // [output][input][tap] to [output][tap][input]; inputs of other groups have no weight.
            let inputs = each * groups
            var values = [Float](repeating: 0, count: outputs * taps * inputs)
            for output in 0..<outputs {
                let first = output / (outputs / groups) * each
                for input in 0..<each {
                    for tap in 0..<taps {
                        values[(output * taps + tap) * inputs + first + input] = numbers[(output * each + input) * taps + tap]
                    }
                }
            }
            operation = .convolution(FloatWeights(inputs: taps * inputs, outputs: outputs, values: values, bias: bias), window.kernel)
        }
        try define(node, self.result(append(operation, [from], result), source, window, channels: outputs))
    }

    mutating func appendPool(_ node: ONNXFile.Node, isMaximum: Bool) throws(Fault) {
        let source = try value(node, 0), (axes, shape) = try positionsFirst(node, source)
        guard let kernel = try node.integers("kernel_shape") else { throw refused(node, "its window is missing") }
        let window = try window(node, source, kernel: kernel)
        if !isMaximum, source.isPower, !window.hasPadding, kernel == Array(source.shape.dropFirst(2)) {
            return try define(node, try mean(node, source, Array(source.shape.indices.dropFirst(2))))
        }
        guard isMaximum || !window.hasPadding || node.integer("count_include_pad") == 0 else {
            guard !window.isCut else { throw refused(node, "its last window lies partly behind the padding that it counts") }
            return try appendPoolWithZeros(node, source, window)
        }
        let from = arranged(source, axes: axes, shape)
        let result = FloatShape(height: window.height, width: window.width, channels: shape.channels)
        try requireSize(node, [result.height, result.width, result.channels])
        let place = append(isMaximum ? .maxPool(window.kernel) : .averagePool(window.kernel), [from], result)
        try define(node, self.result(place, source, window, channels: shape.channels))
    }

    // The mean counts the zeros of its padding: a depthwise convolution.
    private mutating func appendPoolWithZeros(_ node: ONNXFile.Node, _ source: ONNXValue, _ window: Window) throws(Fault) {
        let (axes, shape) = try positionsFirst(node, source), taps = window.kernel.height * window.kernel.width
        try requireSize(node, [window.height, window.width, shape.channels])
        let weights = FloatWeights(
            inputs: taps, outputs: shape.channels, values: [Float](repeating: 1 / Float(taps), count: taps * shape.channels))
        let place = append(
            .depthwise(weights, window.kernel), [arranged(source, axes: axes, shape)],
            FloatShape(height: window.height, width: window.width, channels: shape.channels))
        try define(node, result(place, source, window, channels: shape.channels))
    }

    mutating func appendReduction(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count
        var axes: Set<Int> = [], keeps = true
        if kind == .globalAveragePool || kind == .globalMaxPool {
            axes = Set(2..<max(rank, 2))
        } else {
            let given = try list(node, 1, "axes") ?? []
            if given.isEmpty, node.integer("noop_with_empty_axes") != 0 { return try define(node, applied(Self.term(kind), to: source)) }
            for written in given.isEmpty ? Array(source.shape.indices) : given {
                axes.insert(try axis(node, written, rank: rank))
            }
            keeps = node.integer("keepdims", default: 1) != 0
        }
        var result: ONNXValue
        switch kind {
        case _ where source.constant != nil: result = try folded(node, kind, source, axes.sorted())
        case .globalMaxPool, .reduceMax: result = maximum(source, axes.sorted())
        case .reduceMin:
            let negative = Expression.function(.negative, .input)
            result = applied(negative, to: maximum(applied(negative, to: source), axes.sorted()))
        case .reduceLogSumExp: result = try logarithmOfSum(node, source, axes.sorted())
        case .reduceL2:
            result = try length(node, source, axes.sorted(), factor: Double(axes.reduce(1) { $0 * source.shape[$1] }))
        case .reduceSum, .reduceL1, .reduceSumSquare:
            let sum = Expression.product(.constant(Double(axes.reduce(1) { $0 * source.shape[$1] })), .input)
            let terms = Self.term(kind), mean = try mean(node, terms == .input ? source : applied(terms, to: source), axes.sorted())
            result = applied(sum, to: mean)
        default: result = try mean(node, source, axes.sorted())
        }
        if !keeps { result = result.reshaped(result.shape.indices.filter { !axes.contains($0) }.map { result.shape[$0] }) }
        try define(node, result)
    }

    // What a reduction makes of one number.
    private static func term(_ kind: ONNXOperator) -> Expression {
        switch kind {
        case .reduceL1, .reduceL2: .function(.magnitude, .input)
        case .reduceSumSquare: .power(.input, exponent: 2)
        default: .input
        }
    }

    private func folded(_ node: ONNXFile.Node, _ kind: ONNXOperator, _ source: ONNXValue, _ axes: [Int]) throws(Fault) -> ONNXValue {
        let kept = source.shape.indices.filter { !axes.contains($0) }, count = axes.reduce(1) { $0 * source.shape[$1] }
        let shape = source.shape.indices.map { axes.contains($0) ? 1 : source.shape[$0] }
        guard count > 0, source.count > 0 else { throw refused(node, "it reads no numbers") }
        let inOrder = source.picked(Elements.transposed(source.shape, kept + axes), shape: source.shape).constant?.floats ?? []
        let results = stride(from: 0, to: inOrder.count, by: count).map { start -> Float in
            let part = inOrder[start..<start + count], sum = part.reduce(0, +)
            return switch kind {
            case .globalMaxPool, .reduceMax: part.max() ?? 0
            case .reduceMin: part.min() ?? 0
            case .reduceSum: sum
            case .reduceL1: part.reduce(0) { $0 + $1.magnitude }
            case .reduceL2: part.reduce(0) { $0 + $1 * $1 }.squareRoot()
            case .reduceSumSquare: part.reduce(0) { $0 + $1 * $1 }
            case .reduceLogSumExp: Float(Expression.function(.log, .input).value(part.reduce(0) { $0 + Exponential.exp(Double($1)) }))
            default: sum / Float(count)
            }
        }
        return filled(.floats(results), shape)
    }

    /// The mean over some axes, which keep an extent of one.
    mutating func mean(_ node: ONNXFile.Node, _ source: ONNXValue, _ axes: [Int]) throws(Fault) -> ONNXValue {
        guard source.constant == nil else { return try folded(node, .reduceMean, source, axes) }
        let (from, kept, shape) = reducible(source, axes)
        let result = value(append(.mean, [from], FloatShape(channels: Elements.count(shape))), shape: shape, axes: axes + kept)
        notePowerMean(of: source, axes, result)
        return result
    }

    mutating func maximum(_ source: ONNXValue, _ axes: [Int]) -> ONNXValue {
        let (from, kept, shape) = reducible(source, axes), window = KernelShape(height: 1, width: graph.shape(from).positions)
        return value(append(.maxPool(window), [from], FloatShape(channels: Elements.count(shape))), shape: shape, axes: axes + kept)
    }

    // What goes as positions, what stays as channels.
    private mutating func reducible(_ source: ONNXValue, _ axes: [Int]) -> (place: Int, kept: [Int], shape: [Int]) {
        let kept = source.shape.indices.filter { !axes.contains($0) }, channels = kept.reduce(1) { $0 * source.shape[$1] }
        let shape = source.shape.indices.map { axes.contains($0) ? 1 : source.shape[$0] }
        let place = arranged(source, axes: axes + kept, FloatShape(width: source.count / max(channels, 1), channels: channels))
        return (place, kept, shape)
    }
}
