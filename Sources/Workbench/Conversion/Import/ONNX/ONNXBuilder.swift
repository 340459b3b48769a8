internal import NeuralNetwork
internal import Support

/// Makes a float graph out of an ONNX file's operators, one after the other; every refusal names the operator.
struct ONNXBuilder {
    let file: ONNXFile
    /// Whether tensors get the scales that the file quantises them with.
    let keepsScales: Bool
    var graph: FloatGraph
    /// Operators that were joined to one although that is another computation.
    private(set) var unfit: Set<Int> = []
    // Those of earlier attempts.
    private let apart: Set<Int>
    /// Of classifiers out of scikit-learn, those that are its own first.
    var labels: [[String]] = []
    private var values: [String: ONNXValue] = [:]
    /// How many operators read a tensor.
    private var uses: [String: Int] = [:]
    private var made: [Made] = []
    /// By what they give.
    let makers: [String: ONNXFile.Node]
    /// By what they read.
    let readers: [String: [ONNXFile.Node]]
    /// Whether the input is a row of raw samples that nothing reads but in another shape.
    let isRow: Bool
    /// What a QuantizeLinear gives, by name.
    var steps: [String: Step] = [:]
    // Of all values; each has a number for every element.
    private var elements = 0
    // Beside what the file has itself.
    private static let mostElements = 1 << 22
    /// Of one layer.
    static let mostWeights = 1 << 22

    /// By the place that holds them.
    var powerMeans: [Int: PowerMean] = [:]

    struct Step: Equatable {
        var scale: Double
        var zeroPoint: Int
        var isSigned: Bool
    }

    // Layers that were appended before they were asked for again.
    private struct Made {
        var layer: FloatLayer
        var place: Int
    }

    init(_ file: ONNXFile, nodes: [ONNXFile.Node], apart: Set<Int>, input: ONNXInput, keepsScales: Bool) {
        (self.file, self.apart, self.keepsScales) = (file, apart, keepsScales)
        makers = Dictionary(nodes.flatMap { node in node.outputs.map { ($0, node) } }, uniquingKeysWith: { first, _ in first })
        readers = Dictionary(grouping: nodes.flatMap { node in node.inputs.map { (name: $0, node: node) } }, by: \.name)
            .mapValues { $0.map(\.node) }
        let movements: Set = ["Reshape", "Flatten", "Squeeze", "Unsqueeze", "Shape"]
        isRow = input.isRow && nodes.allSatisfy { movements.contains($0.kind) || !$0.inputs.contains(input.name) }
        graph = FloatGraph(input: input.graphShape, output: .logits)
        values[input.name] = ONNXValue(place: 0, shape: input.shape, order: input.order)
        for name in nodes.flatMap(\.inputs) { uses[name, default: 0] += 1 }
    }

    func refused(_ node: ONNXFile.Node, _ why: String, remedy: String = ONNXFile.usualRemedy) -> Fault {
        file.bad("\(node.title) cannot be run: \(why)", remedy: remedy)
    }

    static let votesRemedy = """
        Votes are counted of probabilities alone: VotingClassifier with voting='soft', OneVsRestClassifier in the place of \
        OneVsOneClassifier, a forest in the place of AdaBoost on other models.
        """

    /// Notes that an operator does not do what stands in the file, and goes on to find all of these; the graph is not to be used.
    mutating func takeApart(_ node: ONNXFile.Node, _ result: ONNXValue) throws(Fault) {
        guard !apart.contains(node.index) else { throw refused(node, "it divides by numbers of another shape") }
        unfit.insert(node.index)
        try define(node, result)
    }

    /// What an operator reads.
    ///
    /// - Parameter asFloats: see ``ONNXConstant/init(_:file:name:asFloats:)``.
    func value(_ node: ONNXFile.Node, _ position: Int, asFloats: Bool = false) throws(Fault) -> ONNXValue {
        guard let name = node.input(position) else { throw refused(node, "its input \(position) is missing") }
        if var value = values[name] {
            value.isShared = value.isShared || uses[name, default: 0] > 1
            return value
        }
        guard let constant = try file.constant(name, asFloats: asFloats) else {
            let maker = makers[name], isLabel = (maker?.outputs.count ?? 0) > 1 && maker?.outputs.first == name
            let label = isLabel ? maker.map { "the label that \($0.kind) gives: probabilities can be read" } : nil
            let cycle = maker == nil ? nil : "which \(maker?.kind ?? "") makes of what comes out of it: a circle"
            throw refused(
                node, "it reads \"\(name)\", \(label ?? cycle ?? "which no operator gives")",
                remedy: label == nil ? ONNXFile.usualRemedy : Self.votesRemedy)
        }
        return ONNXValue(constant)
    }

    func optional(_ node: ONNXFile.Node, _ position: Int) throws(Fault) -> ONNXValue? {
        node.input(position) == nil ? nil : try value(node, position)
    }

    /// A constant that an operator reads, nil where it is left out.
    func constant(_ node: ONNXFile.Node, _ position: Int) throws(Fault) -> ONNXConstant? {
        guard let value = try optional(node, position) else { return nil }
        guard let constant = value.constant else {
            let isProduct = node.kind == "ReduceProd"
            throw refused(
                node, "its input \(position) is computed; a constant can be read",
                remedy: isProduct
                    ? "Products of columns, as PolynomialFeatures makes them, are for the rows: write them there." : ONNXFile.usualRemedy)
        }
        return constant
    }

    /// Whole numbers, which newer files have in an input and older ones in an attribute; nil without either.
    func list(_ node: ONNXFile.Node, _ position: Int, _ attribute: String) throws(Fault) -> [Int]? {
        if let constant = try constant(node, position) { return constant.integers }
        return try node.integers(attribute)
    }

    /// What a name stands for, where that is constant.
    func known(_ name: String) throws(Fault) -> ONNXConstant? {
        if let value = values[name] { return value.constant }
        return try file.constant(name)
    }

    /// What a loop's body reads from outside.
    func captured(_ name: String) -> ONNXValue? {
        guard var value = values[name] else { return nil }
        value.isShared = true
        return value
    }

    /// Whether numbers far below zero count for nothing in all that reads what an operator gives, at most behind what moves numbers or
    /// adds to them: a soft-max, a sigmoid, e to their power.
    func hidesFarBelow(_ node: ONNXFile.Node) -> Bool {
        var names = node.outputs, isFound = false
        for _ in 0..<Self.mostBetween where !names.isEmpty {
            let nodes = names.flatMap { readers[$0] ?? [] }, others = nodes.filter { !Self.hiding.contains($0.kind) }
            guard !names.contains(where: file.outputs.contains), others.allSatisfy({ Self.moving.contains($0.kind) }) else { return false }
            isFound = isFound || others.count < nodes.count
            names = others.flatMap(\.outputs)
        }
        return isFound && names.isEmpty
    }

    private static let hiding: Set = ["Softmax", "Exp", "Sigmoid"]
    private static let mostBetween = 8
    private static let moving: Set = [
        "Add", "Cast", "Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Split", "Squeeze", "Tile", "Transpose",
        "Unsqueeze",
    ]

    /// Whether all that reads what an operator gives divides by it.
    func isOnlyDivisor(_ node: ONNXFile.Node) -> Bool {
        guard let name = node.outputs.first, !file.outputs.contains(name) else { return false }
        return (readers[name] ?? []).allSatisfy { $0.kind == "Div" && $0.input(0) != name }
    }

    func isReadOnce(_ name: String) -> Bool { uses[name, default: 0] == 1 }

    func isUsed(_ name: String) -> Bool { uses[name, default: 0] > 0 || file.outputs.contains(name) }

    mutating func define(_ node: ONNXFile.Node, _ value: ONNXValue, output: Int = 0) throws(Fault) {
        guard node.outputs.indices.contains(output) else { throw refused(node, "it has no output \(output)") }
        guard value.constant != nil || value.count > 0 else { throw refused(node, "it gives no numbers") }
        elements += value.count
        guard elements <= Self.mostElements + file.size else { throw refused(node, "the tensors before it take too much memory") }
        values[node.outputs[output]] = value
    }

    /// The graph's output, as it was computed.
    func result() -> ONNXValue? { file.outputs.first.flatMap { values[$0] } }

    /// Appends a layer, or finds the one that is the same.
    mutating func append(_ operation: FloatOperation, _ sources: [Int], _ shape: FloatShape) -> Int {
        let layer = FloatLayer(operation, sources: sources, shape: shape)
        switch operation {
        case .curve, .gather, .reshape, .constant:
            if let known = made.first(where: { $0.layer == layer }) { return known.place }
            made.append(Made(layer: layer, place: graph.layers.count + 1))
        default: break
        }
        graph.layers.append(layer)
        return graph.layers.count
    }

    /// The value with nothing left to do to its numbers; a constant becomes a layer.
    mutating func materialised(_ value: ONNXValue) -> (place: Int, order: [Int32]) {
        switch value.content {
        case .constant:
            let numbers = value.constant?.floats ?? []
            return (append(.constant(numbers), [0], FloatShape(channels: numbers.count)), (0..<Int32(clamping: numbers.count)).map { $0 })
        case .computed(let place, .input): return (place, value.order)
        case .computed(let place, let curve):
            return (append(.curve(curve.activation), [place], graph.shape(place)), value.order)
        }
    }

    /// A function of the value's numbers, which begins a layer of its own where they already wait for one.
    mutating func applied(_ curve: Expression, to value: ONNXValue) -> ONNXValue {
        guard value.constant == nil else { return value.followed(by: curve) }
        let (place, order) = materialised(value)
        return ONNXValue(place: place, curve: curve, shape: value.shape, order: order)
    }

    /// The place that holds a value's elements in the order of `elements` (numbers in ONNX's order), with that shape.
    mutating func arranged(_ value: ONNXValue, elements: [Int32], _ shape: FloatShape) -> Int {
        if let constant = value.constant {
            let numbers = constant.floats
            return append(.constant(elements.map { numbers[Int($0)] }), [0], shape)
        }
        let (place, order) = materialised(value), wanted = elements.map { order[Int($0)] }
        let isInPlace = wanted.count == graph.shape(place).count && Elements.areInOrder(wanted)
        guard isInPlace else { return append(.gather(wanted), [place], shape) }
        if graph.shape(place) == shape { return place }
        if place == 0 && graph.layers.isEmpty {
            graph.input = shape
            return 0
        }
        return append(.reshape, [place], shape)
    }

    /// The same with the axes in another order.
    mutating func arranged(_ value: ONNXValue, axes: [Int], _ shape: FloatShape) -> Int {
        arranged(value, elements: Elements.transposed(value.shape, axes), shape)
    }

    /// A value that lies in a place with its axes in another order.
    func value(_ place: Int, shape: [Int], axes: [Int]) -> ONNXValue {
        var order = [Int32](repeating: 0, count: Elements.count(shape))
        for (at, element) in Elements.transposed(shape, axes).enumerated() { order[Int(element)] = Int32(clamping: at) }
        return ONNXValue(place: place, shape: shape, order: order)
    }

    private func channelScale(of place: Int) -> FloatWeights? { graph.channelScale(graph.layers[place - 1]) }

    /// `scale` x + `offset` along an axis: taken up by the layer that alone gives the numbers, or a layer of its own.
    mutating func scaled(_ value: ONNXValue, axis: Int, scale: [Float], offset: [Float]) -> ONNXValue {
        let (place, order) = materialised(value), channels = value.shape[axis]
        let axes = value.shape.indices.filter { $0 != axis } + [axis]
        let inOrder = self.value(place, shape: value.shape, axes: axes)
        let isDirect = order == inOrder.order && graph.shape(place).count == value.count && graph.shape(place).channels == channels
        if isDirect, !value.isShared, place == graph.layers.count, place > 0, graph.quantisations[place] == nil,
            channelScale(of: place)?.movesFar != true, let folded = graph.layers[place - 1].operation.followed(by: scale, offset)
        {
            graph.layers[place - 1].operation = folded
            return inOrder
        }
        let source =
            isDirect ? place : arranged(value, axes: axes, FloatShape(rows: value.count / channels, channels: channels))
        let weights = FloatWeights(inputs: 1, outputs: channels, values: scale, bias: offset)
        let result = append(.depthwise(weights, KernelShape(height: 1, width: 1)), [source], graph.shape(source))
        return self.value(result, shape: value.shape, axes: axes)
    }
}
