import NeuralNetwork

/// Curves of the columns of rows, as logarithms of powers before a network.
extension FloatGraph {
    /// The same with every curve that reads the input's numbers one by one taken of those with like steps together, so that each such part
    /// can take them; nil where there is none, or steps are too many.
    ///
    /// - Parameter exponents: of each number of the input.
    package func partingCurves(by exponents: [Int]) -> FloatGraph? {
        guard quantisations.isEmpty, exponents.count == input.count else { return nil }
        var graph = self, moved = [0: 0], known = [0: exponents], isChanged = false
        graph.layers = []
        for (index, layer) in layers.enumerated() {
            let sources = layer.sources.map { moved[$0] ?? 0 }
            if let from = known[layer.sources[0]] {
                switch layer.operation {
                case .reshape: known[index + 1] = from
                case .gather(let places) where places.allSatisfy({ $0 >= 0 }): known[index + 1] = places.map { from[Int($0)] }
                case .curve(let curve) where Set(from).count > 1:
                    guard Set(from).count <= Self.mostParts else { return nil }
                    graph.appendParts(curve, sources[0], from, layer.shape)
                    moved[index + 1] = graph.layers.count
                    isChanged = true
                    continue
                default: break
                }
            }
            graph.layers.append(FloatLayer(layer.operation, sources: sources, shape: layer.shape))
            moved[index + 1] = graph.layers.count
        }
        return isChanged && graph.layers.count <= NetworkFile.mostLayers * 3 / 4 ? graph : nil
    }

    private static let mostParts = 8

    private mutating func appendParts(_ curve: Activation, _ source: Int, _ exponents: [Int], _ shape: FloatShape) {
        var order: [Int32] = [], parts: [Int] = []
        for exponent in Set(exponents).sorted() {
            let from = exponents.indices.filter { exponents[$0] == exponent }.map { Int32(clamping: $0) },
                part = FloatShape(channels: from.count)
            layers.append(FloatLayer(.gather(from), sources: [source], shape: part))
            append(.curve(curve), part)
            parts.append(layers.count)
            order += from
        }
        append(parts: parts)
        var back = [Int32](repeating: 0, count: order.count)
        for (place, element) in order.enumerated() { back[Int(element)] = Int32(clamping: place) }
        append(.gather(back), shape)
    }
}
