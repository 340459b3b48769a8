internal import NeuralNetwork

extension FloatGraph {
    /// What scales and moves the channels of a normalisation, where nothing else reads that and it has no scale of its own.
    func channelScale(behind place: Int) -> (place: Int, weights: FloatWeights)? {
        guard case .normalisation = layers[place - 1].operation, quantisations[place] == nil, let reader = onlyReader(of: place),
            quantisations[reader] != nil, let weights = channelScale(layers[reader - 1])
        else { return nil }
        return (reader, weights)
    }
}

extension Quantiser {
    /// A normalisation between int8 layers of a file's own scales, with the factor and offset of each channel: rounded once, behind them.
    mutating func appendNormalisation(_ epsilon: Float, _ sources: [Int], _ scale: (place: Int, weights: FloatWeights)) {
        let source = tensor(sources[0]), end = fused(scale.place), fine = scale.weights.fine(to: end.quantisation.scale)
        finish(
            scale.place, sources, end, shape: graph.shape(scale.place),
            .scaledNormalisation(
                Multiplier(Double(sign: .plus, exponent: fine.fraction, significand: 1)),
                epsilon: Operation.squared(Double(epsilon), source), fine.weights))
    }
}

extension FloatWeights {
    // Of channels of unit deviation: as factors of -1, 0 and 1 for integers of so many fraction bits, offsets, and what makes output
    // steps of their sums. As many bits as keep each channel's offset within 2^30 of its unit, and the unit a number that there is.
    fileprivate func fine(to step: Double) -> (fraction: Int, weights: Weights) {
        let largest = Double(outputs).squareRoot() // of numbers of unit deviation
        let factors = values.map { Double($0) / step }
        // What is so far off that all of a channel is beyond the limits needs no more than that.
        let offsets = zip(bias, factors).map { bias, factor in
            let end = 512 + factor.magnitude * largest
            return min(max(Double(bias) / step, -end), end)
        }
        let isFactor = factors.map { $0.magnitude * largest > 0x1p-8 } // what is less moves nothing
        var fraction = 22
        for channel in 0..<outputs where isFactor[channel] {
            let factor = factors[channel].magnitude, offset = offsets[channel].magnitude
            let ratio = offset / factor
            if ratio > 0 { fraction = min(fraction, 30 - Int(ratio.exponent) - (ratio.significand > 1 ? 1 : 0)) }
            fraction = min(fraction, 31 + Int(factor.exponent))
        }
        fraction = max(fraction, 0)
        var fine = Weights(inputs: 1, outputs: outputs, values: [], bias: [], multipliers: [], rounding: .once)
        for channel in 0..<outputs {
            let factor = isFactor[channel] ? factors[channel].magnitude : 0
            let unit = max(factor / Double(1 << fraction), offsets[channel].magnitude * 0x1p-30, 0x1p-31)
            fine.values.append(factor == 0 ? 0 : values[channel] < 0 ? -1 : 1)
            fine.bias.append(Int64((offsets[channel] / unit).rounded()))
            fine.multipliers.append(Multiplier(unit))
        }
        return (fraction, fine)
    }
}
