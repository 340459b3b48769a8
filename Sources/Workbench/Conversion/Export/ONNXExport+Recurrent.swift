internal import NeuralNetwork

extension ONNXExport {
    // ONNX's gates are input, output, forget, cell.
    mutating func recurrent(_ lstm: LSTM, _ index: Int, _ name: String) -> String {
        steps("LSTM", lstm.weights, lstm.recurrent, order: [0, 3, 1, 2], states: ["h", "c"], [], index, name)
    }

    mutating func recurrent(_ gru: GRU, _ index: Int, _ name: String) -> String {
        let reset = [("linear_before_reset", ONNXGraph.Attribute.integer(gru.resetAfter ? 1 : 0))]
        return steps("GRU", gru.weights, gru.recurrent, order: [0, 1, 2], states: ["h"], reset, index, name)
    }

    // Positions are steps. Where the state is kept, all windows' are one after the other; else each window is a sequence of its own.
    private mutating func steps(
        _ kind: String, _ weights: Weights, _ recurrent: Weights, order: [Int], states: [String],
        _ attributes: [(String, ONNXGraph.Attribute)], _ index: Int, _ name: String
    ) -> String {
        let layer = network.layers[index], source = tensor(layer.sources[0]), units = recurrent.inputs, isKept = network.state == .kept
        let read = weights.real(source: source.quantisation.scale, result: 0x1p-12),
            kept = recurrent.real(source: layer.output.quantisation.scale, result: 0x1p-12)
        func gates(_ values: [Float], _ width: Int) -> [Float] {
            order.flatMap { values[$0 * units * width..<($0 + 1) * units * width] }
        }
        var sequence = shaped(row(layer.sources[0]), [source.positions, source.channels], from: source.extents, name)
        if isKept {
            let shape = graph.constant([-1, 1, source.channels], name: "\(name)_steps_shape")
            sequence = graph.append("Reshape", [sequence, shape], name: "\(name)_steps")
        } else {
            sequence = graph.append("Transpose", [sequence], [("perm", .integers([1, 0, 2]))], name: "\(name)_steps")
        }
        var inputs = [
            sequence,
            graph.constant(gates(read.values, read.inputs), [1, read.outputs, read.inputs], name: "\(name)_weight"),
            graph.constant(gates(kept.values, units), [1, kept.outputs, units], name: "\(name)_recurrent"),
            graph.constant(gates(read.bias, 1) + gates(kept.bias, 1), [1, 2 * read.outputs], name: "\(name)_bias"),
        ]
        var results: [String] = []
        if isKept {
            inputs.append("")
            for state in states {
                // A constant that is an input as well: zeros unless somebody gives what came out before.
                let start = graph.constant([Float](repeating: 0, count: units), [1, 1, units], name: "\(name)_\(state)"),
                    end = graph.unused("\(name)_\(state)_out")
                graph.inputs.append(.init(name: start, shape: [1, 1, units]))
                graph.outputs.append(.init(name: end, shape: [1, 1, units]))
                inputs.append(start)
                results.append(end)
            }
        }
        let all = graph.append(kind, inputs, [("hidden_size", .integer(units))] + attributes, name: name, outputs: results)
        // [steps, 1 direction, sequences, units]
        let turned = isKept ? all : graph.append("Transpose", [all], [("perm", .integers([2, 0, 1, 3]))], name: "\(name)_turned")
        return shaped(turned, layer.output.extents, from: [], name)
    }
}
