internal import NeuralNetwork

extension FloatGraph {
    /// What scales and moves the channels that a dense layer alone reads goes into that layer's weights: a batch normalisation before one
    /// enlarges what hardly changes, and other people's numbers would be cut off at what the calibration shows of it.
    mutating func joinScales() {
        for place in layers.indices.reversed().map({ $0 + 1 }) {
            guard let scale = channelScale(layers[place - 1]), quantisations[place] == nil,
                let reader = onlyReader(of: place), case .dense(let weights) = layers[reader - 1].operation,
                weights.inputs % scale.outputs == 0
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
