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

    init(_ constant: ONNXConstant) { (shape, content, order) = (constant.shape, .constant(constant.numbers), []) }

    init(place: Int, curve: Expression = .input, shape: [Int], order: [Int32]? = nil) {
        (self.shape, content) = (shape, .computed(place: place, curve: curve))
        self.order = order ?? (0..<Int32(clamping: Self.count(shape))).map { $0 }
    }

    var count: Int { Self.count(shape) }
    var constant: ONNXConstant? { if case .constant(let numbers) = content { ONNXConstant(numbers, shape: shape) } else { nil } }

    static func count(_ shape: [Int]) -> Int { shape.reduce(1, *) }

    /// How far apart two neighbours along each axis lie.
    static func strides(_ shape: [Int]) -> [Int] {
        var strides = [Int](repeating: 1, count: shape.count)
        for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
        return strides
    }

    /// The same numbers in another shape.
    func reshaped(_ shape: [Int]) -> ONNXValue {
        var value = self
        value.shape = shape
        return value
    }

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

    /// The elements' numbers with the axes in another order.
    static func transposed(_ shape: [Int], _ axes: [Int]) -> [Int32] {
        let strides = strides(shape)
        return indices(axes.map { shape[$0] }) { index in zip(index, axes).reduce(0) { $0 + $1.0 * strides[$1.1] } }
    }

    /// For each index of a shape, in order, a number.
    static func indices(_ shape: [Int], _ of: ([Int]) -> Int) -> [Int32] {
        let total = count(shape)
        guard total > 0 else { return [] }
        var index = [Int](repeating: 0, count: shape.count), numbers: [Int32] = []
        numbers.reserveCapacity(total)
        for _ in 0..<total {
            numbers.append(Int32(clamping: of(index)))
            for axis in shape.indices.reversed() {
                index[axis] += 1
                if index[axis] < shape[axis] { break }
                index[axis] = 0
            }
        }
        return numbers
    }

    /// The elements' numbers repeated to a shape that they are broadcast to.
    static func broadcast(_ shape: [Int], to wider: [Int]) -> [Int32]? {
        let missing = wider.count - shape.count
        guard missing >= 0, shape.enumerated().allSatisfy({ $1 == 1 || $1 == wider[$0 + missing] }) else { return nil }
        let strides = strides(shape)
        return indices(wider) { index in
            shape.indices.reduce(0) { $0 + (shape[$1] == 1 ? 0 : index[$1 + missing] * strides[$1]) }
        }
    }

    /// The shape that two are broadcast to, nil where they do not go together.
    static func common(_ a: [Int], _ b: [Int]) -> [Int]? {
        let rank = max(a.count, b.count)
        let left = [Int](repeating: 1, count: rank - a.count) + a, right = [Int](repeating: 1, count: rank - b.count) + b
        guard zip(left, right).allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
        return zip(left, right).map { $0 == 1 ? $1 : $0 }
    }
}
