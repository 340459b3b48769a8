internal import NeuralNetwork
internal import Support

/// LSTM, GRU and plain recurrent layers in one direction or both; states begin at zero with every window.
extension ONNXBuilder {
    mutating func appendRecurrent(_ node: ONNXFile.Node, _ written: ONNXOperator) throws(Fault) {
        let kind: ONNXOperator = written == .dynamicQuantizeLSTM ? .lstm : written
        let source = try value(node, 0), units = node.integer("hidden_size"), gates = kind == .lstm ? 4 : kind == .gru ? 3 : 1
        let direction = node.text("direction") ?? "forward", directions = direction == "bidirectional" ? 2 : 1
        let isBatchFirst = node.integer("layout") == 1
        guard source.shape.count == 3, source.constant == nil, source.shape[isBatchFirst ? 0 : 1] == 1 else {
            throw refused(node, "it reads the shape \(source.shape); the batch has to be one")
        }
        let steps = source.shape[isBatchFirst ? 1 : 0], inputs = source.shape[2]
        try requireSize(node, [steps, units])
        let isDynamic = written == .dynamicQuantizeLSTM
        guard let w = try isDynamic ? dynamicWeights(node, 1, scale: 8) : constant(node, 1),
            let r = try isDynamic ? dynamicWeights(node, 2, scale: 10) : constant(node, 2), (1...4096).contains(units),
            w.shape == [directions, gates * units, inputs], r.shape == [directions, gates * units, units]
        else { throw refused(node, "its weights do not fit \(inputs) inputs and \(units) units") }
        let bias = try constant(node, 3)?.floats ?? [Float](repeating: 0, count: directions * 2 * gates * units)
        guard bias.count == directions * 2 * gates * units else { throw refused(node, "its bias does not fit \(units) units") }
        try requireUsual(node, kind, steps: steps)
        let layers = Weights(kind: kind, w: w.floats, r: r.floats, bias: bias, units: units, inputs: inputs)
        guard (layers.w + layers.r + bias).allSatisfy(\.isFinite) else {
            throw refused(node, "it has a weight that is not a finite number")
        }

        var rows: [ONNXValue] = [], ends: [ONNXValue] = []
        for index in 0..<directions {
            let isBackward = direction == "reverse" || index == 1
            let elements = inTime(steps, inputs, isBackward: isBackward)
            let from = arranged(source, elements: elements, FloatShape(width: steps, channels: inputs))
            if isRectified(node, kind) {
                let states = try rectified(node, layers.rectified(index), from, steps)
                ends += states.suffix(1).map { $0.reshaped([1, 1, units]) }
                rows.append(try joined(node, isBackward ? states.reversed() : states, isBatchFirst ? 1 : 0))
                continue
            }
            let place = append(
                layers.operation(index, resetAfter: node.integer("linear_before_reset") != 0), [from],
                FloatShape(width: steps, channels: units))
            // In the order of time.
            let order = inTime(steps, units, isBackward: isBackward)
            rows.append(ONNXValue(place: place, shape: isBatchFirst ? [1, steps, 1, units] : [steps, 1, 1, units], order: order))
            let last = (0..<units).map { Int32(clamping: (steps - 1) * units + $0) }
            ends.append(ONNXValue(place: place, shape: isBatchFirst ? [1, 1, units] : [1, 1, units], order: last))
        }
        if node.outputs.indices.contains(0), isUsed(node.outputs[0]) {
            try define(node, try joined(node, rows, isBatchFirst ? 2 : 1))
        }
        if node.outputs.indices.contains(1), isUsed(node.outputs[1]) {
            try define(node, try joined(node, ends, isBatchFirst ? 1 : 0), output: 1)
        }
        if node.outputs.indices.contains(2), isUsed(node.outputs[2]) { throw refused(node, "its last cell is read") }
    }

    private func isRectified(_ node: ONNXFile.Node, _ kind: ONNXOperator) -> Bool {
        let curves = node.texts("activations")
        return kind == .rnn && !curves.isEmpty && curves.allSatisfy { $0.lowercased() == "relu" }
    }

    // Each step of a layer whose function is a ReLU: max(0, W x + R h), in layers of their own.
    private mutating func rectified(
        _ node: ONNXFile.Node, _ layers: (weights: FloatWeights, recurrent: FloatWeights), _ from: Int, _ steps: Int
    ) throws(Fault) -> [ONNXValue] {
        let units = layers.recurrent.outputs, read = append(.dense(layers.weights), [from], FloatShape(width: steps, channels: units))
        var states: [ONNXValue] = []
        for step in 0..<steps {
            guard graph.layers.count <= 2 * NetworkFile.mostLayers else { throw file.tooManyLayers }
            let elements = (step * units..<(step + 1) * units).map { Int32(clamping: $0) }
            var sum = ONNXValue(place: read, shape: [1, 1, 1, units], order: elements)
            if let before = states.last { sum = try combined(node, .add, sum, try dense(node, before, layers.recurrent)) }
            states.append(applied(.curve(.relu, .input), to: sum))
        }
        return states
    }

    // The elements of rows, the last row first where they run backwards.
    private func inTime(_ steps: Int, _ width: Int, isBackward: Bool) -> [Int32] {
        Elements.strided([steps, width], first: isBackward ? (steps - 1) * width : 0, steps: [isBackward ? -width : width, 1])
    }

    private func requireUsual(_ node: ONNXFile.Node, _ kind: ONNXOperator, steps: Int) throws(Fault) {
        for position in [5, 6] {
            guard let state = try constant(node, position) else { continue }
            guard state.floats.allSatisfy({ $0 == 0 }) else { throw refused(node, "its state does not begin at zero") }
        }
        if let lengths = try constant(node, 4), !lengths.integers.allSatisfy({ $0 == steps }) {
            throw refused(node, "it reads \(lengths.integers) of \(steps) steps")
        }
        if let peepholes = try constant(node, 7), !peepholes.floats.allSatisfy({ $0 == 0 }) { throw refused(node, "it has peepholes") }
        guard !isRectified(node, kind) else {
            guard node.float("clip") == 0 else { throw refused(node, "its gates are clipped") }
            return
        }
        let usual = kind == .lstm ? ["Sigmoid", "Tanh", "Tanh"] : kind == .gru ? ["Sigmoid", "Tanh"] : ["Tanh"],
            curves = node.texts("activations")
        guard zip(curves.indices, curves).allSatisfy({ usual[$0 % usual.count].lowercased() == $1.lowercased() }),
            node.integer("input_forget") == 0,
            node.float("clip") == 0
        else {
            throw refused(
                node,
                curves.isEmpty ? "its gates are coupled or clipped" : "its activations are \(curves), or its gates are coupled or clipped")
        }
    }

    /// The numbers of both directions, in ONNX's order of gates.
    private struct Weights {
        var kind: ONNXOperator
        var w: [Float]
        var r: [Float]
        var bias: [Float]
        var units: Int
        var inputs: Int

        /// Of a plain layer.
        func rectified(_ direction: Int) -> (weights: FloatWeights, recurrent: FloatWeights) {
            let first = 2 * direction * units, from = direction * units * inputs, back = direction * units * units
            let sums = (0..<units).map { bias[first + $0] + bias[first + units + $0] }
            return (
                FloatWeights(inputs: inputs, outputs: units, values: Array(w[from..<from + units * inputs]), bias: sums),
                FloatWeights(inputs: units, outputs: units, values: Array(r[back..<back + units * units]))
            )
        }

        func operation(_ direction: Int, resetAfter: Bool) -> FloatOperation {
            // LSTM: i, o, f, c to i, f, c, o. GRU: z, r, h.
            let order = kind == .lstm ? [0, 2, 3, 1] : kind == .gru ? [0, 1, 2] : [0], gates = order.count
            func rows(_ values: [Float], _ width: Int, _ start: Int) -> [Float] {
                var all: [Float] = []
                for gate in order {
                    let first = start + gate * units * width
                    all += values[first..<first + units * width]
                }
                return all
            }
            let fromInput = rows(bias, 1, direction * 2 * gates * units), fromHidden = rows(bias, 1, (direction * 2 + 1) * gates * units)
            var weights = FloatWeights(
                inputs: inputs, outputs: gates * units, values: rows(w, inputs, direction * gates * units * inputs),
                bias: zip(fromInput, fromHidden).map { $0 + $1 })
            var recurrent = FloatWeights(
                inputs: units, outputs: gates * units, values: rows(r, units, direction * gates * units * units))
            if kind == .lstm { return .lstm(FloatLSTM(weights: weights, recurrent: recurrent)) }
            if kind == .rnn { return .gru(.plain(weights, recurrent)) }
            if resetAfter {
                for unit in 2 * units..<3 * units { (weights.bias[unit], recurrent.bias[unit]) = (fromInput[unit], fromHidden[unit]) }
            }
            return .gru(FloatGRU(weights: weights, recurrent: recurrent, resetAfter: resetAfter))
        }
    }
}
