internal import CoreMLFormat
internal import Support

/// A Core ML layer's numbers, their counts and types checked.
struct CoreMLWeights {
    let builder: CoreMLBuilder
    let layer: Gaitway_Coreml_NeuralNetworkLayer
    let index: Int

    private func bad(_ why: String) -> Fault { builder.bad(layer, index, why) }

    private func floats(_ weights: Gaitway_Coreml_WeightParams, _ count: Int, _ what: String) throws(Fault) -> [Float] {
        guard !weights.hasQuantization, weights.rawValue.isEmpty else { throw bad("its \(what) are quantised; convert the model with full precision") }
        var values = weights.floatValue
        if values.isEmpty {
            let halves = [UInt8](weights.float16Value)
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

    /// Weights [outputs, inputs], row-major.
    func matrix(_ weights: Gaitway_Coreml_WeightParams, _ bias: Gaitway_Coreml_WeightParams?, inputs: UInt64, outputs: UInt64) throws(Fault) -> FloatWeights {
        let inputs = try size(inputs, "inputs"), outputs = try size(outputs, "outputs")
        var made = FloatWeights(inputs: inputs, outputs: outputs, values: try floats(weights, inputs * outputs, "weights"))
        if let bias { made.bias = try floats(bias, outputs, "biases") }
        return made
    }

    /// Nil: the identity.
    func curve(_ activation: Gaitway_Coreml_ActivationParams) throws(Fault) -> Curve? {
        func number(_ value: Float) throws(Fault) -> Double {
            guard value.isFinite else { throw bad("one of its numbers is not finite") }
            return Double(value)
        }
        switch activation.nonlinearityType {
        case .linear(let p): return p.alpha == 1 && p.beta == 0 ? nil : .linear(scale: try number(p.alpha), offset: try number(p.beta))
        case .reLu: return .relu
        case .leakyReLu(let p): return .leakyReLU(slope: try number(p.alpha))
        case .thresholdedReLu(let p): return .thresholdedReLU(threshold: try number(p.alpha))
        case .tanh: return .tanh
        case .scaledTanh(let p): return .scaledTanh(scale: try number(p.alpha), slope: try number(p.beta))
        case .sigmoid: return .sigmoid
        case .sigmoidHard(let p): return .hardSigmoid(scale: try number(p.alpha), offset: try number(p.beta))
        case .elu(let p): return .elu(scale: try number(p.alpha))
        case .softsign: return .softsign
        case .softplus: return .softplus
        case .preLu, .parametricSoftplus: throw bad("an activation with a parameter for each channel is not supported")
        case nil: throw bad("its activation is not known")
        }
    }

    /// gamma (x - mean) / sqrt(variance + epsilon) + beta as scale and offset.
    func batchNorm(_ norm: Gaitway_Coreml_BatchnormLayerParams, channels: Int) throws(Fault) -> (scale: [Float], offset: [Float]) {
        guard norm.channels == UInt64(channels), !norm.computeMeanVar, !norm.instanceNormalization else { throw bad("it has \(norm.channels) channels for \(channels), or computes its own mean") }
        let gamma = try floats(norm.gamma, channels, "gammas"), beta = try floats(norm.beta, channels, "betas")
        let mean = try floats(norm.mean, channels, "means"), variance = try floats(norm.variance, channels, "variances")
        let scale = zip(gamma, variance).map { $0 / ($1 + norm.epsilon).squareRoot() }
        let offset = zip(zip(beta, mean), scale).map { $0.0 - $0.1 * $1 }
        guard scale.allSatisfy(\.isFinite), offset.allSatisfy(\.isFinite) else { throw bad("a variance is negative") }
        return (scale, offset)
    }

    func lstm(_ lstm: Gaitway_Coreml_UniDirectionalLSTMLayerParams) throws(Fault) -> FloatLSTM {
        let inputs = try size(lstm.inputVectorSize, "inputs"), units = try size(lstm.outputVectorSize, "outputs"), parameters = lstm.params, w = lstm.weightParams
        guard units <= 1024 else { throw bad("it has \(units) units; up to 1024 can be run") }
        guard !lstm.reverseInput, !parameters.hasPeepholeVectors_p, !parameters.coupledInputAndForgetGate else { throw bad("reversed input, peepholes and coupled gates are not supported") }
        let curves = lstm.activations.map(\.nonlinearityType)
        guard curves.count == 3, case .sigmoid = curves[0], case .tanh = curves[1], case .tanh = curves[2] else {
            throw bad("its activations are not sigmoid, tanh, tanh; retrain with recurrent_activation=\"sigmoid\"")
        }
        var weights = FloatWeights(inputs: inputs, outputs: 4 * units, values: [], bias: []), recurrent = FloatWeights(inputs: units, outputs: 4 * units, values: [])
        let gates = [
            (w.inputGateWeightMatrix, w.inputGateRecursionMatrix, w.inputGateBiasVector), (w.forgetGateWeightMatrix, w.forgetGateRecursionMatrix, w.forgetGateBiasVector),
            (w.blockInputWeightMatrix, w.blockInputRecursionMatrix, w.blockInputBiasVector), (w.outputGateWeightMatrix, w.outputGateRecursionMatrix, w.outputGateBiasVector),
        ]
        for (gate, part) in gates.enumerated() {
            weights.values += try floats(part.0, inputs * units, "weights")
            recurrent.values += try floats(part.1, units * units, "recurrent weights")
            var bias = parameters.hasBiasVectors_p ? try floats(part.2, units, "biases") : [Float](repeating: 0, count: units)
            if gate == 1 && parameters.forgetBias { bias = bias.map { $0 + 1 } }
            weights.bias += bias
        }
        let clip = Double(parameters.cellClipThreshold)
        guard clip >= 0, clip.isFinite else { throw bad("its cell is clipped at \(clip)") }
        return FloatLSTM(weights: weights, recurrent: recurrent, cellClip: clip == 0 ? 50 : clip)
    }
}
