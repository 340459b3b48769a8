package import NeuralNetwork

extension FloatGraph {
    /// The same network for rows whose every number was multiplied by two to the power of its exponent: exactly, since only exponents of
    /// weights and thresholds change. Nil where a layer takes columns of different exponents together, as a curve or a pool does.
    ///
    /// - Parameter exponents: one for each number of the input.
    package func taking(exponents: [Int]) -> FloatGraph? {
        guard exponents.count == input.count, quantisations.isEmpty else { return nil }
        var graph = self, places = [0: exponents]
        for (index, layer) in layers.enumerated() {
            let sources = layer.sources.map { places[$0] ?? [Int](repeating: 0, count: shape($0).count) }
            guard sources.contains(where: { $0.contains { $0 != 0 } }) else { continue }
            switch layer.operation {
            case .constant: break // whatever it reads
            case .reshape: places[index + 1] = sources[0]
            case .gather(let from): places[index + 1] = from.map { $0 < 0 ? 0 : sources[0][Int($0)] }
            case .concatenation(let axis): places[index + 1] = layer.shape.joined(sources, along: axis)
            case .dense(let weights):
                guard let divided = weights.divided(by: sources[0], columns: weights.inputs) else { return nil }
                graph.layers[index].operation = .dense(divided)
            case .depthwise(_, let window):
                guard let weights = channelScale(layer), let divided = weights.divided(by: sources[0], columns: weights.outputs) else {
                    return nil
                }
                graph.layers[index].operation = .depthwise(divided, window)
            case .forest(let forest):
                guard let multiplied = forest.multiplied(by: sources[0]) else { return nil }
                graph.layers[index].operation = .forest(multiplied)
            default: return nil
            }
        }
        // What the network gives has its own unit.
        return places[layers.count] == nil ? graph : nil
    }
}

extension FloatGraph {
    /// The same for rows of ranks among each column's thresholds, where nothing but trees reads the input; nil where something else does,
    /// or a column has more thresholds than int16 can count.
    package func takingRanks() -> (FloatGraph, ColumnThresholds)? {
        guard isForTreesAlone, quantisations.isEmpty else { return nil }
        var found = [Set<Float>](repeating: [], count: input.count)
        for forest in forests(on: 0) {
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                found[Int(feature)].insert(forest.thresholds[node] == 0 ? 0 : forest.thresholds[node]) // -0 is 0
            }
        }
        guard found.allSatisfy({ $0.count <= ColumnThresholds.mostOfColumn }) else { return nil }
        let thresholds = ColumnThresholds(columns: found.map { $0.sorted() })
        var graph = self
        for (index, layer) in layers.enumerated() {
            guard case .forest(var forest) = layer.operation, layer.sources == [0] else { continue }
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                forest.thresholds[node] = Float(thresholds.rank(of: forest.thresholds[node], in: Int(feature)))
                forest.isStrict[node] = false
            }
            graph.layers[index].operation = .forest(forest)
        }
        return (graph, thresholds)
    }
}

extension FloatWeights {
    // For numbers that were multiplied by two to these powers; nil where positions have different ones, or a weight is too small for that.
    fileprivate func divided(by exponents: [Int], columns: Int) -> FloatWeights? {
        let first = exponents.prefix(columns)
        guard exponents.indices.allSatisfy({ exponents[$0] == first[$0 % columns] }) else { return nil }
        var result = self
        for (index, value) in values.enumerated() {
            let divided = value * Float(sign: .plus, exponent: -first[index % columns], significand: 1)
            guard divided.isNormal || value == 0 else { return nil }
            result.values[index] = divided
        }
        return result
    }
}

extension FloatForest {
    fileprivate func multiplied(by exponents: [Int]) -> FloatForest? {
        var result = self
        for (node, feature) in features.enumerated() where feature >= 0 {
            let moved = thresholds[node] * Float(sign: .plus, exponent: exponents[Int(feature)], significand: 1)
            guard moved.isFinite else { return nil }
            result.thresholds[node] = moved
        }
        return result
    }
}
