internal import NeuralNetwork
internal import Support

/// Loops that are a recurrent layer of Keras, step by step, as tf2onnx writes them.
///
/// What a body computes is told by how often it uses which curve; a body with anything else in it is refused.
extension ONNXBuilder {
    private struct Cell {
        var operation: FloatOperation
        var units: Int
        var sequence: String
        /// Positions of the loop's inputs that are weights.
        var constants: [Int]
    }

    mutating func appendLoop(_ node: ONNXFile.Node) throws(Fault) {
        guard let body = try node.graph("body") else { throw refused(node, "it has no body") }
        guard body.inputs.count >= 2 else { throw refused(node, "its body takes no step and no condition") }
        let cell = try cell(node, body)
        guard let source = captured(cell.sequence), source.shape.count == 3, source.shape[1] == 1 else {
            throw refused(node, "it does not read a sequence of steps with a batch of one")
        }
        if let goesOn = try optional(node, 1)?.constant, goesOn.integers == [0] { throw refused(node, "it takes no step") }
        let steps = source.shape[0], inputs = source.shape[2]
        guard try constant(node, 0)?.integers.first ?? steps == steps else { throw refused(node, "it does not take every step") }
        try requireZeroStates(node, units: cell.units, besides: cell.constants)
        let from = arranged(source, axes: [0, 1, 2], FloatShape(width: steps, channels: inputs))
        let place = append(cell.operation, [from], FloatShape(width: steps, channels: cell.units))
        let rows = ONNXValue(place: place, shape: [steps, 1, cell.units])
        let last = rows.picked((0..<cell.units).map { Int32(clamping: (steps - 1) * cell.units + $0) }, shape: [1, cell.units])
        // First what goes on from step to step, then what is put together of all steps.
        let carried = body.inputs.count - 2, hidden = try hiddenState(node, body)
        for (index, name) in node.outputs.enumerated() where isUsed(name) {
            if index >= carried {
                try define(node, rows, output: index)
            } else if index == hidden {
                try define(node, last, output: index)
            }
        }
    }

    // The kind of cell, and its constants among what the loop is given.
    private func cell(_ node: ONNXFile.Node, _ body: ONNXFile.Graph) throws(Fault) -> Cell {
        let plain: Set = [
            "MatMul", "Gemm", "Add", "Sub", "Mul", "Sigmoid", "Tanh", "Gather", "Split", "Squeeze", "Unsqueeze", "Slice", "Identity",
            "Cast",
            "Less", "And", "Reshape",
        ]
        func count(_ kind: String) -> Int { body.nodes.count { $0.kind == kind } }
        let products = body.nodes.filter { $0.kind == "MatMul" || $0.kind == "Gemm" }
        let read = body.nodes.first { $0.kind == "Gather" && body.captured.contains($0.inputs.first ?? "") }
        guard body.nodes.allSatisfy({ plain.contains($0.kind) }), products.count == 2, products.allSatisfy({ $0.inputs.count >= 2 }),
            let read, let sequence = read.inputs.first, let step = read.outputs.first,
            let ofInput = products.first(where: { $0.inputs.first == step }),
            let ofState = products.first(where: { $0.inputs.first != step }),
            let w = try given(node, body, ofInput.inputs[1]), let r = try given(node, body, ofState.inputs[1]), w.shape.count == 2,
            r.shape.count == 2, w.shape[1] == r.shape[1]
        else { throw refused(node, "its body is no recurrent layer") }
        let units = r.shape[0], gates = units > 0 ? r.shape[1] / units : 0
        var bias: [Float] = []
        for position in body.inputs.indices where position >= 2 {
            guard let one = try given(node, body, body.inputs[position]), [[gates * units], [2, gates * units]].contains(one.shape) else {
                continue
            }
            bias = one.floats
        }
        if bias.isEmpty { bias = [Float](repeating: 0, count: gates * units) }
        func turned(_ one: ONNXConstant) -> FloatWeights {
            let numbers = one.floats, rows = one.shape[0], columns = one.shape[1]
            var values: [Float] = []
            values.reserveCapacity(numbers.count)
            for column in 0..<columns {
                for row in 0..<rows { values.append(numbers[row * columns + column]) }
            }
            return FloatWeights(inputs: rows, outputs: columns, values: values)
        }
        var weights = turned(w), recurrent = turned(r)
        weights.bias = Array(bias.prefix(gates * units))
        guard weights.isFinite, recurrent.isFinite else { throw refused(node, "it has a weight that is not a finite number") }
        let constants = [ofInput.inputs[1], ofState.inputs[1]].compactMap(body.inputs.firstIndex)
        switch (gates, count("Sigmoid"), count("Tanh"), count("Mul"), count("Sub"), bias.count / max(gates * units, 1)) {
        case (4, 3, 2, 3, 0, 1): // Keras: i, f, c, o, as here
            return Cell(
                operation: .lstm(FloatLSTM(weights: weights, recurrent: recurrent)), units: units, sequence: sequence, constants: constants)
        case (3, 2, 1, 3, 1, 2): // z, r, h
            let behind = bias.suffix(gates * units)
            for (unit, value) in behind.enumerated() {
                if unit < 2 * units { weights.bias[unit] += value } else { recurrent.bias[unit] = value }
            }
            return Cell(
                operation: .gru(FloatGRU(weights: weights, recurrent: recurrent, resetAfter: true)), units: units, sequence: sequence,
                constants: constants)
        case (1, 0, 1, 0, 0, 1):
            return Cell(operation: .gru(.plain(weights, recurrent)), units: units, sequence: sequence, constants: constants)
        default: throw refused(node, "its body is no LSTM, no GRU with reset_after and no SimpleRNN with tanh")
        }
    }

    // A constant that the loop hands to its body.
    private func given(_ node: ONNXFile.Node, _ body: ONNXFile.Graph, _ name: String) throws(Fault) -> ONNXConstant? {
        guard let position = body.inputs.firstIndex(of: name), node.inputs.indices.contains(position), position >= 2 else {
            return try file.constant(name)
        }
        return try value(node, position).constant
    }

    private func requireZeroStates(_ node: ONNXFile.Node, units: Int, besides weights: [Int]) throws(Fault) {
        for position in node.inputs.indices where position >= 2 && !weights.contains(position) {
            guard let state = try optional(node, position), state.shape == [1, units] else { continue }
            guard let constant = state.constant, constant.floats.allSatisfy({ $0 == 0 }) else {
                throw refused(node, "its state does not begin at zero")
            }
        }
    }

    // Which of the carried values is the hidden state: the one that is given out of every step, too.
    private func hiddenState(_ node: ONNXFile.Node, _ body: ONNXFile.Graph) throws(Fault) -> Int? {
        let carried = body.inputs.count - 2
        guard body.outputs.count > carried + 1 else { throw refused(node, "it puts no steps together") }
        // An Identity may read what it gives, in a file that is wrong: no name is followed further than there are nodes.
        func origin(_ name: String) -> String {
            var name = name
            for _ in body.nodes.indices {
                guard let copy = body.nodes.first(where: { $0.kind == "Identity" && $0.outputs.first == name }) else { break }
                name = copy.inputs.first ?? ""
            }
            return name
        }
        let scanned = origin(body.outputs[carried + 1])
        return (0..<carried).first { origin(body.outputs[$0 + 1]) == scanned }
    }
}
