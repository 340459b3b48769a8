import NeuralNetwork

/// Concatenations of numbers of very different sizes, as of means beside powers: what is small among them would have few steps.
extension FloatGraph {
    /// The same with parts that are multiplied by powers of two before they are concatenated, so that all are of like size, which the
    /// layers that read them take into their weights. Nil where none is to be, or none can be.
    ///
    /// - Parameter places: what calibration saw of each tensor.
    package func balancingConcatenations(_ places: [Calibration]) -> FloatGraph? {
        guard quantisations.isEmpty else { return nil }
        var graph = self, moved = [0: 0], balanced: [(place: Int, steps: [ColumnStep])] = [], known: [Int: [ProductTrace]] = [:]
        graph.layers = []
        for (index, layer) in layers.enumerated() {
            var sources = layer.sources.map { moved[$0] ?? 0 }
            if case .concatenation(let axis) = layer.operation, let parts = exponents(layer, places) {
                let steps = layer.shape.joined(
                    zip(layer.sources, parts).map { source, exponents in
                        (0..<shape(source).count).map { ColumnStep(exponent: exponents[$0 % exponents.count]) }
                    }, along: axis)
                if taking(steps, of: index + 1) != nil {
                    for (part, exponents) in parts.enumerated() where exponents.contains(where: { $0 != 0 }) {
                        sources[part] = graph.appendMultiplied(layer.sources[part], exponents, in: self, &known, moved)
                    }
                    balanced.append((graph.layers.count + 1, steps))
                }
            }
            graph.layers.append(FloatLayer(layer.operation, sources: sources, shape: layer.shape))
            moved[index + 1] = graph.layers.count
        }
        guard !balanced.isEmpty else { return nil }
        for (place, steps) in balanced {
            guard let taken = graph.taking(steps, of: place) else { return nil }
            graph = taken
        }
        let result = graph.withoutUnread()
        return result.layers.count <= NetworkFile.mostLayers * 3 / 4 ? result : nil
    }

    // Powers of two by which parts must differ for that to be worth a layer; and the largest.
    private static let least = 3, most = 24

    // Of each channel of each part; nil where all are of like size.
    private func exponents(_ layer: FloatLayer, _ places: [Calibration]) -> [[Int]]? {
        let peaks = layer.sources.map { source in
            let channels = shape(source).channels, all = places[source].peaks
            return (0..<channels).map { stride(from: $0, to: all.count, by: channels).reduce(0) { max($0, all[$1]) } }
        }
        let largest = peaks.map { $0.max() ?? 0 }, widest = largest.max() ?? 0
        func exponent(_ peak: Double) -> Int { peak > 0 ? min(Int((widest / peak).exponent), Self.most) : 0 }
        guard widest.isFinite, largest.contains(where: { exponent($0) >= Self.least }) else { return nil }
        return peaks.map { $0.map(exponent) }
    }

    // Appends what a tensor of another graph is, times two to these powers; the layer that makes it does so itself where it can.
    private mutating func appendMultiplied(
        _ source: Int, _ exponents: [Int], in old: FloatGraph, _ known: inout [Int: [ProductTrace]], _ moved: [Int: Int]
    ) -> Int {
        let shape = old.shape(source), place = moved[source] ?? 0
        let factors = exponents.map { Float(sign: .plus, exponent: $0, significand: 1) },
            zeros = [Float](repeating: 0, count: factors.count)
        if let made = old.maker(of: source).flatMap({ moved[$0] }), let multiplied = layers[made - 1].operation.followed(by: factors, zeros)
        {
            layers[made - 1].operation = multiplied
            return place
        }
        if let sums = old.trace(source, &known).flatMap(ProductSum.squares) {
            let scaled = sums.enumerated().map { $1.scaled(by: Double(factors[$0 % factors.count])) }
            if sums[0].constant == 0, append(.input, of: scaled, shape, moved) { return layers.count }
        }
        let scale = FloatWeights(inputs: 1, outputs: factors.count, values: factors, bias: zeros)
        layers.append(FloatLayer(.depthwise(scale, KernelShape(height: 1, width: 1)), sources: [place], shape: shape))
        return layers.count
    }

    // The tensor of the layer with weights that makes a tensor's channels, where nothing else reads what lies between.
    private func maker(of source: Int) -> Int? {
        var place = source
        while place > 0, readings(of: place) == 1 {
            switch layers[place - 1].operation {
            case .dense, .convolution, .depthwise: return place
            case .curve(.relu), .curve(.leakyReLU), .maxPool, .averagePool, .mean: place = layers[place - 1].sources[0]
            default: return nil
            }
        }
        return nil
    }

    // How often a tensor is read.
    private func readings(of place: Int) -> Int {
        layers.reduce(place == layers.count ? 1 : 0) { $0 + $1.sources.count { $0 == place } }
    }
}
