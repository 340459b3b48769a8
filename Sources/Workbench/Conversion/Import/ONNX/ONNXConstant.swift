internal import Support

/// A tensor whose numbers the file has.
struct ONNXConstant {
    enum Numbers {
        case floats([Float])
        case integers([Int64])

        var count: Int {
            switch self {
            case .floats(let values): values.count
            case .integers(let values): values.count
            }
        }
    }

    var shape: [Int]
    var numbers: Numbers
    /// Whether the file has them as int8: 127 is then the most, else 255.
    var isSigned = false

    init(_ numbers: Numbers, shape: [Int]) { (self.numbers, self.shape) = (numbers, shape) }

    /// ONNX's names of types.
    private static let types: [UInt64: String] = [
        1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16",
        11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8e4m3fn",
        18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0",
    ]

    static func typeName(_ number: UInt64) -> String { types[number] ?? "\(number)" }

    /// All that fits into memory with room to spare.
    static let most = 1 << 26

    /// - Parameter asFloats: what lies there as bytes becomes floats at once, which takes half of the memory.
    /// - Throws: `.badData` naming the tensor.
    init(_ tensor: WireMessage, file: ONNXFile, name: String, asFloats: Bool = false) throws(Fault) {
        shape = try tensor.integers(1).map { Int(clamping: $0) }
        guard let count = Self.count(shape) else { throw file.bad("tensor \(name) has the shape \(shape)") }
        let bytes = try Self.data(tensor, file, name), kind = tensor.integer(2)
        func little<Number: FixedWidthInteger, Result>(_ type: Number.Type, _ result: (Number) -> Result) -> [Result] {
            let size = Number.bitWidth / 8, start = bytes.startIndex
            return (0..<bytes.count / size).map { index in
                result(
                    bytes[start + index * size..<start + (index + 1) * size].reversed().reduce(0) {
                        (size > 1 ? $0 << 8 : 0) | Number(truncatingIfNeeded: $1)
                    })
            }
        }
        // Integers that lie in the bytes, or else in a field of the message.
        func whole<Number: FixedWidthInteger>(_ type: Number.Type, _ field: Int = 5) throws(Fault) -> Numbers {
            if bytes.isEmpty { return .integers(try tensor.integers(field)) }
            return asFloats ? .floats(little(type, { Float($0) })) : .integers(little(type, { Int64($0) }))
        }
        isSigned = kind == 3
        switch kind {
        case 1: numbers = .floats(bytes.isEmpty ? tensor.floats(4) : little(UInt32.self, Float.init(bitPattern:)))
        case 11:
            guard !bytes.isEmpty || count == 0 else { throw file.bad("tensor \(name) holds doubles that are not packed") }
            numbers = .floats(little(UInt64.self) { Float(Double(bitPattern: $0)) })
        case 10:
            let halves = bytes.isEmpty ? try tensor.integers(5).map { UInt16(truncatingIfNeeded: $0) } : little(UInt16.self, { $0 })
            numbers = .floats(halves.map(Float.init(half:)))
        case 16: numbers = .floats(little(UInt16.self) { Float(bitPattern: UInt32($0) << 16) })
        case 7: numbers = try whole(Int64.self, 7)
        case 6: numbers = try whole(Int32.self)
        case 3: numbers = try whole(Int8.self)
        case 2, 9: numbers = try whole(UInt8.self)
        default:
            throw file.bad(
                "tensor \(name) holds numbers of type \(Self.typeName(kind)), which cannot be read",
                remedy: Self.types[kind]?.contains("int") == true
                    ? "Quantise it to 8 bits (QInt8), or leave it in float." : "Export its weights as float or half-float numbers.")
        }
        guard numbers.count == count else { throw file.bad("tensor \(name) holds \(numbers.count) numbers, not \(count)") }
    }

    /// The elements of a shape, nil where there would be too many.
    static func count(_ shape: [Int]) -> Int? {
        var count = 1
        for extent in shape {
            // Beside an extent of zero others are bounded as well: strides are products of them.
            let (product, overflows) = count.multipliedReportingOverflow(by: max(extent, 1))
            guard extent >= 0, !overflows, product <= most else { return nil }
            count = product
        }
        return shape.contains(0) ? 0 : count
    }

    /// In which file a tensor lies (location), from where on (offset) and how many bytes (length); nil: in the message.
    static func place(of tensor: WireMessage) throws(Fault) -> [String: String]? {
        guard tensor.integer(14) == 1 else { return nil }
        var place: [String: String] = [:]
        for entry in try tensor.messages(13) { place[entry.texts(1).last ?? ""] = entry.texts(2).last ?? "" }
        return place
    }

    // In the message, or in a file beside the model.
    private static func data(_ tensor: WireMessage, _ file: ONNXFile, _ name: String) throws(Fault) -> ArraySlice<UInt8> {
        guard let place = try place(of: tensor) else { return tensor.bytes(9) }
        guard let location = place["location"], !location.isEmpty, !location.contains("/"), location != ".." else {
            throw file.bad("tensor \(name) lies in a file \"\(place["location"] ?? "")\", which is not beside the model")
        }
        let path = file.beside(location)
        guard Files.isFile(path) else {
            throw Fault(.noInput, "\(path), which holds tensor \(name), is no file", remedy: "Put it beside the model.")
        }
        let bytes = try Files.read(path, limit: most * 4)
        let offset = Int(place["offset"] ?? "0") ?? -1, length = place["length"].map { Int($0) ?? -1 } ?? bytes.count - max(offset, 0)
        guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else {
            throw file.bad("tensor \(name) lies beyond the end of \(path)", remedy: "Are both files whole? Export them again.")
        }
        return bytes[offset..<offset + length]
    }

    var floats: [Float] {
        switch numbers {
        case .floats(let values): values
        case .integers(let values): values.map { Float($0) }
        }
    }

    var integers: [Int] {
        switch numbers {
        case .floats(let values): values.map { Int(exactly: $0.rounded(.towardZero)) ?? 0 }
        case .integers(let values): values.map { Int(clamping: $0) }
        }
    }

    /// As numbers of another type of ONNX's.
    func cast(to type: Int) -> ONNXConstant {
        switch type {
        case 1, 10, 11, 16: ONNXConstant(.floats(floats), shape: shape)
        case 9: ONNXConstant(.integers(floats.map { $0 != 0 ? 1 : 0 }), shape: shape)
        default:
            switch numbers {
            case .integers: self
            case .floats: ONNXConstant(.integers(integers.map { Int64($0) }), shape: shape)
            }
        }
    }

    /// The one number, where it has just one.
    var scalar: Double? { numbers.count == 1 ? Double(floats[0]) : nil }
}

extension ONNXFile {
    /// What a Constant holds; nil where that is neither numbers nor a tensor.
    func literal(_ node: Node) throws(Fault) -> ONNXConstant? {
        if let tensor = try node.tensor("value") { return try constant(tensor, node.outputs.first ?? "") }
        if node.has("value_float") { return ONNXConstant(.floats([Float(node.float("value_float"))]), shape: []) }
        if node.has("value_int") { return ONNXConstant(.integers([Int64(node.integer("value_int"))]), shape: []) }
        if node.has("value_floats") {
            let numbers = node.floats("value_floats")
            return ONNXConstant(.floats(numbers), shape: [numbers.count])
        }
        return try node.integers("value_ints").map { ONNXConstant(.integers($0.map(Int64.init)), shape: [$0.count]) }
    }
}
