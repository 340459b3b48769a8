internal import NeuralNetwork
internal import Support

/// What quantisation left in a file: scales and zero points, and products of integers.
extension ONNXBuilder {
    /// With the file's own scales what is computed gets them; else only the limits stay, and Gaitway finds steps of its own.
    mutating func appendQuantised(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0)
        guard let scale = try constant(node, 1)?.floats, !scale.isEmpty, scale.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw refused(node, try withoutScale(node))
        }
        var zero = ONNXConstant(.integers([Int64](repeating: 0, count: scale.count)), shape: [])
        zero.isSigned = node.integer("output_dtype") == 3
        if let found = try constant(node, 2) { zero = found }
        if let constant = source.constant { return try define(node, try quantised(node, constant, scale, zero)) }
        guard scale.count == 1, let zeroPoint = zero.integers.first, (zero.isSigned ? -128...127 : 0...255).contains(zeroPoint) else {
            throw refused(node, "it has not one scale for what is computed, or a zero point that is not of its type")
        }
        let own = Step(scale: Double(scale[0]), zeroPoint: zeroPoint, isSigned: zero.isSigned)
        steps[node.outputs.first ?? ""] = own
        // What a soft-max or sigmoid at the end gives is scaled as probabilities are.
        if endsIn, graph.output != .logits || source.isSigmoid { return try define(node, source) }
        let step = Double(scale[0]), low = Double((zero.isSigned ? -128 : 0) - zeroPoint), high = low + 255
        let limited = Expression.minimum(.maximum(.input, .constant(low * step)), .constant(high * step))
        guard keepsScales else {
            // The same limits may be behind it already.
            let before = self.step(before: node.input(0) ?? "", behind: Self.arranging.union(["DequantizeLinear"]))
            return try define(node, before == own ? source : applied(limited, to: source))
        }
        let quantisation = Quantisation(scale: step, zeroPoint: zero.isSigned ? zeroPoint : zeroPoint - 128)
        if case .computed(let from, let curve) = source.content, !source.isPlain,
            !isReadOnce(node.input(0) ?? "") || !source.isWhole(of: graph.shape(from).count)
        {
            // Rounded once, with what is still to be done.
            let place = append(.curve(limited.after(curve).activation), [from], graph.shape(from))
            graph.quantisations[place] = quantisation
            return try define(node, ONNXValue(place: place, shape: source.shape, order: source.order))
        }
        if case .computed(let softmax, .input) = source.content, source.isWhole(of: graph.shape(softmax).count),
            isSoftmaxAlone(behind: node.input(0) ?? ""), softmax > 0, case .softmax = graph.layers[softmax - 1].operation
        {
            graph.quantisations[softmax] = quantisation
        }
        var (place, order) = materialised(source)
        if graph.origin(ofNumbers: place) == 0, graph.quantisations[0] == nil { graph.quantisations[0] = quantisation }
        // A layer of its own where others read the place as it is, or where it has the scale of what it reads.
        let isShared = source.isPlain ? source.isShared : !isReadOnce(node.input(0) ?? "")
        let hasOwn = !graph.takesScale(place) || graph.averagesWhole(place)
        let isOwn = !isShared && source.isWhole(of: graph.shape(place).count) && hasOwn
        if graph.scale(of: place) != quantisation, !isOwn || graph.quantisations[place] != nil {
            place = append(.curve(limited.activation), [place], graph.shape(place))
        }
        graph.quantisations[place] = quantisation
        try define(node, ONNXValue(place: place, shape: source.shape, order: order))
    }

    /// Whether all that reads a tensor quantises it first, at one scale; before that come only operators that move numbers.
    func quantisesOnce(_ name: String) -> Bool {
        var names = [name], found: Step?
        while let name = names.popLast() {
            for reader in readers[name] ?? [] where reader.kind != "Shape" {
                if reader.kind == "QuantizeLinear" {
                    guard let step = steps[reader.outputs.first ?? ""], found == nil || found == step else { return false }
                    found = step
                } else {
                    guard Self.arranging.contains(reader.kind), reader.inputs.first == name else { return false }
                    names += reader.outputs
                }
            }
        }
        return true
    }

    // Whether a tensor is what a soft-max gave, moved and nothing else, and nothing else reads that.
    private func isSoftmaxAlone(behind name: String) -> Bool {
        var name = name
        while isReadOnce(name), let maker = makers[name] {
            if maker.kind == "Softmax" { return true }
            guard Self.arranging.contains(maker.kind), let from = maker.inputs.first else { return false }
            name = from
        }
        return false
    }

    // What is known of a scale that is no positive number.
    private func withoutScale(_ node: ONNXFile.Node) throws(Fault) -> String {
        guard let scale = try constant(node, 1)?.floats, let wrong = scale.first(where: { !($0 > 0 && $0.isFinite) }) else {
            return "its scale is missing, or is computed"
        }
        return wrong.isFinite
            ? "its scale is \(wrong)"
            : "its scale is \(wrong), as of numbers that were infinite when it was quantised; write a mask of -inf as -20 before that"
    }

    // What moves numbers, and adds none; and all that keeps their scale.
    private static let arranging: Set = ["Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Slice", "Gather", "Split"]
    private static let moving = arranging.union(["Pad", "Expand", "MaxPool", "Concat"])

    // The QuantizeLinear behind which nothing but operators of these kinds moves numbers; nil: all that keep their scale.
    func step(before name: String, behind kinds: Set<String>? = nil) -> Step? {
        let kinds = kinds ?? Self.moving
        var name = name
        for _ in makers {
            if let step = steps[name] { return step }
            guard let maker = makers[name], kinds.contains(maker.kind), let from = maker.inputs.first else { return nil }
            name = from
        }
        return nil
    }

    // Weights that are in float in the file, as PyTorch leaves them.
    private func quantised(
        _ node: ONNXFile.Node, _ constant: ONNXConstant, _ scale: [Float], _ zero: ONNXConstant
    ) throws(Fault) -> ONNXValue {
        let steps = try Steps(self, node, constant.shape, scale, zero.floats, axis: node.integer("axis", default: 1)),
            range: ClosedRange<Float> = zero.isSigned ? -128...127 : 0...255
        let numbers = constant.floats.enumerated().map { index, number in
            let wanted = (number / steps.scale(index)).rounded(.toNearestOrEven) + steps.zero(index)
            return wanted.isFinite ? Int64(min(max(wanted, range.lowerBound), range.upperBound)) : 0
        }
        return ONNXValue(ONNXConstant(.integers(numbers), shape: constant.shape))
    }

    /// Scales and zero points of a constant's elements: one for all, or one for each place along an axis.
    private struct Steps {
        private let scales: [Float], zeros: [Float], inner: Int

        init(
            _ builder: ONNXBuilder, _ node: ONNXFile.Node, _ shape: [Int], _ scales: [Float], _ zeros: [Float], axis written: Int
        ) throws(Fault) {
            let axis = scales.count == 1 ? 0 : try builder.axis(node, written, rank: shape.count)
            guard zeros.count == scales.count, scales.count == 1 || shape[axis] == scales.count else {
                throw builder.refused(node, "it has \(scales.count) scales and \(zeros.count) zero points for the shape \(shape)")
            }
            (self.scales, self.zeros, inner) = (scales, zeros, Elements.count(Array(shape.dropFirst(axis + 1))))
        }

        private func place(_ index: Int) -> Int { scales.count == 1 ? 0 : index / inner % scales.count }
        func scale(_ index: Int) -> Float { scales[place(index)] }
        func zero(_ index: Int) -> Float { zeros[place(index)] }
    }

    /// Constants that were quantised become floats; what is computed is in float all the time.
    mutating func appendDequantised(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0, asFloats: true)
        guard let constant = source.constant else {
            let scale = try self.constant(node, 1)?.scalar, zero = try self.constant(node, 2)?.integers ?? [0]
            guard let before = step(before: node.input(0) ?? "") else { throw refused(node, "no QuantizeLinear is before it") }
            guard scale == before.scale, zero == [before.zeroPoint] else {
                throw refused(node, "its scale is another than that of the QuantizeLinear before it")
            }
            return try define(node, source)
        }
        guard node.integer("block_size") == 0 else { throw refused(node, "its scales are of blocks") }
        guard let scale = try self.constant(node, 1)?.floats, !scale.isEmpty, scale.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw refused(node, try withoutScale(node))
        }
        let zero = try self.constant(node, 2)?.floats ?? [Float](repeating: 0, count: scale.count)
        let steps = try Steps(self, node, constant.shape, scale, zero, axis: node.integer("axis", default: 1))
        var floats = constant.floats
        for index in floats.indices { floats[index] = (floats[index] - steps.zero(index)) * steps.scale(index) }
        try define(node, ONNXValue(ONNXConstant(.floats(floats), shape: constant.shape)))
    }

    /// What is quantised while the network runs stays in float, at a scale of one: the integers that it would be multiplied as are the
    /// runtime's own business.
    mutating func appendDynamicallyQuantised(_ node: ONNXFile.Node) throws(Fault) {
        try define(node, try value(node, 0))
        if node.outputs.count > 1 { try define(node, ONNXValue(ONNXConstant(.floats([1]), shape: [])), output: 1) }
        if node.outputs.count > 2 { try define(node, ONNXValue(ONNXConstant(.integers([0]), shape: [])), output: 2) }
    }

    /// The weights of a layer, without their zero points where it multiplies integers.
    func weights(_ node: ONNXFile.Node, _ kind: ONNXOperator, _ value: ONNXValue) throws(Fault) -> ONNXConstant? {
        guard let constant = value.constant else { return nil }
        guard kind == .matMulInteger || kind == .convInteger else { return constant }
        try requireDynamic(node)
        let zero = try self.constant(node, 3)?.floats ?? [0], ones = [Float](repeating: 1, count: zero.count)
        let steps = try Steps(self, node, constant.shape, ones, zero, axis: kind == .convInteger ? 0 : -1)
        let numbers = constant.floats.enumerated().map { $0.element - steps.zero($0.offset) }
        return ONNXConstant(.floats(numbers), shape: constant.shape)
    }

    // At a fixed scale its numbers would be others.
    func requireDynamic(_ node: ONNXFile.Node) throws(Fault) {
        guard !makers.values.contains(where: { $0.kind == "QuantizeLinear" }) else {
            throw refused(node, "what it reads has a fixed scale; quantise the network as a whole, or dynamically")
        }
    }

    /// The weights of an LSTM whose layer holds them as integers: [directions][inputs][4 x units], and scales behind everything else.
    func dynamicWeights(_ node: ONNXFile.Node, _ position: Int, scale at: Int) throws(Fault) -> ONNXConstant? {
        guard let constant = try constant(node, position), constant.shape.count == 3, let scale = try self.constant(node, at)?.floats else {
            return nil
        }
        let zero = try self.constant(node, at + 1)?.floats ?? [0], shape = constant.shape, numbers = constant.floats
        let columns = shape[2], all = shape[0] * columns
        // One for everything, for each direction, or for each column.
        func place(_ count: Int, _ direction: Int, _ column: Int) -> Int? {
            switch count {
            case 1: 0
            case shape[0]: direction
            case all: direction * columns + column
            default: nil
            }
        }
        var turned: [Float] = []
        turned.reserveCapacity(numbers.count)
        for direction in 0..<shape[0] {
            for column in 0..<columns {
                guard let s = place(scale.count, direction, column), let z = place(zero.count, direction, column) else {
                    throw refused(node, "it has \(scale.count) scales for the shape \(shape)")
                }
                for row in 0..<shape[1] { turned.append((numbers[(direction * shape[1] + row) * columns + column] - zero[z]) * scale[s]) }
            }
        }
        return ONNXConstant(.floats(turned), shape: [shape[0], columns, shape[1]])
    }
}
