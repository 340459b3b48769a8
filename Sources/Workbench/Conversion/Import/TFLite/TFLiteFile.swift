internal import NeuralNetwork
internal import Support

/// What Gaitway needs of a .tflite file: the tensors and operators of its first graph, or of a loop's.
///
/// Source: TensorFlow Lite's schema, version 3; the numbers are its fields.
struct TFLiteFile {
    enum Kind: Int {
        case float32 = 0, float16 = 1, int32 = 2, uint8 = 3, int64 = 4, int16 = 7, int8 = 9
    }

    struct Tensor {
        var name: String
        var shape: [Int]
        /// nil: a type that nothing here reads.
        var kind: Kind?
        /// Where its constant lies in the file; empty for what is computed.
        var data: Range<Int>
        var scales: [Double]
        var zeroPoints: [Int]
        /// Along which the scales run.
        var axis: Int

        var count: Int { shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue } }
        /// Height, width, channels: the batch of one goes, time runs along the width where there is no height.
        var extents: FloatShape {
            let channels = shape.last ?? 1
            guard shape.count >= 4 else { return FloatShape(width: count / max(channels, 1), channels: channels) }
            let width = shape[shape.count - 2]
            return FloatShape(height: count / max(channels * width, 1), width: width, channels: channels)
        }
        /// The one scale and zero point of a computed tensor.
        var quantisation: Quantisation? {
            let zeroPoint = zeroPoints.first ?? 0
            guard scales.count == 1, zeroPoints.count <= 1, scales[0] > 0, scales[0].isFinite, IntegerType.int16.range.contains(zeroPoint)
            else { return nil }
            return Quantisation(scale: scales[0], zeroPoint: zeroPoint)
        }
    }

    struct Operator {
        var code: Int
        /// Indices of tensors; -1: an input that is left out.
        var inputs: [Int]
        var outputs: [Int]
        var options: FlatBuffer.Table?
        /// Tensors that say how an LSTM's inner numbers are quantised.
        var intermediates: [Int]

        var name: String { TFLiteFile.names[code] ?? "operator \(code)" }
    }

    let buffer: FlatBuffer
    var tensors: [Tensor] = []
    var operators: [Operator] = []
    /// Of tensors that are computed from shapes alone.
    var integersOfShapes: [Int: [Int]] = [:]
    private(set) var inputs: [Int] = []
    private(set) var outputs: [Int] = []

    static let names: [Int: String] = [
        0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE", 9: "FULLY_CONNECTED",
        14: "LOGISTIC", 16: "LSTM", 17: "MAX_POOL_2D", 18: "MUL", 19: "RELU", 20: "RELU_N1_TO_1", 21: "RELU6", 22: "RESHAPE", 24: "RNN",
        25: "SOFTMAX", 28: "TANH", 32: "CUSTOM", 34: "PAD", 35: "UNIDIRECTIONAL_SEQUENCE_RNN", 36: "GATHER", 37: "BATCH_TO_SPACE_ND",
        38: "SPACE_TO_BATCH_ND", 39: "TRANSPOSE", 40: "MEAN", 41: "SUB", 42: "DIV", 43: "SQUEEZE", 44: "UNIDIRECTIONAL_SEQUENCE_LSTM",
        45: "STRIDED_SLICE", 47: "EXP", 49: "SPLIT", 50: "LOG_SOFTMAX", 52: "BIDIRECTIONAL_SEQUENCE_LSTM", 53: "CAST", 54: "PRELU",
        55: "MAXIMUM", 57: "MINIMUM", 58: "LESS", 59: "NEG", 60: "PADV2", 61: "GREATER", 64: "SELECT", 65: "SLICE", 67: "TRANSPOSE_CONV",
        69: "TILE",
        70: "EXPAND_DIMS", 71: "EQUAL", 72: "NOT_EQUAL", 73: "LOG", 74: "SUM", 75: "SQRT", 76: "RSQRT", 77: "SHAPE", 78: "POW",
        81: "REDUCE_PROD", 82: "REDUCE_MAX", 83: "PACK", 86: "LOGICAL_AND", 88: "UNPACK", 89: "REDUCE_MIN", 91: "REDUCE_ANY", 92: "SQUARE",
        98: "LEAKY_RELU", 99: "SQUARED_DIFFERENCE", 100: "MIRROR_PAD", 101: "ABS", 102: "SPLIT_V", 105: "REVERSE_V2", 111: "ELU",
        114: "QUANTIZE", 117: "HARD_SWISH", 119: "WHILE", 123: "SELECT_V2", 126: "BATCH_MATMUL", 129: "CALL_ONCE", 130: "BROADCAST_TO",
        142: "VAR_HANDLE", 143: "READ_VARIABLE", 144: "ASSIGN_VARIABLE", 150: "GELU", 152: "RELU_0_TO_1",
    ]

    /// - Throws: `.badData` naming the byte.
    init(_ bytes: [UInt8], path: String) throws(Fault) { try self.init(FlatBuffer(bytes: bytes, path: path), graph: 0) }

    /// The condition or the body of a loop.
    func subgraph(_ number: Int) throws(Fault) -> TFLiteFile { try TFLiteFile(buffer, graph: number) }

    private init(_ buffer: FlatBuffer, graph number: Int) throws(Fault) {
        self.buffer = buffer
        let model = try buffer.root(identifier: "TFL3")
        guard try model.number(0, default: UInt32(0)) == 3 else { throw buffer.bad("its schema is not version 3") }
        let codes = try model.tables(1), graphs = try model.tables(2), buffers = try model.tables(4)
        guard graphs.indices.contains(number) else { throw buffer.bad("it has \(graphs.count) graphs, none with the number \(number)") }
        let graph = graphs[number]
        for table in try graph.tables(0) { tensors.append(try tensor(table, buffers)) }
        inputs = try graph.numbers(1, as: Int32.self).map(Int.init)
        outputs = try graph.numbers(2, as: Int32.self).map(Int.init)
        for table in try graph.tables(3) { operators.append(try operation(table, codes)) }
        for index in inputs + outputs + operators.flatMap({ $0.inputs + $0.outputs + $0.intermediates })
        where index != -1 && !tensors.indices.contains(index) {
            throw buffer.bad("it refers to tensor \(index) of \(tensors.count)")
        }
        try resolveShapes()
    }

    /// The tensors behind which nothing but operators of these kinds leads to the output. Operators read what stands before them: one that
    /// reads its own output leads nowhere.
    func endings(through kinds: Set<String>) -> Set<Int> {
        var endings = Set(outputs.prefix(1)), isRead = Set<Int>(), goesOn = Set<Int>()
        for operation in operators.reversed() {
            for index in operation.outputs where isRead.contains(index) && !goesOn.contains(index) { endings.insert(index) }
            let isOfThem = kinds.contains(operation.name) && operation.outputs.first.map(endings.contains) ?? false
            for index in operation.inputs {
                isRead.insert(index)
                if !isOfThem { goesOn.insert(index) }
            }
        }
        return endings
    }

    /// - Throws: `.badData` for more layers than can be run.
    func requireLayers(_ count: Int) throws(Fault) {
        guard count <= NetworkFile.mostLayers else {
            throw Fault(
                .badData, "\(buffer.path): it becomes more than \(NetworkFile.mostLayers) layers",
                remedy: "Use a smaller network. Unrolled recurrent layers become so many: leave them loops, and convert in float.")
        }
    }

    /// A constant's elements, little-endian.
    func constant<Number: FixedWidthInteger>(_ tensor: Tensor, as type: Number.Type) throws(Fault) -> [Number] {
        let size = Number.bitWidth / 8
        guard tensor.data.count == tensor.count * size else {
            throw buffer.bad("tensor \(tensor.name) holds \(tensor.data.count) bytes, not \(tensor.count) x \(size)")
        }
        var numbers: [Number] = []
        numbers.reserveCapacity(tensor.count)
        for place in stride(from: tensor.data.lowerBound, to: tensor.data.upperBound, by: size) {
            numbers.append(try buffer.number(at: place, as: type))
        }
        return numbers
    }

    /// A constant's numbers as floats: as they are, halves, or integers times their scale.
    func floats(_ tensor: Tensor) throws(Fault) -> [Float] {
        switch tensor.kind {
        case .float32: return try constant(tensor, as: UInt32.self).map(Float.init(bitPattern:))
        case .float16: return try constant(tensor, as: UInt16.self).map(Float.init(half:))
        case .int8:
            let numbers = try constant(tensor, as: Int8.self), rows = tensor.scales.count
            guard rows > 0, numbers.count % rows == 0, tensor.zeroPoints.allSatisfy({ $0 == 0 }) else { break }
            let axis = tensor.axis, inner = tensor.shape.dropFirst(axis + 1).reduce(1, *)
            guard rows == 1 || tensor.shape.indices.contains(axis) && tensor.shape[axis] == rows else { break }
            return numbers.enumerated().map { Float($0.element) * Float(tensor.scales[rows == 1 ? 0 : $0.offset / inner % rows]) }
        default: break
        }
        throw buffer.bad("tensor \(tensor.name) holds no numbers that can be read as floats")
    }

    /// Depthwise weights [height x width][channels] as [channels][height x width].
    static func channelsFirst<Number>(_ values: [Number], _ channels: Int) -> [Number] {
        (0..<channels).flatMap { channel in stride(from: channel, to: values.count, by: channels).map { values[$0] } }
    }

    /// The other way round.
    static func channelsLast<Number>(_ values: [Number], _ channels: Int) -> [Number] {
        let size = values.count / channels
        return (0..<size).flatMap { place in (0..<channels).map { values[$0 * size + place] } }
    }

    /// Whether a tensor of such a shape has fewer than 2^30 elements.
    static func isBounded(_ shape: [Int]) -> Bool { shape.reduce(1.0) { $0 * Double($1) } < 0x1p30 }

    private func tensor(_ table: FlatBuffer.Table, _ buffers: [FlatBuffer.Table]) throws(Fault) -> Tensor {
        let index = Int(clamping: try table.number(2, default: UInt32(0))), name = try table.text(3)
        guard buffers.indices.contains(index) else { throw buffer.bad("tensor \(name) lies in buffer \(index) of \(buffers.count)") }
        let shape = try table.numbers(0, as: Int32.self).map(Int.init)
        guard shape.allSatisfy({ $0 > 0 }) || shape == [0], Self.isBounded(shape) else {
            throw buffer.bad("tensor \(name) has the shape \(shape)")
        }
        let quantisation = try table.table(4)
        return Tensor(
            name: name, shape: shape, kind: Kind(rawValue: Int(try table.number(1, default: Int8(0)))),
            data: try buffers[index].vector(0, element: 1),
            scales: try quantisation?.numbers(2, as: UInt32.self).map { Double(Float(bitPattern: $0)) } ?? [],
            zeroPoints: try quantisation?.numbers(3, as: Int64.self).map { Int(clamping: $0) } ?? [],
            axis: Int(try quantisation?.number(6, default: Int32(0)) ?? 0))
    }

    private func operation(_ table: FlatBuffer.Table, _ codes: [FlatBuffer.Table]) throws(Fault) -> Operator {
        let index = Int(clamping: try table.number(0, default: UInt32(0)))
        guard codes.indices.contains(index) else { throw buffer.bad("an operator has code \(index) of \(codes.count)") }
        // Codes above 127 are in the newer field; the older one then says 127.
        let old = Int(try codes[index].number(0, default: Int8(0))), new = Int(try codes[index].number(3, default: Int32(0)))
        return Operator(
            code: max(old, new), inputs: try table.numbers(1, as: Int32.self).map(Int.init),
            outputs: try table.numbers(2, as: Int32.self).map(Int.init),
            options: try table.table(4), intermediates: try table.numbers(8, as: Int32.self).map(Int.init))
    }
}

extension Float {
    /// An IEEE 754 half, as bits: Float16 is not everywhere.
    init(half: UInt16) {
        let sign: Float = half & 0x8000 == 0 ? 1 : -1, exponent = Int(half >> 10 & 31), fraction = Float(half & 1023)
        switch exponent {
        case 0: self = sign * fraction * 0x1p-24
        case 31: self = fraction == 0 ? sign * .infinity : .nan
        default: self = sign * (1 + fraction * 0x1p-10) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
        }
    }
}
