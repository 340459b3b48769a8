internal import NeuralNetwork

/// A tensor while the graph is made. Of what is computed, moving numbers about costs nothing until somebody reads them in another order.
struct ONNXValue {
    enum Content {
        case constant(ONNXConstant.Numbers)
        /// A tensor of the float graph, and what is still to be done to each of its numbers.
        case computed(place: Int, curve: Expression)
    }

    /// With the batch of one.
    var shape: [Int]
    var content: Content
    /// For each element, in ONNX's order, the number of the place's element, or -1 for 0; empty for constants.
    var order: [Int32]
    /// Whether somebody else reads its place as well.
    var isShared = false
    /// Whether it stands for the place of the largest: a one there, zeros elsewhere. Only a comparison with all places can read that.
    var isChoice = false
    /// Whether it is 1 where something holds and 0 where it does not.
    var isTruth = false
    /// Of a constant: as ``ONNXConstant/isSigned``.
    var isSigned = false

    init(_ constant: ONNXConstant) {
        (shape, content, order, isSigned) = (constant.shape, .constant(constant.numbers), [], constant.isSigned)
    }

    init(place: Int, curve: Expression = .input, shape: [Int], order: [Int32]? = nil) {
        (self.shape, content) = (shape, .computed(place: place, curve: curve))
        self.order = order ?? (0..<Int32(clamping: Elements.count(shape))).map { $0 }
    }

    var count: Int { Elements.count(shape) }
    var constant: ONNXConstant? {
        guard case .constant(let numbers) = content else { return nil }
        var constant = ONNXConstant(numbers, shape: shape)
        constant.isSigned = isSigned
        return constant
    }
    /// Whether it is all of its place, in whatever order.
    func isWhole(of count: Int) -> Bool { order.count == count && !order.contains(-1) && Set(order).count == count }

    /// Whether nothing is still to be done to its numbers.
    var isPlain: Bool { if case .computed(_, .input) = content { true } else { false } }
    /// Whether a rounding is the last that is done to it.
    var isWhole: Bool { if case .computed(_, let curve) = content { curve.isWhole } else { false } }
    /// Whether a sigmoid is the last that is done to it.
    var isSigmoid: Bool { if case .computed(_, .curve(.sigmoid, _)) = content { true } else { false } }

    /// Whether a power is the last that is done to it.
    var isPower: Bool { if case .computed(_, .power) = content { true } else { false } }

    /// What it is the inverse of: a table of that would have few entries where it is steep.
    var divisor: ONNXValue? {
        guard case .computed(let place, let curve) = content else { return nil }
        var value = self
        switch curve {
        case .quotient(.constant(1), let below): value.content = .computed(place: place, curve: below)
        case .power(let below, exponent: -0.5): value.content = .computed(place: place, curve: .function(.squareRoot, below))
        case .power(let below, exponent: -1): value.content = .computed(place: place, curve: below)
        case .power(let below, let exponent) where exponent < 0:
            value.content = .computed(place: place, curve: .power(below, exponent: -exponent))
        default: return nil
        }
        return value
    }

    /// A function of the same numbers.
    func followed(by curve: Expression) -> ONNXValue {
        switch content {
        case .constant:
            return ONNXValue(ONNXConstant(.floats((constant?.floats ?? []).map { Float(curve.value(Double($0))) }), shape: shape))
        case .computed(let place, let before):
            var value = ONNXValue(place: place, curve: curve.after(before), shape: shape, order: order)
            value.isShared = isShared
            return value
        }
    }

    /// The same numbers in another shape.
    func reshaped(_ shape: [Int]) -> ONNXValue {
        var value = self
        value.shape = shape
        return value
    }

    /// With its axes in another order.
    func transposed(_ axes: [Int]) -> ONNXValue { picked(Elements.transposed(shape, axes), shape: axes.map { shape[$0] }) }

    /// What lies at `picks`, numbers of its elements in ONNX's order, or -1 for 0.
    func picked(_ picks: [Int32], shape: [Int]) -> ONNXValue {
        var value = self
        value.shape = shape
        switch content {
        case .constant(.floats(let numbers)): value.content = .constant(.floats(picks.map { $0 < 0 ? 0 : numbers[Int($0)] }))
        case .constant(.integers(let numbers)): value.content = .constant(.integers(picks.map { $0 < 0 ? 0 : numbers[Int($0)] }))
        case .computed: value.order = picks.map { $0 < 0 ? -1 : order[Int($0)] }
        }
        return value
    }
}

extension ONNXValue {
    // What is added to scores that a soft-max is not to see: exporters write -inf, -3.4e38 or -1e9.
    private static let hidden: Float = -1e4

    /// Whether it is a constant that hides some numbers.
    var isMask: Bool { constant?.floats.contains { $0 <= Self.hidden } ?? false }

    /// The same with numbers that integers can hold beside others.
    var masked: ONNXValue {
        guard isMask, let constant else { return self }
        return ONNXValue(ONNXConstant(.floats(constant.floats.map { $0 <= Self.hidden ? FloatGraph.hiding : $0 }), shape: constant.shape))
    }
}
