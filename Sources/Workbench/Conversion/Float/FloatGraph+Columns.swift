package import NeuralNetwork

/// Offset and power of two of one number.
private struct ColumnStep: Equatable {
    var exponent = 0
    var offset: Float = 0

    var factor: Double { Double(sign: .plus, exponent: exponent, significand: 1) }
}

extension FloatGraph {
    /// The same network for rows whose every number has had its column's offset subtracted and was multiplied by two to its power: only
    /// biases, exponents of weights, and thresholds change. Nil where a layer takes columns of different steps together, as a curve or a
    /// pool does.
    ///
    /// - Parameter steps: one for each number of the input.
    package func taking(_ steps: ColumnSteps) -> FloatGraph? {
        guard steps.exponents.count == input.count, quantisations.isEmpty else { return nil }
        var graph = self, places = [0: zip(steps.exponents, steps.offsets).map { ColumnStep(exponent: $0, offset: $1) }]
        for (index, layer) in layers.enumerated() {
            let sources = layer.sources.map { places[$0] ?? [ColumnStep](repeating: ColumnStep(), count: shape($0).count) }
            guard sources.contains(where: { $0.contains { $0 != ColumnStep() } }) else { continue }
            switch layer.operation {
            case .constant: break // whatever it reads
            case .reshape: places[index + 1] = sources[0]
            case .gather(let from): places[index + 1] = from.map { $0 < 0 ? ColumnStep() : sources[0][Int($0)] }
            case .concatenation(let axis): places[index + 1] = layer.shape.joined(sources, along: axis)
            case .dense(let weights):
                guard let taken = weights.taking(sources[0], columns: weights.inputs) else { return nil }
                graph.layers[index].operation = .dense(taken)
            case .depthwise(_, let window):
                guard let weights = channelScale(layer), let taken = weights.taking(sources[0], columns: weights.outputs) else {
                    return nil
                }
                graph.layers[index].operation = .depthwise(taken, window)
            case .forest(let forest):
                guard let taken = forest.taking(sources[0]) else { return nil }
                graph.layers[index].operation = .forest(taken)
            default: return nil
            }
        }
        // What the network gives has its own unit.
        return places[layers.count] == nil ? graph : nil
    }
}

extension FloatWeights {
    // Nil where positions have different steps, or a weight is too small for them.
    fileprivate func taking(_ steps: [ColumnStep], columns: Int) -> FloatWeights? {
        let first = steps.prefix(columns)
        guard steps.indices.allSatisfy({ steps[$0] == first[$0 % columns] }) else { return nil }
        var result = self, moved = bias.map { Double($0) }
        for (index, value) in values.enumerated() {
            let step = first[index % columns], divided = Float(Double(value) / step.factor)
            guard divided.isNormal || value == 0 else { return nil }
            result.values[index] = divided
            moved[index / inputs] += Double(value) * Double(step.offset)
        }
        result.bias = moved.map { Float($0) }
        return result.bias.allSatisfy(\.isFinite) ? result : nil
    }
}

extension FloatForest {
    fileprivate func taking(_ steps: [ColumnStep]) -> FloatForest? {
        var result = self
        for (node, feature) in features.enumerated() where feature >= 0 {
            let step = steps[Int(feature)], moved = Float((Double(thresholds[node]) - Double(step.offset)) * step.factor)
            guard moved.isFinite else { return nil }
            result.thresholds[node] = moved
        }
        return result
    }
}
