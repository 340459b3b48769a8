internal import NeuralNetwork
internal import Support

/// Networks over many steps, fed one step at a time: LSTM and GRU layers remember what went before.
enum SingleStep {
    /// The same layers for one step.
    ///
    /// - Throws: `.badData` without a layer that remembers, or when a layer looks at more than one step.
    static func one(_ input: Tensor, _ layers: [Layer], path: String) throws(Fault) -> (input: Tensor, layers: [Layer]) {
        let steps = input.positions
        guard layers.contains(where: \.operation.isRecurrent) else {
            throw Fault(.badData, "\(path) has no LSTM or GRU layer", remedy: "Use FeedforwardModel.")
        }
        var changed = layers
        for (index, layer) in layers.enumerated() where steps > 1 {
            let source = layer.sources[0] == 0 ? input : layers[layer.sources[0] - 1].output
            func require(_ fits: Bool) throws(Fault) {
                guard fits else {
                    throw Fault(
                        .badData,
                        "\(path): layer \(index) (\(layer.kind.rawValue)) looks at more than one step, so it cannot be fed step by step")
                }
            }
            switch layer.operation {
            case .lstm, .gru, .add, .subtract, .multiply, .multiplyOnce, .divide, .maximum, .minimum, .softmax, .scaledSoftmax,
                .normalisation, .scaledNormalisation, .rootMeanSquare, .lookup, .sigmoid, .tanh:
                break
            case .dense(let weights): try require(weights.inputs == source.channels)
            case .rescale: try require(layer.output.channels == source.channels)
            case .slice(let first):
                try require(source.positions == steps && first == steps - 1 && layer.output.positions == 1)
                changed[index].operation = .slice(first: 0)
            default: try require(false)
            }
            changed[index].output = one(layer.output)
        }
        return (one(input), changed)
    }

    private static func one(_ tensor: Tensor) -> Tensor {
        var tensor = tensor
        (tensor.height, tensor.width) = (1, 1)
        return tensor
    }

    /// The graph with all steps going on where it takes the last one, so that calibration sees what follows at each of them.
    static func everyStep(_ graph: FloatGraph) -> FloatGraph {
        let steps = graph.input.positions
        guard let slice = graph.layers.firstIndex(where: { if case .slice = $0.operation { $0.shape.positions == 1 } else { false } })
        else { return graph }
        var graph = graph
        graph.layers[slice].operation = .reshape
        for index in slice..<graph.layers.count {
            graph.layers[index].shape = FloatShape(width: steps, channels: graph.layers[index].shape.channels)
        }
        return graph
    }
}
