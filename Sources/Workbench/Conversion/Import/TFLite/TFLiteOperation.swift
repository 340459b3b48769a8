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
    /// Over some axes: elements in the order of reduced by kept.
    case reduction(TFLiteReduction, order: [Int32], positions: Int)
    case arithmetic(TFLiteArithmetic, Activation?)
    /// x above zero, below it times what lies in that tensor.
    case prelu(slope: Int)
    /// Shapes: outer x extent along the axis x inner.
    case concatenation(outer: Int, inner: Int)
    /// Elements of the input, or -1 for zero; one list an output.
    case gather([[Int32]])
    /// Rows times columns; which sources have to be transposed first.
    case matrixProduct(turnsLeft: Bool, turnsRight: Bool)
    case curve(Activation)
    case softmax
    /// At the end alone.
    case logSoftmax
    case reshape
    case quantize
    case dequantize
    /// Numbers of its condition's and its body's graphs.
    case loop(condition: Int, body: Int)
}

enum TFLiteReduction { case mean, maximum, minimum, sum }

enum TFLiteArithmetic { case add, subtract, multiply, divide, maximum, minimum, squaredDifference }

/// Reads operators; every refusal names the operator and its index.
struct TFLiteOperationReader {
    let file: TFLiteFile
    let index: Int
    let operation: TFLiteFile.Operator
    /// Whether the index is one in a loop's body.
    var isInLoop = false

    func refused(_ why: String) -> Fault {
        Fault(
            .badData, "\(file.buffer.path): operator \(index)\(isInLoop ? " of a loop" : ""), \(operation.name), cannot be run: \(why)",
            remedy: "What can be run stands in the guide's page on models.")
    }

    /// The tensors that it reads while running, its weights and lists of integers aside.
    var sources: [Int] {
        switch TFLiteOperator(rawValue: operation.name) {
        case .add, .sub, .mul, .div, .maximum, .minimum, .squaredDifference, .batchMatmul, .concatenation, .pack, .whileLoop:
            operation.inputs
        case .split: Array(operation.inputs.dropFirst().prefix(1))
        default: Array(operation.inputs.prefix(1))
        }
    }

    /// Shapes of the first source and of an output.
    var shape: [Int] { file.tensors[sources.first ?? 0].shape }
    func outputShape(_ position: Int = 0) -> [Int] { file.tensors[operation.outputs[position]].shape }

    func read() throws(Fault) -> TFLiteOperation {
        guard let kind = TFLiteOperator(rawValue: operation.name) else {
            throw refused("supported are \(TFLiteOperator.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let first = sources.first, first >= 0, !operation.outputs.isEmpty, operation.outputs.allSatisfy({ $0 >= 0 }),
            operation.outputs.count == 1 || [.split, .splitV, .unpack, .whileLoop].contains(kind)
        else {
            throw refused("it has no input, or not one output")
        }
        guard sources.allSatisfy({ $0 >= 0 }), sources.count == 2 || !kind.isArithmetic else { throw refused("it has not two inputs") }
        // What is computed has to fit into the core's tensors; constants are bounded by the file's bytes.
        if let large = (sources + operation.outputs).first(where: { file.tensors[$0].count > Tensor.mostElements }) {
            let tensor = file.tensors[large]
            throw refused(
                "its tensor \(tensor.name) has the shape \(tensor.shape); \(Tensor.mostElements) numbers at most can be held")
        }
        if let empty = (operation.inputs + operation.outputs).first(where: { $0 >= 0 && file.tensors[$0].count == 0 }) {
            throw refused("its tensor \(file.tensors[empty].name) has the shape \(file.tensors[empty].shape)")
        }
        switch kind {
        case .fullyConnected: return .dense(try parameters(), try activation(field: 0))
        case .conv2d: return .convolution(try parameters(), try window(ofWeights: true, dilation: 4), try activation(field: 3))
        case .depthwiseConv2d: return .depthwise(try parameters(), try window(ofWeights: true, dilation: 5), try activation(field: 4))
        case .averagePool2d: return .averagePool(try window(ofWeights: false, dilation: nil), try activation(field: 5))
        case .maxPool2d: return .maxPool(try window(ofWeights: false, dilation: nil), try activation(field: 5))
        case .mean: return try reduction(.mean)
        case .reduceMax: return try reduction(.maximum)
        case .reduceMin: return try reduction(.minimum)
        case .sum: return try reduction(.sum)
        case .add: return .arithmetic(.add, try activation(field: 0))
        case .sub: return .arithmetic(.subtract, try activation(field: 0))
        case .mul: return .arithmetic(.multiply, try activation(field: 0))
        case .div: return .arithmetic(.divide, try activation(field: 0))
        case .maximum: return .arithmetic(.maximum, nil)
        case .minimum: return .arithmetic(.minimum, nil)
        case .squaredDifference: return .arithmetic(.squaredDifference, nil)
        case .batchMatmul:
            return .matrixProduct(
                turnsLeft: try operation.options?.number(0, default: Int8(0)) ?? 0 != 0,
                turnsRight: try operation.options?.number(1, default: Int8(0)) ?? 0 == 0)
        case .prelu:
            guard operation.inputs.count == 2, operation.inputs[1] >= 0 else { throw refused("it has no slope") }
            return .prelu(slope: operation.inputs[1])
        case .concatenation, .pack: return try concatenation(isNew: kind == .pack)
        case .stridedSlice, .slice, .split, .splitV, .unpack, .transpose, .pad, .padV2, .mirrorPad, .gather, .tile, .broadcastTo,
            .reverseV2, .spaceToBatchND, .batchToSpaceND:
            return .gather(try movement(kind))
        case .abs: return .curve(.expression(.function(.magnitude, .input)))
        case .neg: return .curve(.expression(.function(.negative, .input)))
        case .exp: return .curve(.expression(.function(.exp, .input)))
        case .log: return .curve(.expression(.function(.log, .input)))
        case .sqrt: return .curve(.expression(.function(.squareRoot, .input)))
        case .rsqrt: return .curve(.expression(.power(.input, exponent: -0.5)))
        case .square: return .curve(.expression(.power(.input, exponent: 2)))
        case .elu: return .curve(.elu(scale: 1))
        case .hardSwish: return .curve(.hardSwish)
        case .gelu: return .curve(.gelu(isExact: try operation.options?.number(0, default: Int8(0)) ?? 0 == 0))
        case .leakyRelu: return .curve(.leakyReLU(slope: Double(try operation.options?.float(0, default: 0) ?? 0)))
        case .relu: return .curve(.relu)
        case .relu6: return .curve(.relu6)
        case .logistic: return .curve(.sigmoid)
        case .tanh: return .curve(.tanh)
        // Which class has the largest is the same; a model of ours gives the probabilities themselves.
        case .logSoftmax:
            guard file.endings(through: ["RESHAPE", "DEQUANTIZE"]).contains(operation.outputs[0]) else {
                throw refused("it is not the last operator")
            }
            return .logSoftmax
        case .softmax:
            guard try operation.options?.float(0, default: 0) == 1 else { throw refused("its beta is not 1") }
            return .softmax
        case .quantize: return .quantize
        case .dequantize: return .dequantize
        case .unidirectionalSequenceLstm: return .lstm(try lstm())
        case .reshape, .squeeze, .expandDims: return .reshape
        case .whileLoop:
            let condition = try operation.options?.number(0, default: Int32(0)), body = try operation.options?.number(1, default: Int32(0))
            return .loop(condition: Int(condition ?? 0), body: Int(body ?? 0))
        }
    }

    private func parameters() throws(Fault) -> TFLiteOperation.Parameters {
        guard operation.inputs.count >= 2, operation.inputs[1] >= 0 else { throw refused("it has no weights") }
        let bias = operation.inputs.count > 2 && operation.inputs[2] >= 0 ? operation.inputs[2] : nil
        return .init(weights: operation.inputs[1], bias: bias)
    }

    /// A convolution's weights [outputs, height, width, channels of a group] for all channels; other groups' have no weight.
    func ungrouped<Value: SignedNumeric>(_ values: [Value], _ shape: [Int], channels: Int) throws(Fault) -> [Value] {
        guard shape.count == 4, let each = shape.last, each > 0, each != channels else { return values }
        let groups = channels / each, outputs = shape[0], taps = shape[1] * shape[2]
        guard each * groups == channels, outputs % groups == 0, values.count == outputs * taps * each,
            values.count <= 1 << 20 / groups
        else { throw refused("weights of shape \(shape) are of no groups of \(channels) channels, or become too many") }
        var all = [Value](repeating: 0, count: outputs * taps * channels)
        for output in 0..<outputs {
            let first = output / (outputs / groups) * each
            for tap in output * taps..<(output + 1) * taps {
                for channel in 0..<each { all[tap * channels + first + channel] = values[tap * each + channel] }
            }
        }
        return all
    }

    private func activation(field: Int) throws(Fault) -> Activation? {
        switch try operation.options?.number(field, default: Int8(0)) ?? 0 {
        case 0: return nil
        case 1: return .relu
        case 2: return .reluBetweenOnes
        case 3: return .relu6
        case let code: throw refused("its fused activation \(code) is no ReLU")
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
