internal import NeuralNetwork
internal import Support

/// The integer network of a .tflite file, layer by layer, bit for bit as its reference kernels run it.
struct TFLiteIntegers {
    let file: TFLiteFile
    /// The network's tensor (0: the input) that holds each of the file's.
    private var places: [Int: Int]
    private(set) var input: Tensor
    private(set) var layers: [Layer] = []
    private(set) var output = NetworkOutput.logits
    private var isFinished = false

    /// - Throws: `.badData` naming the operator that cannot be run.
    init(_ file: TFLiteFile) throws(Fault) {
        self.file = file
        places = [file.inputs[0]: 0]
        input = Tensor(channels: 1, quantisation: Quantisation(scale: 1, zeroPoint: 0))
        var start = file.inputs[0]
        if file.tensors[start].kind == .float32, let first = file.operators.first, first.name == "QUANTIZE", first.inputs.first == start,
            let to = first.outputs.first, to >= 0
        {
            start = to
            places[to] = 0
        }
        guard let tensor = Self.tensor(file.tensors[start]) else {
            throw file.buffer.bad(
                "its input is \(file.tensors[start].kind.map { "\($0)" } ?? "of an unknown type"), not int8 or int16 with one scale")
        }
        input = tensor
        for (index, operation) in file.operators.enumerated() {
            try append(TFLiteOperationReader(file: file, index: index, operation: operation))
        }
        guard places[file.outputs[0]] == layers.count, !layers.isEmpty else {
            throw file.buffer.bad("its output is not what its last operator gives")
        }
    }

    private static func tensor(_ tensor: TFLiteFile.Tensor) -> Tensor? {
        guard let quantisation = tensor.quantisation, tensor.kind == .int8 || tensor.kind == .int16 else { return nil }
        let type: IntegerType = tensor.kind == .int8 ? .int8 : .int16, shape = tensor.extents
        guard type.range.contains(quantisation.zeroPoint), type == .int8 || quantisation.zeroPoint == 0 else { return nil }
        return Tensor(type, height: shape.height, width: shape.width, channels: shape.channels, quantisation: quantisation)
    }

    private func tensor(_ index: Int) -> Tensor { index == 0 ? input : layers[index - 1].output }

    private mutating func append(_ reader: TFLiteOperationReader) throws(Fault) {
        let operation = try reader.read(), to = reader.operation.outputs[0]
        if places[to] != nil { return } // the QUANTIZE at the input
        guard !isFinished || reader.operation.name == "DEQUANTIZE" || reader.operation.name == "RESHAPE" else {
            throw reader.refused("only the last layer can have a soft-max")
        }
        var sources: [Int] = []
        for source in reader.sources {
            guard let place = places[source] else { throw reader.refused("it reads a constant, or what no operator before it gives") }
            sources.append(place)
        }
        switch operation {
        case .reshape, .dequantize:
            guard file.tensors[to].count == tensor(sources[0]).count else {
                throw reader.refused("\(tensor(sources[0]).count) numbers do not become \(file.tensors[to].count)")
            }
            places[to] = sources[0]
            if case .dequantize = operation { isFinished = true }
        case .softmax: try finish(reader, sources[0], to)
        default:
            guard let result = Self.tensor(file.tensors[to]) else {
                throw reader.refused("its output is not int8 or int16 with one scale; convert the model with full integer quantisation")
            }
            if Self.readsShape(operation) {
                sources = zip(reader.sources, sources).map { source, place in shaped(place, file.tensors[source].extents) }
            }
            try append(operation, reader, sources, result)
            places[to] = layers.count
        }
    }

    private static func readsShape(_ operation: TFLiteOperation) -> Bool {
        switch operation {
        case .dense, .curve, .quantize: false
        default: true
        }
    }

    // A tensor in another shape: a reshaped one is the same numbers, so a layer that only copies stands between.
    private mutating func shaped(_ index: Int, _ shape: FloatShape) -> Int {
        var tensor = tensor(index)
        guard tensor.height != shape.height || tensor.width != shape.width || tensor.channels != shape.channels else { return index }
        (tensor.height, tensor.width, tensor.channels) = (shape.height, shape.width, shape.channels)
        if index == 0 && layers.isEmpty {
            input = tensor
            return 0
        }
        layers.append(Layer(.rescale(Multiplier(1)), sources: [index], output: tensor))
        return layers.count
    }

    private mutating func finish(_ reader: TFLiteOperationReader, _ source: Int, _ to: Int) throws(Fault) {
        guard source == layers.count, let result = Self.tensor(file.tensors[to]), let last = layers.last, result.type == last.output.type
        else { throw reader.refused("it is not behind the last layer") }
        guard result.quantisation == .probability(result.type) else {
            throw reader.refused("its output has not the scale of probabilities")
        }
        places[to] = source
        output = .softmax
        isFinished = true
    }

    private mutating func append(
        _ operation: TFLiteOperation, _ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor
    ) throws(Fault) {
        let source = tensor(sources[0]), factors = TFLiteWeights(file: file, reader: reader, input: source, output: result)
        func add(_ operation: Operation, _ curve: Activation? = nil) {
            layers.append(Layer(operation, sources: sources, output: result, limits: curve.map(result.limits)))
        }
        guard result.type == source.type || reader.operation.name == "QUANTIZE" else {
            throw reader.refused("it reads \(source.type.rawValue) and gives \(result.type.rawValue)")
        }
        switch operation {
        case .dense(let parameters, let curve): add(.dense(try factors.weights(parameters, rounding: .once)), curve)
        case .convolution(let parameters, let sliding, let curve):
            add(.convolution(try factors.weights(parameters, rounding: factors.convolutionRounding), sliding), curve)
        case .depthwise(let parameters, let sliding, let curve): add(.depthwise(try factors.depthwise(parameters), sliding), curve)
        case .lstm(let parameters): add(.lstm(try factors.lstm(parameters)))
        case .averagePool(let sliding, let curve):
            try requireOneScale(reader, sources, result)
            add(.averagePool(sliding), curve)
        case .maxPool(let sliding, let curve):
            try requireOneScale(reader, sources, result)
            add(.maxPool(sliding), curve)
        case .mean: add(.mean(Multiplier(source.quantisation.scale / result.quantisation.scale)))
        case .add(let curve):
            let other = tensor(sources[1])
            guard other.shape == source.shape, other.type == source.type else {
                throw reader.refused("its inputs have the shapes \(source.shape) and \(other.shape)")
            }
            add(.addition(source, other, to: result.quantisation), curve)
        case .concatenation(let axis):
            try requireOneScale(reader, sources, result)
            add(.concatenation(axis: axis))
        case .slice(let first):
            try requireOneScale(reader, sources, result)
            add(.slice(first: first))
        case .quantize: add(.rescale(Multiplier(source.quantisation.scale / result.quantisation.scale)))
        case .curve(let curve): add(factors.curve(curve), curve == .relu || curve == .relu6 ? curve : nil)
        case .softmax, .reshape, .dequantize: break
        }
        output = .logits
        if case .curve(.sigmoid) = operation, result.quantisation == .probability(.int8) || result.type == .int16 { output = .independent }
    }

    private func requireOneScale(_ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor) throws(Fault) {
        guard sources.allSatisfy({ tensor($0).quantisation == result.quantisation }) else {
            throw reader.refused("its inputs and output have different scales")
        }
    }
}

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
        let tensor = file.tensors[parameters.weights], outputs = tensor.shape.first ?? 0, inputs = tensor.count / max(outputs, 1)
        let fits =
            tensor.shape.count == 2
            ? input.count % max(inputs, 1) == 0 && input.count / max(inputs, 1) * outputs == output.count
            : output.channels == outputs && tensor.shape.last == input.channels
        guard tensor.shape.count == 2 || tensor.shape.count == 4, fits else {
            throw reader.refused("weights of shape \(tensor.shape) do not lead from \(input.shape) to \(output.shape)")
        }
        let (values, scales) = try matrix(tensor, rows: outputs)
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

    func curve(_ curve: Activation) -> Operation {
        let from = input.quantisation, to = output.quantisation
        switch curve {
        case .relu, .relu6: return .rescale(Multiplier(Double(Float(from.scale) / Float(to.scale))))
        case .sigmoid where input.type == .int16, .tanh where input.type == .int16:
            return .interpolated(isSigmoid: curve == .sigmoid, from.scale)
        default: return .lookup(curve.table(from: from, to: to))
        }
    }
}
