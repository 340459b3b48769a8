internal import NeuralNetwork
internal import Support

/// The float network of a .tflite file; its constants may be halves or int8 with scales (dynamic-range quantisation).
struct TFLiteFloats {
    let file: TFLiteFile
    /// The graph's tensor (0: the input) that holds each of the file's.
    var places: [Int: Int]
    /// Constants that an operator turns into floats: where they come from.
    var constants: [Int: Int] = [:]
    var graph: FloatGraph
    /// Whether the file's part is the body of a loop.
    var isBody = false

    /// Whether the network computes in floats: the first operator on its input does not quantise it.
    static func isFloat(_ file: TFLiteFile) throws(Fault) -> Bool {
        guard file.tensors[file.inputs[0]].kind == .float32 else { return false }
        return try TFLiteEntry(file) == nil
    }

    /// - Throws: `.badData` naming the operator that cannot be run.
    init(_ file: TFLiteFile) throws(Fault) {
        self.file = file
        places = [file.inputs[0]: 0]
        graph = FloatGraph(input: file.tensors[file.inputs[0]].extents, output: .logits)
        for (index, operation) in file.operators.enumerated() {
            try append(TFLiteOperationReader(file: file, index: index, operation: operation))
            try file.requireLayers(graph.layers.count)
        }
        guard let last = places[file.outputs[0]], last == graph.layers.count, last > 0 else {
            throw file.buffer.bad("its output is not what its last operator gives")
        }
    }

    mutating func append(_ reader: TFLiteOperationReader) throws(Fault) {
        let operation = try reader.read(), to = reader.operation.outputs[0]
        if case .dequantize = operation, places[reader.operation.inputs[0]] == nil {
            constants[to] = reader.operation.inputs[0]
            return
        }
        if case .loop(let condition, let body) = operation { return try appendLoop(reader, condition: condition, body: body) }
        guard graph.output == .logits || reader.operation.name == "RESHAPE" else {
            throw reader.refused("only the last layer can have a soft-max")
        }
        var sources: [Int] = []
        for source in reader.sources {
            var place = places[source]
            if place == nil { place = try constant(source) }
            guard let place else { throw reader.refused("it reads what no operator before it gives") }
            sources.append(place)
        }
        let result = file.tensors[to].extents
        switch operation {
        case .reshape:
            guard file.tensors[to].count == graph.shape(sources[0]).count else {
                throw reader.refused("\(graph.shape(sources[0]).count) numbers do not become \(file.tensors[to].count)")
            }
            places[to] = sources[0]
        case .softmax: appendSoftmax(reader, sources[0], to)
        case .logSoftmax: (places[to], graph.output) = (sources[0], .softmax)
        case .quantize, .dequantize:
            throw reader.refused("floats and integers are mixed; convert the whole model with integer quantisation, or none of it")
        case .gather(let all):
            for (output, elements) in zip(reader.operation.outputs, all) {
                places[output] = gathered(elements, sources[0], file.tensors[output].extents)
            }
        case .arithmetic(let kind, let curve): places[to] = try append(kind, curve, reader, sources, to)
        case .reduction(let kind, let order, let positions): places[to] = append(kind, sources[0], order, positions: positions, result)
        case .prelu(let slope): places[to] = try appendPReLU(reader, sources[0], slope, to)
        case .concatenation(let outer, let inner): places[to] = appendConcatenation(sources, outer: outer, inner: inner)
        case .matrixProduct(let turnsLeft, let turnsRight):
            places[to] = try appendMatrixProduct(reader, sources, turnsLeft: turnsLeft, turnsRight: turnsRight, result)
        default:
            if case .dense = operation {
            } else if case .curve = operation {
            } else {
                sources = zip(reader.sources, sources).map { source, place in shaped(place, file.tensors[source].extents) }
            }
            let (layer, curve) = try layer(operation, reader, sources)
            graph.layers.append(FloatLayer(layer, sources: sources, shape: result))
            if let curve { graph.appendCurve(curve) }
            places[to] = graph.layers.count
        }
    }

    // The network's end, or a layer of its own.
    private mutating func appendSoftmax(_ reader: TFLiteOperationReader, _ source: Int, _ to: Int) {
        if source == graph.layers.count, file.endings(through: ["RESHAPE"]).contains(to) {
            (places[to], graph.output) = (source, .softmax)
            return
        }
        let shape = file.tensors[reader.sources[0]].extents
        graph.layers.append(FloatLayer(.softmax, sources: [shaped(source, shape)], shape: shape))
        places[to] = graph.layers.count
    }

    // A layer that changes nothing but the shape.
    mutating func shaped(_ index: Int, _ shape: FloatShape) -> Int {
        guard graph.shape(index) != shape else { return index }
        if index == 0 && graph.layers.isEmpty {
            graph.input = shape
            return 0
        }
        graph.layers.append(FloatLayer(.reshape, sources: [index], shape: shape))
        return graph.layers.count
    }

    private func layer(
        _ operation: TFLiteOperation, _ reader: TFLiteOperationReader, _ sources: [Int]
    ) throws(Fault) -> (FloatOperation, Activation?) {
        let input = graph.shape(sources[0]), output = file.tensors[reader.operation.outputs[0]].extents
        switch operation {
        case .dense(let parameters, let curve):
            let weights = try weights(parameters, reader)
            guard input.count % weights.inputs == 0, input.count / weights.inputs * weights.outputs == output.count else {
                throw reader.refused("its weights do not fit its input and output")
            }
            return (.dense(weights), curve)
        case .convolution(let parameters, let sliding, let curve):
            let weights = try weights(parameters, reader, channels: input.channels)
            guard weights.outputs == output.channels, weights.inputs == sliding.height * sliding.width * input.channels else {
                throw reader.refused("its weights do not fit its input and output")
            }
            return (.convolution(weights, sliding), curve)
        case .depthwise(let parameters, let sliding, let curve):
            let tensor = file.tensors[constants[parameters.weights] ?? parameters.weights], outputs = tensor.shape.last ?? 0,
                taps = sliding.height * sliding.width
            guard outputs == output.channels, outputs % input.channels == 0, tensor.count == taps * outputs else {
                throw reader.refused("its weights do not fit its input and output")
            }
            let values = TFLiteFile.channelsFirst(try file.floats(tensor), outputs)
            let bias = try bias(parameters.bias, outputs, reader)
            return (.depthwise(FloatWeights(inputs: taps, outputs: outputs, values: values, bias: bias), sliding), curve)
        case .lstm(let parameters): return (.lstm(try lstm(parameters, input.channels, output.channels, reader)), nil)
        case .averagePool(let sliding, let curve): return (.averagePool(sliding), curve)
        case .maxPool(let sliding, let curve): return (.maxPool(sliding), curve)
        case .curve(let curve): return (.curve(curve), nil)
        case .softmax, .logSoftmax, .reshape, .quantize, .dequantize, .gather, .arithmetic, .reduction, .prelu, .concatenation,
            .matrixProduct, .loop:
            throw reader.refused("it is out of place")
        }
    }

    func floats(_ index: Int, _ count: Int, _ reader: TFLiteOperationReader) throws(Fault) -> [Float] {
        let tensor = file.tensors[constants[index] ?? index], values = try file.floats(tensor)
        guard values.count == count else { throw reader.refused("tensor \(tensor.name) has \(values.count) numbers, not \(count)") }
        guard values.allSatisfy(\.isFinite) else { throw reader.refused("tensor \(tensor.name) has a number that is not finite") }
        return values
    }

    private func bias(_ index: Int?, _ count: Int, _ reader: TFLiteOperationReader) throws(Fault) -> [Float]? {
        guard let index else { return nil }
        return try floats(index, count, reader)
    }

    // - Parameter channels: of a convolution's input; its weights may be of groups of them.
    func weights(
        _ parameters: TFLiteOperation.Parameters, _ reader: TFLiteOperationReader, channels: Int? = nil
    ) throws(Fault) -> FloatWeights {
        let tensor = file.tensors[constants[parameters.weights] ?? parameters.weights], outputs = tensor.shape.first ?? 1
        var values = try floats(parameters.weights, tensor.count, reader)
        if let channels { values = try reader.ungrouped(values, tensor.shape, channels: channels) }
        return FloatWeights(
            inputs: values.count / max(outputs, 1), outputs: outputs, values: values, bias: try bias(parameters.bias, outputs, reader))
    }

    private func lstm(
        _ parameters: TFLiteOperation.LSTMParameters, _ inputs: Int, _ units: Int, _ reader: TFLiteOperationReader
    ) throws(Fault) -> FloatLSTM {
        var weights = FloatWeights(inputs: inputs, outputs: 4 * units, values: [], bias: [])
        var recurrent = FloatWeights(inputs: units, outputs: 4 * units, values: [])
        for gate in 0..<4 {
            weights.values += try floats(parameters.weights[gate], inputs * units, reader)
            weights.bias += try floats(parameters.bias[gate], units, reader)
            recurrent.values += try floats(parameters.recurrent[gate], units * units, reader)
        }
        return FloatLSTM(weights: weights, recurrent: recurrent, cellClip: parameters.clip)
    }
}
