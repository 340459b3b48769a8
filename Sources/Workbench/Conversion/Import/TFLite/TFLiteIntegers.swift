internal import NeuralNetwork
internal import Support

/// The integer network of a .tflite file, layer by layer, bit for bit as its reference kernels run it.
struct TFLiteIntegers {
    let file: TFLiteFile
    /// The network's tensor (0: the input) that holds each of the file's.
    var places: [Int: Int]
    private(set) var input: Tensor
    /// Where each number has an offset or a factor of its own before it is quantised.
    let steps: ColumnSteps?
    var layers: [Layer] = []
    private(set) var output = NetworkOutput.logits
    private var isFinished = false
    /// Between integers: what is computed in float from one number alone, and of which tensor.
    var floats: [Int: (place: Int, curve: Expression)] = [:]

    /// Tensors that are the output, but for their shape; those that may become floats on the way as well.
    private let reshapedToOutput: Set<Int>, readAsOutput: Set<Int>

    /// - Throws: `.badData` naming the operator that cannot be run.
    init(_ file: TFLiteFile) throws(Fault) {
        self.file = file
        reshapedToOutput = file.endings(through: ["RESHAPE"])
        readAsOutput = file.endings(through: ["RESHAPE", "DEQUANTIZE"])
        places = [file.inputs[0]: 0]
        input = Tensor(channels: 1, quantisation: Quantisation(scale: 1, zeroPoint: 0))
        let entry = try TFLiteEntry(file), start = entry?.tensor ?? file.inputs[0]
        places[start] = 0
        steps = entry?.steps
        guard let tensor = Self.tensor(file.tensors[start]) else {
            throw file.buffer.bad(
                "its input is \(file.tensors[start].kind.map { "\($0)" } ?? "of an unknown type"), not int8 or int16 with one scale")
        }
        input = tensor
        for (index, operation) in file.operators.enumerated() where entry?.operators.contains(index) != true {
            try append(TFLiteOperationReader(file: file, index: index, operation: operation))
            try file.requireLayers(layers.count)
        }
        guard places[file.outputs[0]] == layers.count, !layers.isEmpty else {
            throw file.buffer.bad("its output is not what its last operator gives")
        }
    }

    static func tensor(_ tensor: TFLiteFile.Tensor) -> Tensor? {
        guard let quantisation = tensor.quantisation, tensor.kind == .int8 || tensor.kind == .int16 else { return nil }
        let type: IntegerType = tensor.kind == .int8 ? .int8 : .int16, shape = tensor.extents
        guard type.range.contains(quantisation.zeroPoint), type == .int8 || quantisation.zeroPoint == 0 else { return nil }
        return Tensor(type, height: shape.height, width: shape.width, channels: shape.channels, quantisation: quantisation)
    }

    func tensor(_ index: Int) -> Tensor { index == 0 ? input : layers[index - 1].output }

    private mutating func append(_ reader: TFLiteOperationReader) throws(Fault) {
        let operation = try reader.read(), to = reader.operation.outputs[0]
        guard !isFinished || reader.operation.name == "DEQUANTIZE" || reader.operation.name == "RESHAPE" else {
            throw reader.refused("only the last layer can have a soft-max")
        }
        if case .loop = operation { throw reader.refused("loops run in networks of floats; convert this one without integer quantisation") }
        if try appendBetween(operation, reader, to) { return }
        var sources: [Int] = []
        for source in reader.sources {
            var place = places[source]
            if place == nil { place = try constant(source, reader) }
            guard let place else { throw reader.refused("it reads what no operator before it gives") }
            sources.append(place)
        }
        switch operation {
        case .reshape:
            guard file.tensors[to].count == tensor(sources[0]).count else {
                throw reader.refused("\(tensor(sources[0]).count) numbers do not become \(file.tensors[to].count)")
            }
            places[to] = sources[0]
        case .dequantize:
            (places[to], isFinished) = (sources[0], true)
        case .softmax: try appendSoftmax(reader, sources[0], to)
        case .logSoftmax: (places[to], output, isFinished) = (sources[0], .softmax, true)
        case .gather(let all):
            for (output, elements) in zip(reader.operation.outputs, all) {
                places[output] = try gathered(elements, reader, sources[0], output)
            }
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

    // Integers that become floats, one curve or more, and integers again: one table.
    private mutating func appendBetween(_ operation: TFLiteOperation, _ reader: TFLiteOperationReader, _ to: Int) throws(Fault) -> Bool {
        let from = reader.operation.inputs[0]
        if case .dequantize = operation, let place = places[from], !reshapedToOutput.contains(to) {
            floats[to] = (place, .input)
            return true
        }
        guard let (place, before) = floats[from] ?? floats[reader.sources.last ?? from] else { return false }
        switch operation {
        case .arithmetic(let kind, let curve):
            floats[to] = (place, try combined(kind, curve, reader, of: place))
        case .curve(let curve): floats[to] = (place, .curve(curve, before))
        case .reshape: floats[to] = (place, before)
        case .quantize:
            guard let result = Self.tensor(file.tensors[to]), result.type == tensor(place).type, result.count == tensor(place).count else {
                throw reader.refused("its output is not int8 or int16 with one scale")
            }
            layers.append(
                Layer(
                    .lookup(
                        result.type == .int8
                            ? before.activation.table(from: tensor(place).quantisation, to: result.quantisation)
                            : before.activation.wideTable(from: tensor(place).quantisation, to: result.quantisation)),
                    sources: [place], output: result))
            places[to] = layers.count
        default: throw reader.refused("it computes in float; convert the whole model with integer quantisation")
        }
        return true
    }

    private static func readsShape(_ operation: TFLiteOperation) -> Bool {
        switch operation {
        case .dense, .curve, .quantize, .arithmetic, .reduction, .concatenation, .matrixProduct, .prelu: false
        default: true
        }
    }

    // A tensor in another shape: a reshaped one is the same numbers, so a layer that only copies stands between.
    mutating func shaped(_ index: Int, _ shape: FloatShape) -> Int {
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

    // The network's end, or a layer of its own.
    private mutating func appendSoftmax(_ reader: TFLiteOperationReader, _ source: Int, _ to: Int) throws(Fault) {
        guard let result = Self.tensor(file.tensors[to]), result.type == tensor(source).type else {
            throw reader.refused("its output is not the type of its input")
        }
        guard result.quantisation == .probability(result.type) else {
            throw reader.refused("its output has not the scale of probabilities")
        }
        guard source != layers.count || !readAsOutput.contains(to) else {
            (places[to], output, isFinished) = (source, .softmax, true)
            return
        }
        let from = shaped(source, file.tensors[reader.sources[0]].extents)
        layers.append(Layer(.softmax(tensor(from).softmaxMultiplier), sources: [from], output: result))
        places[to] = layers.count
    }

    private mutating func append(
        _ operation: TFLiteOperation, _ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor
    ) throws(Fault) {
        let source = tensor(sources[0]), factors = TFLiteWeights(file: file, reader: reader, input: source, output: result)
        func add(_ operation: Operation, _ curve: Activation? = nil) {
            layers.append(Layer(operation, sources: sources, output: result, limits: curve.flatMap(result.limits)))
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
        case .reduction(let kind, let order, let positions):
            try append(kind, reader, sources[0], order, positions: positions, result)
        case .arithmetic(let kind, let curve): try append(kind, curve, reader, sources, result)
        case .prelu(let slope): try appendPReLU(reader, sources[0], slope, result)
        case .concatenation(let outer, let inner):
            try requireOneScale(reader, sources, result)
            appendConcatenation(sources, outer: outer, inner: inner, result)
        case .matrixProduct(let turnsLeft, let turnsRight):
            try appendMatrixProduct(reader, sources, turnsLeft: turnsLeft, turnsRight: turnsRight, result)
        case .quantize: add(.rescale(Multiplier(source.quantisation.scale / result.quantisation.scale)))
        case .curve(.leakyReLU(let slope)) where source.type == .int16: appendLeakyReLU(sources[0], slope, result)
        case .curve(let curve): add(try factors.curve(curve), curve == .relu || curve == .relu6 ? curve : nil)
        case .softmax, .logSoftmax, .reshape, .dequantize, .gather, .loop: break
        }
        output = .logits
        if case .curve(.sigmoid) = operation, result.quantisation == .probability(.int8) || result.type == .int16 { output = .independent }
    }

    func requireOneScale(_ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor) throws(Fault) {
        guard sources.allSatisfy({ tensor($0).quantisation == result.quantisation }) else {
            throw reader.refused("its inputs and output have different scales")
        }
    }
}
