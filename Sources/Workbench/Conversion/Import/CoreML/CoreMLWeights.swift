internal import Support

/// A Core ML layer's numbers, their counts and types checked.
struct CoreMLWeights {
    let builder: CoreMLBuilder
    let layer: CoreMLLayer
    let index: Int

    private func bad(_ why: String) -> Fault { builder.bad(layer, index, why) }

    // WeightParams: floatValue 1, float16Value 2, rawValue 30, quantization 40.
    private func floats(_ weights: WireMessage, _ count: Int, _ what: String) throws(Fault) -> [Float] {
        guard !weights.has(40), !weights.has(30) else { throw bad("its \(what) are quantised; convert the model with full precision") }
        var values = weights.floats(1)
        if values.isEmpty {
            let halves = Array(weights.bytes(2))
            values = stride(from: 0, to: halves.count / 2 * 2, by: 2).map { Float(half: UInt16(halves[$0]) | UInt16(halves[$0 + 1]) << 8) }
        }
        guard values.count == count else { throw bad("its \(what) are \(values.count) numbers, not \(count)") }
        guard values.allSatisfy(\.isFinite) else { throw bad("its \(what) have a number that is not finite") }
        return values
    }

    private func size(_ value: UInt64, _ what: String) throws(Fault) -> Int {
        guard (1...4096).contains(value) else { throw bad("it has \(value) \(what)") }
        return Int(value)
    }

    /// inputChannels 1, outputChannels 2, hasBias 10, weights 20 [outputs, inputs], bias 21.
    func innerProduct() throws(Fault) -> FloatWeights {
        let product = layer.parameters, inputs = try size(product.integer(1), "inputs"), outputs = try size(product.integer(2), "outputs")
        var made = FloatWeights(inputs: inputs, outputs: outputs, values: try floats(try product.message(20), inputs * outputs, "weights"))
        if product.flag(10) { made.bias = try floats(try product.message(21), outputs, "biases") }
        return made
    }

    /// Alpha is field 1, beta 2. Nil: the identity.
    func curve(_ activation: WireMessage) throws(Fault) -> Activation? {
        func numbers(_ kind: Int) throws(Fault) -> (alpha: Double, beta: Double) {
            let message = try activation.message(kind), alpha = message.float(1), beta = message.float(2)
            guard alpha.isFinite, beta.isFinite else { throw bad("one of its numbers is not finite") }
            return (Double(alpha), Double(beta))
        }
        guard let kind = [5, 10, 15, 20, 25, 30, 31, 40, 41, 50, 60, 70, 71].first(where: activation.has) else {
            throw bad("its activation is not known")
        }
        let (alpha, beta) = try numbers(kind)
        switch kind {
        case 5: return alpha == 1 && beta == 0 ? nil : .linear(scale: alpha, offset: beta)
        case 10: return .relu
        case 15: return .leakyReLU(slope: alpha)
        case 20: return .thresholdedReLU(threshold: alpha)
        case 30: return .tanh
        case 31: return .scaledTanh(scale: alpha, slope: beta)
        case 40: return .sigmoid
        case 41: return .hardSigmoid(scale: alpha, offset: beta)
        case 50: return .elu(scale: alpha)
        case 60: return .softsign
        case 70: return .softplus
        default: throw bad("an activation with a parameter for each channel is not supported")
        }
    }

    /// gamma (x - mean) / sqrt(variance + epsilon) + beta as scale and offset; channels 1, computeMeanVar 5, instanceNormalization 6,
    /// epsilon 10, gamma 15, beta 16, mean 17, variance 18.
    func batchNorm(channels: Int) throws(Fault) -> (scale: [Float], offset: [Float]) {
        let norm = layer.parameters, epsilon = norm.float(10)
        guard norm.integer(1) == UInt64(channels), !norm.flag(5), !norm.flag(6) else {
            throw bad("it has \(norm.integer(1)) channels for \(channels), or computes its own mean")
        }
        let gamma = try floats(try norm.message(15), channels, "gammas"), beta = try floats(try norm.message(16), channels, "betas")
        let mean = try floats(try norm.message(17), channels, "means"), variance = try floats(try norm.message(18), channels, "variances")
        let scale = zip(gamma, variance).map { $0 / ($1 + epsilon).squareRoot() }
        let offset = zip(zip(beta, mean), scale).map { $0.0 - $0.1 * $1 }
        guard scale.allSatisfy(\.isFinite), offset.allSatisfy(\.isFinite) else { throw bad("a variance is negative") }
        return (scale, offset)
    }

    /// inputVectorSize 1, outputVectorSize 2, activations 10, params 15, weightParams 20, reverseInput 100.
    func lstm() throws(Fault) -> FloatLSTM {
        let lstm = layer.parameters, inputs = try size(lstm.integer(1), "inputs"), units = try size(lstm.integer(2), "outputs")
        // sequenceOutput 10, hasBiasVectors 20, forgetBias 30, hasPeepholeVectors 40, coupledInputAndForgetGate 50, cellClipThreshold 60.
        let parameters = try lstm.message(15), weightParameters = try lstm.message(20)
        guard units <= 1024 else { throw bad("it has \(units) units; up to 1024 can be run") }
        guard !lstm.flag(100), !parameters.flag(40), !parameters.flag(50) else {
            throw bad("reversed input, peepholes and coupled gates are not supported")
        }
        try require([.sigmoid, .tanh, .tanh], lstm)
        var weights = FloatWeights(inputs: inputs, outputs: 4 * units, values: [], bias: []),
            recurrent = FloatWeights(inputs: units, outputs: 4 * units, values: [])
        for gate in 0..<4 { // input, forget, modulation, output: W 1-4, R 20-23, b 40-43
            weights.values += try floats(try weightParameters.message(1 + gate), inputs * units, "weights")
            recurrent.values += try floats(try weightParameters.message(20 + gate), units * units, "recurrent weights")
            let bias =
                parameters.flag(20)
                ? try floats(try weightParameters.message(40 + gate), units, "biases") : [Float](repeating: 0, count: units)
            weights.bias += gate == 1 && parameters.flag(30) ? bias.map { $0 + 1 } : bias
        }
        let clip = Double(parameters.float(60))
        guard clip >= 0, clip.isFinite else { throw bad("its cell is clipped at \(clip)") }
        return FloatLSTM(weights: weights, recurrent: recurrent, cellClip: clip == 0 ? 50 : clip)
    }

    /// inputVectorSize 1, outputVectorSize 2, activations 10, hasBiasVectors 20, reverseInput 100; update, reset and output: W 30-32,
    /// R 50-52, b 70-72.
    func gru() throws(Fault) -> FloatGRU {
        let gru = layer.parameters, inputs = try size(gru.integer(1), "inputs"), units = try size(gru.integer(2), "outputs")
        guard units <= 1024 else { throw bad("it has \(units) units; up to 1024 can be run") }
        guard !gru.flag(100) else { throw bad("reversed input is not supported") }
        try require([.sigmoid, .tanh], gru)
        var weights = FloatWeights(inputs: inputs, outputs: 3 * units, values: [], bias: []),
            recurrent = FloatWeights(inputs: units, outputs: 3 * units, values: [])
        for gate in 0..<3 {
            weights.values += try floats(try gru.message(30 + gate), inputs * units, "weights")
            recurrent.values += try floats(try gru.message(50 + gate), units * units, "recurrent weights")
            weights.bias += gru.flag(20) ? try floats(try gru.message(70 + gate), units, "biases") : [Float](repeating: 0, count: units)
        }
        return FloatGRU(weights: weights, recurrent: recurrent)
    }

    // The curves of a recurrent layer's gates, field 10.
    private func require(_ expected: [Activation], _ recurrent: WireMessage) throws(Fault) {
        var curves: [Activation?] = []
        for activation in try recurrent.messages(10) { curves.append(try curve(activation)) }
        guard curves == expected else {
            throw bad(
                "its activations are not \(expected.map { "\($0)" }.joined(separator: ", ")); retrain with recurrent_activation=\"sigmoid\""
            )
        }
    }
}
