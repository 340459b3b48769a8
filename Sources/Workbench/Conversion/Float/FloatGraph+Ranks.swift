package import NeuralNetwork

/// Trees that read ranks among their thresholds, which are exact, instead of the numbers.
extension FloatGraph {
    /// Each column's thresholds; nil where no trees read the input, or a column has more thresholds than int16 can count.
    package func columnThresholds() -> ColumnThresholds? {
        var found = [Set<Float>](repeating: [], count: input.count)
        let forests = forests(on: 0)
        for forest in forests {
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                found[Int(feature)].insert(forest.thresholds[node] == 0 ? 0 : forest.thresholds[node]) // -0 is 0
            }
        }
        guard !forests.isEmpty, quantisations.isEmpty, found.allSatisfy({ $0.count <= ColumnThresholds.mostOfColumn }) else { return nil }
        return ColumnThresholds(columns: found.map { $0.sorted() })
    }

    /// The same for rows of ranks among these thresholds, where nothing but trees reads the input.
    package func takingRanks(_ thresholds: ColumnThresholds) -> FloatGraph? {
        isForTreesAlone ? comparingRanks(thresholds, from: 0) : nil
    }

    /// The same for rows of numbers with steps of their own, and the ranks of all of them thereafter: trees read these, and all else the
    /// numbers. Nil where a layer cannot take the steps.
    package func takingRanks(_ thresholds: ColumnThresholds, beside steps: ColumnSteps) -> FloatGraph? {
        let columns = input.count
        guard 2 * columns <= Int(Int16.max) else { return nil }
        var graph = comparingRanks(thresholds, from: columns)
        graph.input = FloatShape(channels: 2 * columns)
        graph.gatherFirst(input, for: Set(layers.indices.filter { !layers[$0].isForest && !layers[$0].isConstant }))
        let none = [Int](repeating: 0, count: columns)
        return graph.taking(ColumnSteps(exponents: steps.exponents + none, offsets: steps.offsets + none.map { Float($0) }))
    }

    private func comparingRanks(_ thresholds: ColumnThresholds, from first: Int) -> FloatGraph {
        var graph = self
        graph.comparesRanks = true
        for (index, layer) in layers.enumerated() {
            guard case .forest(var forest) = layer.operation, layer.sources == [0] else { continue }
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                forest.thresholds[node] = Float(thresholds.rank(of: forest.thresholds[node], in: Int(feature)))
                forest.isStrict[node] = false
                forest.features[node] = Int16(first + Int(feature))
            }
            graph.layers[index].operation = .forest(forest)
        }
        return graph
    }
}
