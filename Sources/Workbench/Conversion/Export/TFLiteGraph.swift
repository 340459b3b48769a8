internal import NeuralNetwork
internal import Support

/// A .tflite file in the making: tensors and operators in the order in which they run. The numbers are those of TensorFlow Lite's schema,
/// version 3.
struct TFLiteGraph {
    typealias Value = FlatBufferWriter.Value

    /// Code in the schema, and the kind of its options.
    struct Operator {
        var code: Int
        /// The first version that has what is asked of it.
        var version: Int
        var optionsKind: UInt8 = 0
        var options: [Int: Value] = [:]
    }

    private struct Code: Hashable {
        var code: Int
        var version: Int
    }

    private var tensors: [[Int: Value]] = []
    private var operators: [[Int: Value]] = []
    // Buffer 0 is that of all that is computed.
    private var buffers: [[Int: Value]] = [[:]]
    private var codes: [Code] = []
    var inputs: [Int] = []
    var outputs: [Int] = []

    private mutating func append(
        _ name: String, _ shape: [Int], _ kind: TFLiteFile.Kind, data: [UInt8]? = nil, scales: [Double] = [], zeroPoint: Int = 0,
        axis: Int = 0,
        isState: Bool = false
    ) -> Int {
        var fields: [Int: Value] = [
            0: .numbers(shape.map { Int32($0) }), 1: .number(Int8(kind.rawValue)), 3: .text(name),
            2: .number(UInt32(data == nil ? 0 : buffers.count)),
        ]
        if let data { buffers.append([0: .vector(count: data.count, element: 1, bytes: data)]) }
        if !scales.isEmpty {
            fields[4] = .table([
                2: .numbers(scales.map { Float($0).bitPattern }), 3: .numbers(scales.map { _ in Int64(zeroPoint) }),
                6: .number(Int32(axis)),
            ])
        }
        if isState { fields[5] = .flag(true) }
        tensors.append(fields)
        return tensors.count - 1
    }

    /// Integers that are computed.
    mutating func integers(_ name: String, _ shape: [Int], like tensor: Tensor) -> Int {
        append(
            name, shape, tensor.type == .int8 ? .int8 : .int16, scales: [tensor.quantisation.scale],
            zeroPoint: tensor.quantisation.zeroPoint)
    }

    mutating func floats(_ name: String, _ shape: [Int]) -> Int { append(name, shape, .float32) }

    /// Floats that stay from one inference to the next.
    mutating func state(_ name: String, _ shape: [Int]) -> Int { append(name, shape, .float32, isState: true) }

    mutating func constant(floats values: [Float], _ shape: [Int], name: String) -> Int {
        append(name, shape, .float32, data: values.flatMap(\.bitPattern.littleEndianBytes))
    }

    mutating func constant(_ values: [Int32], _ shape: [Int]? = nil, name: String) -> Int {
        append(name, shape ?? [values.count], .int32, data: values.flatMap(\.littleEndianBytes))
    }

    /// Integers at a tensor's scale.
    mutating func constant(_ values: [Int16], _ shape: [Int], like tensor: Tensor, name: String) -> Int {
        let bytes = tensor.type == .int8 ? values.flatMap { Int8(clamping: $0).littleEndianBytes } : values.flatMap(\.littleEndianBytes)
        return append(
            name, shape, tensor.type == .int8 ? .int8 : .int16, data: bytes, scales: [tensor.quantisation.scale],
            zeroPoint: tensor.quantisation.zeroPoint)
    }

    /// Integers along one axis of which the scales run.
    mutating func weights<Number: FixedWidthInteger>(
        _ values: [Number], _ shape: [Int], _ kind: TFLiteFile.Kind, scales: [Double], axis: Int, name: String
    ) -> Int {
        append(name, shape, kind, data: values.flatMap(\.littleEndianBytes), scales: scales, axis: axis)
    }

    mutating func append(_ operation: Operator, _ inputs: [Int], _ outputs: [Int]) {
        let code = Code(code: operation.code, version: operation.version)
        let place = codes.firstIndex(of: code) ?? codes.count
        if place == codes.count { codes.append(code) }
        var fields: [Int: Value] = [
            0: .number(UInt32(place)), 1: .numbers(inputs.map { Int32($0) }), 2: .numbers(outputs.map { Int32($0) }),
        ]
        if operation.optionsKind > 0 { (fields[3], fields[4]) = (.number(operation.optionsKind), .table(operation.options)) }
        operators.append(fields)
    }

    /// The whole model.
    func model(metadata: [(String, String)]) -> [UInt8] {
        let graph: [Int: Value] = [
            0: .tables(tensors), 1: .numbers(inputs.map { Int32($0) }), 2: .numbers(outputs.map { Int32($0) }), 3: .tables(operators),
            4: .text("main"),
        ]
        let entries = metadata.enumerated().map { index, entry -> [Int: Value] in
            [0: .text(entry.0), 1: .number(UInt32(buffers.count + index))]
        }
        let texts = metadata.map { entry -> [Int: Value] in
            let bytes = Array(entry.1.utf8)
            return [0: .vector(count: bytes.count, element: 1, bytes: bytes)]
        }
        // Codes above 127 would need another field as well; none is here.
        let known = codes.map { code -> [Int: Value] in
            [0: .number(Int8(code.code)), 2: .number(Int32(code.version)), 3: .number(Int32(code.code))]
        }
        return FlatBufferWriter.file(
            [
                0: .number(UInt32(3)), 1: .tables(known), 2: .tables([graph]), 3: .text("gaitway"), 4: .tables(buffers + texts),
                6: .tables(entries),
            ], identifier: "TFL3")
    }
}
