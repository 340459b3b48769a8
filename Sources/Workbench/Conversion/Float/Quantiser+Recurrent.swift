internal import NeuralNetwork

/// Layers with a state.
extension Quantiser {
    // Gates are Q3.12; the cell is as fine as its largest value allows.
    mutating func append(
        _ lstm: FloatLSTM, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape, _ cells: Calibration?
    ) {
        let gates = Quantisation(scale: 0x1p-12, zeroPoint: 0), rounding = convolutionRounding, output = seen(place)
        let largest = max(cells?.peaks.max() ?? 8, 1e-3), fraction = max(8, min(15, 14 - Int(largest.exponent)))
        let hidden = result(FloatShape(channels: lstm.units), output), from = graph.layers[place - 1].sources[0]
        let inputMeans = means(FloatLayer(.lstm(lstm), sources: [from], shape: shape), lstm.weights)
        var quantised = LSTM(
            weights: quantised(lstm.weights, source, inputMeans, feedback(from, lstm.weights), gates, rounding),
            recurrent: quantised(lstm.recurrent, hidden, nil, feedback(place, lstm.recurrent), gates, rounding), cellFraction: fraction,
            cellClip: lstm.cellClip > 0 ? Int(min(32767, (lstm.cellClip * Double(1 << fraction)).rounded())) : 0,
            multiplier: Multiplier(0x1p-30 / output.scale))
        moveBias(&quantised)
        finish(place, sources, (output, options.activations.range, nil), shape: shape, .lstm(quantised))
    }

    // What the candidate reads, r h, has no moments of its own: the recurrent weights are rounded one by one.
    mutating func append(_ gru: FloatGRU, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape) {
        let gates = Quantisation(scale: 0x1p-12, zeroPoint: 0), rounding = convolutionRounding, output = seen(place),
            from = graph.layers[place - 1].sources[0]
        let hidden = result(FloatShape(channels: gru.units), output), inputMeans = means(graph.layers[place - 1], gru.weights)
        let quantised = GRU(
            weights: quantised(gru.weights, source, inputMeans, feedback(from, gru.weights), gates, rounding),
            recurrent: quantised(gru.recurrent, hidden, nil, nil, gates, rounding), multiplier: Multiplier(0x1p-30 / output.scale),
            resetAfter: gru.resetAfter)
        finish(place, sources, (output, options.activations.range, nil), shape: shape, .gru(quantised))
    }

    // The biases of the recurrent weights, which TFLite does not have, to those of the input's.
    private func moveBias(_ lstm: inout LSTM) {
        for row in lstm.recurrent.bias.indices {
            let gate = Double(lstm.recurrent.bias[row]) * lstm.recurrent.multipliers[row].value, unit = lstm.weights.multipliers[row].value
            if unit > 0 { lstm.weights.bias[row] += Int64(max(-0x1p45, min(0x1p45, (gate / unit).rounded()))) }
            lstm.recurrent.bias[row] = 0
        }
    }
}
