internal import NeuralNetwork
internal import Support

/// What an operator of a .tflite file does, its options read and checked; the numbers are still the file's tensors.
enum TFLiteOperation {
    /// Indices of tensors; the bias may be absent.
    struct Parameters {
        var weights: Int
        var bias: Int?
    }

    /// Gates in the order input, forget, modulation, output.
    struct LSTMParameters {
        var weights: [Int]
        var recurrent: [Int]
        var bias: [Int]
        var hidden: Int
        var cell: Int
        var clip: Double
    }

    case dense(Parameters, Activation?)
    case convolution(Parameters, KernelShape, Activation?)
    case depthwise(Parameters, KernelShape, Activation?)
    case lstm(LSTMParameters)
    case averagePool(KernelShape, Activation?)
    case maxPool(KernelShape, Activation?)
    case mean
    case add(Activation?)
    case concatenation(axis: Int)
    case slice(first: Int)
    case curve(Activation)
    case softmax
    case reshape
    case quantize
    case dequantize
}

/// The operators that can be run, as LiteRT names them.
enum TFLiteOperator: String, CaseIterable {
    case add = "ADD"
    case averagePool2d = "AVERAGE_POOL_2D"
    case concatenation = "CONCATENATION"
    case conv2d = "CONV_2D"
    case depthwiseConv2d = "DEPTHWISE_CONV_2D"
    case dequantize = "DEQUANTIZE"
    case expandDims = "EXPAND_DIMS"
    case fullyConnected = "FULLY_CONNECTED"
    case logistic = "LOGISTIC"
    case maxPool2d = "MAX_POOL_2D"
    case mean = "MEAN"
    case quantize = "QUANTIZE"
    case relu = "RELU"
    case relu6 = "RELU6"
    case reshape = "RESHAPE"
    case softmax = "SOFTMAX"
    case squeeze = "SQUEEZE"
    case stridedSlice = "STRIDED_SLICE"
    case tanh = "TANH"
    case unidirectionalSequenceLstm = "UNIDIRECTIONAL_SEQUENCE_LSTM"
}

/// Reads operators; every refusal names the operator and its index.
struct TFLiteOperationReader {
    let file: TFLiteFile
    let index: Int
    let operation: TFLiteFile.Operator

    func refused(_ why: String) -> Fault { file.buffer.bad("operator \(index), \(operation.name), cannot be run: \(why)") }

    /// The tensors that it reads while running, its constants aside.
    var sources: [Int] {
        operation.name == "ADD" || operation.name == "CONCATENATION" ? operation.inputs : Array(operation.inputs.prefix(1))
    }

    func read() throws(Fault) -> TFLiteOperation {
        guard let kind = TFLiteOperator(rawValue: operation.name) else {
            throw refused("supported are \(TFLiteOperator.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let first = operation.inputs.first, first >= 0, operation.outputs.count == 1, operation.outputs[0] >= 0 else {
            throw refused("it has no input, or not one output")
        }
        // So that the bytes of the file bound every count.
        if let empty = (operation.inputs + operation.outputs).first(where: { $0 >= 0 && file.tensors[$0].count == 0 }) {
            throw refused("its tensor \(file.tensors[empty].name) has the shape \(file.tensors[empty].shape)")
        }
        switch kind {
        case .fullyConnected: return .dense(try parameters(), try activation(field: 0))
        case .conv2d: return .convolution(try parameters(), try window(ofWeights: true, dilation: 4), try activation(field: 3))
        case .depthwiseConv2d: return .depthwise(try parameters(), try window(ofWeights: true, dilation: 5), try activation(field: 4))
        case .averagePool2d: return .averagePool(try window(ofWeights: false, dilation: nil), try activation(field: 5))
        case .maxPool2d: return .maxPool(try window(ofWeights: false, dilation: nil), try activation(field: 5))
        case .mean:
            try requireMeanOverPositions()
            return .mean
        case .add:
            guard operation.inputs.count == 2, operation.inputs.allSatisfy({ $0 >= 0 }) else { throw refused("it has not two inputs") }
            return .add(try activation(field: 0))
        case .concatenation: return .concatenation(axis: try concatenationAxis())
        case .stridedSlice: return .slice(first: try firstOfSlice())
        case .relu: return .curve(.relu)
        case .relu6: return .curve(.relu6)
        case .logistic: return .curve(.sigmoid)
        case .tanh: return .curve(.tanh)
        case .softmax:
            guard try operation.options?.float(0, default: 0) == 1 else { throw refused("its beta is not 1") }
            return .softmax
        case .quantize: return .quantize
        case .dequantize: return .dequantize
        case .unidirectionalSequenceLstm: return .lstm(try lstm())
        case .reshape, .squeeze, .expandDims: return .reshape
        }
    }

    private func parameters() throws(Fault) -> TFLiteOperation.Parameters {
        guard operation.inputs.count >= 2, operation.inputs[1] >= 0 else { throw refused("it has no weights") }
        let bias = operation.inputs.count > 2 && operation.inputs[2] >= 0 ? operation.inputs[2] : nil
        return .init(weights: operation.inputs[1], bias: bias)
    }

    private func activation(field: Int) throws(Fault) -> Activation? {
        switch try operation.options?.number(field, default: Int8(0)) ?? 0 {
        case 0: return nil
        case 1: return .relu
        case 3: return .relu6
        case let code: throw refused("its fused activation \(code) is not ReLU or ReLU6")
        }
    }

    // Options: 0 padding (SAME, VALID), 1 stride width, 2 stride height, for pools 3 and 4 the window's width and height.
    private func window(ofWeights: Bool, dilation: Int?) throws(Fault) -> KernelShape {
        func option(_ field: Int?, default fallback: Int32) throws(Fault) -> Int {
            guard let field else { return Int(fallback) }
            let value = try operation.options?.number(field, default: fallback) ?? fallback
            guard (1...4096).contains(value) else { throw refused("its option \(field) is \(value)") }
            return Int(value)
        }
        let from = file.tensors[operation.inputs[0]].extents, to = file.tensors[operation.outputs[0]].extents
        var sliding: KernelShape
        if ofWeights {
            let shape = file.tensors[operation.inputs[1]].shape
            guard shape.count == 4 else { throw refused("its weights have the shape \(shape)") }
            sliding = KernelShape(height: shape[1], width: shape[2])
        } else {
            sliding = KernelShape(height: try option(4, default: 0), width: try option(3, default: 0))
        }
        (sliding.strideWidth, sliding.strideHeight) = (try option(1, default: 0), try option(2, default: 0))
        (sliding.dilationWidth, sliding.dilationHeight) = (
            try option(dilation, default: 1), try option(dilation.map { $0 + 1 }, default: 1)
        )
        if try operation.options?.number(0, default: Int8(0)) ?? 0 == 0 { // SAME
            func before(_ output: Int, _ stride: Int, _ size: Int, _ dilation: Int, _ input: Int) -> Int {
                max(0, (output - 1) * stride + (size - 1) * dilation + 1 - input) / 2
            }
            sliding.top = before(to.height, sliding.strideHeight, sliding.height, sliding.dilationHeight, from.height)
            sliding.left = before(to.width, sliding.strideWidth, sliding.width, sliding.dilationWidth, from.width)
        }
        return sliding
    }

    private func integers(_ position: Int) throws(Fault) -> [Int] {
        guard operation.inputs.indices.contains(position), operation.inputs[position] >= 0 else {
            throw refused("its input \(position) is missing")
        }
        let tensor = file.tensors[operation.inputs[position]]
        guard tensor.kind == .int32, !tensor.data.isEmpty else { throw refused("its input \(position) is no constant of int32") }
        return try file.constant(tensor, as: Int32.self).map(Int.init)
    }

    private func requireMeanOverPositions() throws(Fault) {
        let rank = file.tensors[operation.inputs[0]].shape.count, axes = Set(try integers(1).map { $0 < 0 ? $0 + rank : $0 })
        guard axes.union([0]) == Set(0..<max(rank - 1, 1)), file.tensors[operation.inputs[0]].shape.first == 1 else {
            throw refused("it runs along axes \(axes.sorted()), not along all but the channels")
        }
    }

    private func concatenationAxis() throws(Fault) -> Int {
        let rank = file.tensors[operation.inputs[0]].shape.count, written = Int(try operation.options?.number(0, default: Int32(0)) ?? 0)
        let fromEnd = rank - 1 - (written < 0 ? written + rank : written)
        guard (0...2).contains(fromEnd), fromEnd < rank - 1 || rank == 1, operation.inputs.allSatisfy({ $0 >= 0 }),
            operation.inputs.count <= 4
        else {
            throw refused(
                "it joins \(operation.inputs.count) tensors along axis \(written); up to 4 along height, width or channels can be")
        }
        guard try activation(field: 1) == nil else { throw refused("it has a fused activation") }
        return 2 - fromEnd
    }

    // One axis is cut; those before it have one element, those behind it are whole.
    private func firstOfSlice() throws(Fault) -> Int {
        let shape = file.tensors[operation.inputs[0]].shape, begin = try integers(1), end = try integers(2), strides = try integers(3)
        func mask(_ field: Int) throws(Fault) -> Int { Int(try operation.options?.number(field, default: Int32(0)) ?? 0) }
        let beginMask = try mask(0), endMask = try mask(1), shrink = try mask(4)
        guard try mask(2) == 0, try mask(3) == 0, begin.count == shape.count, end.count == shape.count, strides.allSatisfy({ $0 == 1 })
        else {
            throw refused("only whole steps of 1 along every axis can be cut")
        }
        var first = 0, isCut = false
        for (axis, extent) in shape.enumerated() {
            let inner = shape[(axis + 1)...].reduce(1, *)
            func place(_ value: Int) -> Int { min(max(value < 0 ? value + extent : value, 0), extent) }
            let from = beginMask >> axis & 1 == 1 ? 0 : place(begin[axis])
            let to = shrink >> axis & 1 == 1 ? from + 1 : endMask >> axis & 1 == 1 ? extent : place(end[axis])
            guard from < to, to <= extent else { throw refused("it cuts \(from) ..< \(to) out of \(extent)") }
            guard to - from < extent else { continue }
            guard !isCut, shape[..<axis].allSatisfy({ $0 == 1 }), axis < shape.count - 1 else {
                throw refused("it cuts along more than one axis, or along the channels")
            }
            isCut = true
            first = from * inner / (shape.last ?? 1)
        }
        return first
    }

    // Inputs: 0 input, 1-4 and 5-8 weights, 9-11 peepholes, 12-15 biases, 16-17 projection, 18 hidden, 19 cell, 20-23 layer norms;
    // gates always in the order input, forget, modulation, output.
    private func lstm() throws(Fault) -> TFLiteOperation.LSTMParameters {
        let inputs = operation.inputs
        guard inputs.count >= 20 else { throw refused("it has \(inputs.count) inputs; an LSTM has 20 or 24") }
        guard inputs[1...8].allSatisfy({ $0 >= 0 }), inputs[12...15].allSatisfy({ $0 >= 0 }), inputs[18] >= 0, inputs[19] >= 0 else {
            throw refused("a gate's weights or bias are missing")
        }
        guard inputs[9...11].allSatisfy({ $0 < 0 }), inputs[16] < 0, inputs[17] < 0, inputs[20...].allSatisfy({ $0 < 0 }) else {
            throw refused("peepholes, projections and layer norms are not supported")
        }
        guard try operation.options?.number(0, default: Int8(0)) == 4 else { throw refused("its activation is not tanh") }
        let clip = Double(try operation.options?.float(1, default: 0) ?? 0)
        guard clip >= 0, clip.isFinite, try operation.options?.float(2, default: 0) ?? 0 >= 0 else {
            throw refused("its cell is clipped at \(clip)")
        }
        return .init(
            weights: Array(inputs[1...4]), recurrent: Array(inputs[5...8]), bias: Array(inputs[12...15]), hidden: inputs[18],
            cell: inputs[19], clip: clip)
    }
}
