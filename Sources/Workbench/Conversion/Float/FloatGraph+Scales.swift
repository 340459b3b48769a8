internal import NeuralNetwork

extension FloatGraph {
    /// What scales and moves the channels that a dense layer alone reads goes into that layer's weights: a batch normalisation before one
    /// enlarges what hardly changes, and other people's numbers would be cut off at what the calibration shows of it.
    ///
    /// - Parameter far: also those that move far (``FloatWeights/movesFar``).
    package mutating func joinScales(far: Bool = false) {
        for place in layers.indices.reversed().map({ $0 + 1 }) {
            guard let scale = channelScale(layers[place - 1]), quantisations[place] == nil,
                let reader = onlyReader(of: place), case .dense(let weights) = layers[reader - 1].operation,
                weights.inputs % scale.outputs == 0, far || !scale.movesFar
            else { continue }
            let joined = weights.after(scale)
            guard joined.isFinite else { continue }
            layers[reader - 1].operation = .dense(joined)
            remove(place)
        }
    }

    // Whoever reads it reads what it read.
    private mutating func remove(_ place: Int) {
        let source = layers[place - 1].sources[0]
        layers.remove(at: place - 1)
        for index in layers.indices {
            layers[index].sources = layers[index].sources.map { $0 == place ? source : $0 > place ? $0 - 1 : $0 }
        }
        quantisations = Dictionary(uniqueKeysWithValues: quantisations.map { ($0.key > place ? $0.key - 1 : $0.key, $0.value) })
    }
}

extension FloatWeights {
    /// Whether it scales channels and moves them by so much that a float32 with it in a sum loses what is left of the numbers: those far
    /// from zero become small by it.
    var movesFar: Bool { inputs == 1 && bias.contains { $0.magnitude > 64 } }

    // The same layer on channels that were not yet scaled and moved.
    fileprivate func after(_ scale: FloatWeights) -> FloatWeights {
        var result = self
        for output in 0..<outputs {
            var moved = 0.0
            for input in 0..<inputs {
                let at = output * inputs + input, channel = input % scale.outputs
                moved += Double(values[at]) * Double(scale.bias[channel])
                result.values[at] *= scale.values[channel]
            }
            result.bias[output] = Float(Double(bias[output]) + moved)
        }
        return result
    }
}

extension FloatOperation {
    /// The same layer with its outputs multiplied and moved, nil where it has no weights for that.
    func followed(by scale: [Float], _ offset: [Float]) -> FloatOperation? {
        func changed(_ weights: FloatWeights) -> FloatWeights? {
            guard weights.outputs == scale.count else { return nil }
            var weights = weights
            for output in 0..<weights.outputs {
                for input in 0..<weights.inputs { weights.values[output * weights.inputs + input] *= scale[output] }
                weights.bias[output] = weights.bias[output] * scale[output] + offset[output]
            }
            return weights
        }
        switch self {
        case .dense(let weights): return changed(weights).map { .dense($0) }
        case .convolution(let weights, let window): return changed(weights).map { .convolution($0, window) }
        case .depthwise(let weights, let window): return changed(weights).map { .depthwise($0, window) }
        default: return nil
        }
    }
}
