package import NeuralNetwork

/// Offset and power of two of one number.
struct ColumnStep: Equatable {
    var exponent = 0
    var offset: Float = 0

    var factor: Double { Double(sign: .plus, exponent: exponent, significand: 1) }
}

extension ColumnSteps {
    var each: [ColumnStep] { zip(exponents, offsets).map { ColumnStep(exponent: $0, offset: $1) } }
}

extension FloatGraph {
    /// The same network for rows whose every number has had its column's offset subtracted and was multiplied by two to its power: only
    /// biases, exponents of weights, and thresholds change. Nil where a layer takes columns of different steps together, as most curves do.
    ///
    /// - Parameter steps: one for each number of the input.
    package func taking(_ steps: ColumnSteps) -> FloatGraph? {
        steps.exponents.count == input.count ? taking(steps.each, of: 0) : nil
    }

    /// Gives these layers the first numbers of an input that has become longer, in a shape of their own: a layer before all others gathers
    /// them. What else reads the input reads all of it.
    mutating func gatherFirst(_ shape: FloatShape, for readers: Set<Int>) {
        for index in layers.indices {
            layers[index].sources = layers[index].sources.map { $0 == 0 && !readers.contains(index) ? 0 : $0 + 1 }
        }
        layers.insert(FloatLayer(.gather((0..<shape.count).map { Int32(clamping: $0) }), sources: [0], shape: shape), at: 0)
    }

    /// The same where a tensor's numbers have these steps; its own layer stays as it is.
    func taking(_ steps: [ColumnStep], of place: Int) -> FloatGraph? {
        guard quantisations.isEmpty else { return nil }
        var graph = self, places = [place: steps]
        for (index, layer) in layers.enumerated() where index >= place {
            let sources = layer.sources.map { places[$0] ?? [ColumnStep](repeating: ColumnStep(), count: shape($0).count) }
            guard sources.contains(where: { $0.contains { $0 != ColumnStep() } }) else { continue }
            switch layer.operation {
            case .constant: break // whatever it reads
            case .forest(let forest):
                guard let taken = forest.taking(sources[0]) else { return nil }
                graph.layers[index].operation = .forest(taken)
            default:
                if let moved = moved(sources, by: layer) {
                    places[index + 1] = moved
                } else if let taken = operation(of: layer, taking: sources[0]) {
                    graph.layers[index].operation = taken
                } else {
                    return nil
                }
            }
        }
        // What the network gives has its own unit.
        return places[layers.count] == nil ? graph : nil
    }

    /// The largest weight that each number of the input has where it is read one by one, through what only moves it.
    package func columnWeights() -> [Double] {
        var largest = [Double](repeating: 0, count: input.count), origins = [0: (0..<input.count).map { Int32(clamping: $0) }]
        for (index, layer) in layers.enumerated() {
            guard let from = origins[layer.sources[0]] else { continue }
            let weights: FloatWeights, columns: Int
            switch layer.operation {
            case .reshape:
                origins[index + 1] = from
                continue
            case .gather(let places):
                origins[index + 1] = places.map { $0 < 0 ? -1 : from[Int($0)] }
                continue
            case .dense(let own): (weights, columns) = (own, own.inputs)
            default:
                guard let scale = channelScale(layer) else { continue }
                (weights, columns) = (scale, scale.outputs)
            }
            for (place, value) in weights.values.enumerated() where from[place % columns] >= 0 {
                largest[Int(from[place % columns])] = max(largest[Int(from[place % columns])], Double(value.magnitude))
            }
        }
        return largest
    }

    // The steps of what a layer gives that treats every channel by itself, and multiples as multiples; nil of any other.
    private func moved(_ sources: [[ColumnStep]], by layer: FloatLayer) -> [ColumnStep]? {
        let read = shape(layer.sources[0]), hasOffsets = sources.contains { $0.contains { $0.offset != 0 } }
        // One for each channel, where all positions have the same.
        func channels() -> [ColumnStep]? {
            let first = Array(sources[0].prefix(read.channels))
            return sources[0].indices.allSatisfy { sources[0][$0] == first[$0 % read.channels] } ? first : nil
        }
        switch layer.operation {
        case .reshape: return sources[0]
        case .gather(let from): return from.map { $0 < 0 ? ColumnStep() : sources[0][Int($0)] }
        case .concatenation(let axis): return layer.shape.joined(sources, along: axis)
        case .slice(let first): return Array(sources[0][first * read.channels..<first * read.channels + layer.shape.count])
        case .mean: return channels()
        // Padding is 0 whatever is beside it.
        case .averagePool where !hasOffsets, .maxPool where !hasOffsets:
            return channels().map { steps in (0..<layer.shape.count).map { steps[$0 % steps.count] } }
        case .curve(.relu) where !hasOffsets, .curve(.leakyReLU) where !hasOffsets: return sources[0]
        default: return nil
        }
    }

    // The same of numbers with these steps, giving what it gave.
    private func operation(of layer: FloatLayer, taking steps: [ColumnStep]) -> FloatOperation? {
        let channels = shape(layer.sources[0]).channels
        switch layer.operation {
        case .dense(let weights): return weights.taking(steps, columns: weights.inputs).map { .dense($0) }
        case .convolution(let weights, let window) where steps.allSatisfy({ $0.offset == 0 }):
            return weights.taking(steps, columns: channels).map { .convolution($0, window) }
        case .depthwise(_, let window):
            return channelScale(layer).flatMap { $0.taking(steps, columns: channels) }.map { .depthwise($0, window) }
        case .curve(let curve) where steps.allSatisfy({ $0 == steps[0] }):
            let original = Expression.sum(.product(.constant(1 / steps[0].factor), .input), .constant(Double(steps[0].offset)))
            return .curve(.expression(.curve(curve, original)))
        default: return nil
        }
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
