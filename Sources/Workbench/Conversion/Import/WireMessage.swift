internal import Support

/// A protocol-buffer message, read where it lies: its fields by number. Every length is checked against the message's end.
///
/// A library would do, but swift-protobuf pulls full Foundation into a board's binary (60 MB instead of 15, arm64, Swift 6.2.3).
/// Source: the protocol buffers' wire format; groups, which no one writes any more, are refused.
struct WireMessage {
    enum Value {
        case integer(UInt64)
        case word(UInt32)
        /// Where the bytes lie in the file.
        case bytes(Range<Int>)
    }

    /// Fields of one kind that are messages of their own, or empty: each takes many times its bytes of memory.
    private static let most = 1 << 16

    private let file: [UInt8]
    /// What a fault names.
    private let path: String
    private var fields: [Int: [Value]] = [:]

    /// - Throws: `.badData` naming the byte.
    init(_ file: [UInt8], path: String) throws(Fault) { try self.init(file, 0..<file.count, path) }

    private init(_ file: [UInt8], _ range: Range<Int>, _ path: String) throws(Fault) {
        self.file = file
        self.path = path
        var at = range.lowerBound, empty = 0
        while at < range.upperBound {
            let start = at, key = try Self.varint(file, &at, range.upperBound, path)
            func room(_ count: UInt64) throws(Fault) -> Range<Int> {
                guard count <= UInt64(range.upperBound - at) else {
                    throw Self.bad(path, "the field at byte \(start) claims \(count) bytes, more than there are")
                }
                defer { at += Int(count) }
                return at..<at + Int(count)
            }
            let value: Value
            switch key & 7 {
            case 0: value = .integer(try Self.varint(file, &at, range.upperBound, path))
            case 1: value = .bytes(try room(8))
            case 2: value = .bytes(try room(try Self.varint(file, &at, range.upperBound, path)))
            case 5: value = .word(Self.word(file, try room(4).lowerBound))
            default: throw Self.bad(path, "the field at byte \(start) has no known form")
            }
            if case .bytes(let range) = value, range.isEmpty { empty += 1 }
            guard empty <= Self.most else { throw Self.bad(path, "it has more than \(Self.most) empty fields before byte \(at)") }
            guard key >> 3 > 0, key >> 3 < 1 << 29 else { throw Self.bad(path, "the field at byte \(start) has the number \(key >> 3)") }
            fields[Int(key >> 3), default: []].append(value)
        }
    }

    private static func bad(_ path: String, _ what: String) -> Fault {
        Fault(
            .badData, "\(path) is no network's file: \(what)",
            remedy: "Is the file whole? Download or convert it again. A .mlpackage has its model inside, under Data.")
    }

    private static func varint(_ file: [UInt8], _ at: inout Int, _ end: Int, _ path: String) throws(Fault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard at < end else { throw bad(path, "it is cut off at byte \(at)") }
            let byte = file[at]
            at += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw bad(path, "the number before byte \(at) has no end")
    }

    private static func word(_ file: [UInt8], _ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(file[at + $1]) << UInt32(8 * $1) } }

    func has(_ field: Int) -> Bool { fields[field] != nil }

    /// The last of a field's values, as the format has it; 0 when there is none.
    func integer(_ field: Int) -> UInt64 { if case .integer(let value)? = fields[field]?.last { value } else { 0 } }

    /// The same as a signed number.
    func signed(_ field: Int) -> Int64 { Int64(bitPattern: integer(field)) }

    func flag(_ field: Int) -> Bool { integer(field) != 0 }

    func float(_ field: Int) -> Float { if case .word(let word)? = fields[field]?.last { Float(bitPattern: word) } else { 0 } }

    private func pieces(_ field: Int) -> [Range<Int>] {
        (fields[field] ?? []).compactMap { if case .bytes(let range) = $0 { range } else { nil } }
    }

    func texts(_ field: Int) -> [String] { pieces(field).map { String(decoding: file[$0], as: UTF8.self) } }

    func messages(_ field: Int) throws(Fault) -> [WireMessage] {
        let pieces = pieces(field)
        guard pieces.count <= Self.most else {
            throw Self.bad(path, "its field \(field) is there \(pieces.count) times; up to \(Self.most) are read")
        }
        var messages: [WireMessage] = []
        for range in pieces { messages.append(try WireMessage(file, range, path)) }
        return messages
    }

    /// An empty message when the field is absent.
    func message(_ field: Int) throws(Fault) -> WireMessage {
        let range = pieces(field).last ?? 0..<0
        return try WireMessage(file, range, path)
    }

    func bytes(_ field: Int) -> ArraySlice<UInt8> { pieces(field).last.map { file[$0] } ?? [] }

    /// Numbers packed together or one by one.
    func floats(_ field: Int) -> [Float] {
        (fields[field] ?? []).flatMap { value -> [Float] in
            switch value {
            case .word(let word): [Float(bitPattern: word)]
            case .bytes(let range):
                stride(from: range.lowerBound, to: range.upperBound - 3, by: 4).map { Float(bitPattern: Self.word(file, $0)) }
            case .integer: []
            }
        }
    }

    func integers(_ field: Int) throws(Fault) -> [Int64] {
        var numbers: [Int64] = []
        for value in fields[field] ?? [] {
            switch value {
            case .integer(let number): numbers.append(Int64(bitPattern: number))
            case .bytes(let range):
                var at = range.lowerBound
                while at < range.upperBound { numbers.append(Int64(bitPattern: try Self.varint(file, &at, range.upperBound, path))) }
            case .word: break
            }
        }
        return numbers
    }
}
