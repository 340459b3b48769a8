internal import NeuralNetwork
internal import Support

/// An operator's constants as the network's integers.
struct TFLiteWeights {
    let file: TFLiteFile
    let reader: TFLiteOperationReader
    let input: Tensor
    let output: Tensor

    var convolutionRounding: Rounding { .ofConvolution(on: input.type) }

    private func matrix(_ tensor: TFLiteFile.Tensor, rows: Int) throws(Fault) -> (values: [Int16], scales: [Double]) {
        guard tensor.kind == .int8 else {
            throw reader.refused("its weights are not int8; convert the model with full integer quantisation")
        }
        guard tensor.scales.count == 1 || tensor.scales.count == rows, tensor.zeroPoints.allSatisfy({ $0 == 0 }),
            tensor.scales.allSatisfy({ $0 > 0 && $0.isFinite })
        else {
            throw reader.refused("its weights are not symmetric, or have \(tensor.scales.count) scales for \(rows) outputs")
        }
        let values = try file.constant(tensor, as: Int8.self)
        guard !values.contains(.min) else {
            throw reader.refused("it has a weight of -128; the quantisation specification allows -127 ... 127")
        }
        return (values.map(Int16.init), tensor.scales.count == 1 ? [Double](repeating: tensor.scales[0], count: rows) : tensor.scales)
    }

    private func bias(_ index: Int?, count: Int) throws(Fault) -> [Int64] {
        guard let index else { return [Int64](repeating: 0, count: count) }
        let tensor = file.tensors[index]
        guard tensor.count == count, tensor.kind == .int32 || tensor.kind == .int64 && input.type == .int16 else {
            throw reader.refused("its bias is not int32 of \(count)")
        }
        return tensor.kind == .int32 ? try file.constant(tensor, as: Int32.self).map(Int64.init) : try file.constant(tensor, as: Int64.self)
    }

    /// Dense weights [outputs, inputs], convolution weights [outputs, height, width, inputs].
    func weights(_ parameters: TFLiteOperation.Parameters, rounding: Rounding) throws(Fault) -> Weights {
        let tensor = file.tensors[parameters.weights], outputs = tensor.shape.first ?? 0
        var inputs = tensor.count / max(outputs, 1)
        let fits =
            tensor.shape.count == 2
            ? input.count % max(inputs, 1) == 0 && input.count / max(inputs, 1) * outputs == output.count
            : output.channels == outputs && input.channels % max(tensor.shape.last ?? 0, 1) == 0
        guard tensor.shape.count == 2 || tensor.shape.count == 4, fits else {
            throw reader.refused("weights of shape \(tensor.shape) do not lead from \(input.shape) to \(output.shape)")
        }
        var (values, scales) = try matrix(tensor, rows: outputs)
        if tensor.shape.count == 4 {
            values = try reader.ungrouped(values, tensor.shape, channels: input.channels)
            inputs = values.count / outputs
        }
        return Weights(
            inputs: inputs, outputs: outputs, values: values, bias: try bias(parameters.bias, count: outputs),
            multipliers: scales.map { Multiplier(input.quantisation.scale * $0 / output.quantisation.scale) }, rounding: rounding)
    }

    /// Weights [1, height, width, channels].
    func depthwise(_ parameters: TFLiteOperation.Parameters) throws(Fault) -> Weights {
        let tensor = file.tensors[parameters.weights], outputs = tensor.shape.last ?? 0
        guard tensor.shape.count == 4, tensor.shape[0] == 1, outputs == output.channels, outputs % input.channels == 0 else {
            throw reader.refused("weights of shape \(tensor.shape) do not lead from \(input.shape) to \(output.shape)")
        }
        let (values, scales) = try matrix(tensor, rows: outputs), taps = tensor.count / outputs
        return Weights(
            inputs: taps, outputs: outputs, values: TFLiteFile.channelsFirst(values, outputs),
            bias: try bias(parameters.bias, count: outputs),
            multipliers: scales.map { Multiplier(input.quantisation.scale * $0 / output.quantisation.scale) }, rounding: convolutionRounding
        )
    }

    func lstm(_ parameters: TFLiteOperation.LSTMParameters) throws(Fault) -> LSTM {
        let units = output.channels, cell = file.tensors[parameters.cell], hidden = file.tensors[parameters.hidden]
        guard hidden.quantisation == output.quantisation else {
            throw reader.refused("its hidden state and its output have different scales")
        }
        if let last = reader.operation.intermediates.last, last >= 0, let inner = file.tensors[last].quantisation,
            reader.operation.intermediates.count == 5, inner != output.quantisation
        {
            throw reader.refused("its hidden state is quantised apart from its output")
        }
        guard cell.kind == .int16, let scale = cell.quantisation?.scale, scale.significand == 1, (8...15).contains(-Int(scale.exponent))
        else {
            throw reader.refused("its cell is not int16 with a scale of 2^-8 ... 2^-15")
        }
        let clip = parameters.clip == 0 ? 0 : Int(min(32767, parameters.clip / scale))
        // LiteRT divides in float here, tflite-micro in double.
        let hiddenFactor = Multiplier(
            input.type == .int8 ? Double(0x1p-30 / Float(output.quantisation.scale)) : 0x1p-30 / output.quantisation.scale)
        return LSTM(
            weights: try gates(
                parameters.weights, bias: parameters.bias, columns: input.channels, units: units, scale: input.quantisation.scale),
            recurrent: try gates(parameters.recurrent, bias: nil, columns: units, units: units, scale: output.quantisation.scale),
            cellFraction: -Int(scale.exponent), cellClip: clip, multiplier: hiddenFactor)
    }

    // The four gates' rows one after the other.
    private func gates(_ indices: [Int], bias biases: [Int]?, columns: Int, units: Int, scale: Double) throws(Fault) -> Weights {
        var weights = Weights(inputs: columns, outputs: 4 * units, values: [], bias: [], multipliers: [], rounding: convolutionRounding)
        for (gate, index) in indices.enumerated() {
            let tensor = file.tensors[index]
            guard tensor.shape == [units, columns] else {
                throw reader.refused("gate weights of shape \(tensor.shape) are not [\(units), \(columns)]")
            }
            let (values, scales) = try matrix(tensor, rows: units)
            weights.values += values
            weights.bias += try bias(biases?[gate], count: units)
            // TFLite takes an LSTM's scales together in float.
            weights.multipliers += scales.map { Multiplier(Double(Float(scale) * Float($0)) / 0x1p-12) }
        }
        return weights
    }

    func curve(_ curve: Activation) throws(Fault) -> Operation {
        let from = input.quantisation, to = output.quantisation
        switch curve {
        case .relu, .relu6: return .rescale(Multiplier(Double(Float(from.scale) / Float(to.scale))))
        case .sigmoid where input.type == .int16, .tanh where input.type == .int16:
            return .interpolated(isSigmoid: curve == .sigmoid, from.scale)
        case .leakyReLU(let slope): return .lookup(TFLiteTables.leakyReLU(slope: slope, input, output))
        case .hardSwish where input.type == .int8: return .lookup(TFLiteTables.hardSwish(input, output))
        case .expression(.function(.squareRoot, .input)) where input.type == .int8:
            return .lookup(TFLiteTables.squareRoot(input, output))
        case .expression(.power(.input, exponent: -0.5)):
            guard input.type == .int8 else { throw reader.refused("it is of int16; convert the model to int8, or in float") }
            return .lookup(TFLiteTables.inverseRoot(input, output))
        default: return .lookup(input.type == .int8 ? curve.table(from: from, to: to) : TFLiteTables.wide(curve, from: from, to: to))
        }
    }
}
