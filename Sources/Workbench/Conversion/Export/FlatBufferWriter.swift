internal import Support

/// A FlatBuffers file, written from its root on: what a table refers to lies behind it. ``FlatBuffer`` reads the format.
struct FlatBufferWriter {
    indirect enum Value {
        /// Little-endian, aligned to their number.
        case scalar([UInt8])
        case text(String)
        /// A vector's elements one after the other.
        case vector(count: Int, element: Int, bytes: [UInt8])
        case tables([[Int: Value]])
        case table([Int: Value])

        static func number<Number: FixedWidthInteger>(_ number: Number) -> Value { .scalar(number.littleEndianBytes) }
        static func flag(_ value: Bool) -> Value { .scalar([value ? 1 : 0]) }
        static func float(_ value: Float) -> Value { .number(value.bitPattern) }
        static func numbers<Number: FixedWidthInteger>(_ numbers: [Number]) -> Value {
            .vector(count: numbers.count, element: Number.bitWidth / 8, bytes: numbers.flatMap(\.littleEndianBytes))
        }
    }

    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - root: the fields of the root table, by their number in the schema.
    ///   - identifier: four letters.
    static func file(_ root: [Int: Value], identifier: String) -> [UInt8] {
        var writer = FlatBufferWriter()
        writer.bytes = [0, 0, 0, 0] + Array(identifier.utf8)
        writer.patch(0, to: writer.write(root))
        return writer.bytes
    }

    private mutating func align(to size: Int, before: Int = 0) {
        while (bytes.count + before) % size != 0 { bytes.append(0) }
    }

    private mutating func patch(_ place: Int, to target: Int) {
        bytes.replaceSubrange(place..<place + 4, with: UInt32(target - place).littleEndianBytes)
    }

    // The list of fields, the table, then what it refers to.
    private mutating func write(_ fields: [Int: Value]) -> Int {
        let count = (fields.keys.max() ?? -1) + 1
        var places = [Int](repeating: 0, count: count), size = 4
        func width(_ value: Value) -> Int { if case .scalar(let bytes) = value { bytes.count } else { 4 } }
        // The widest first, so that nothing lies between.
        let order = fields.sorted { (width($0.value), $1.key) > (width($1.value), $0.key) }
        let widest = order.first.map { width($0.value) } ?? 4
        for (field, value) in order {
            size += (width(value) - size % width(value)) % width(value)
            places[field] = size
            size += width(value)
        }
        align(to: max(4, widest), before: 4 + 2 * count)
        let list = bytes.count
        bytes += UInt16(4 + 2 * count).littleEndianBytes + UInt16(size).littleEndianBytes + places.flatMap { UInt16($0).littleEndianBytes }
        let table = bytes.count
        bytes += Int32(table - list).littleEndianBytes + [UInt8](repeating: 0, count: size - 4)
        for (field, value) in order {
            let place = table + places[field]
            if case .scalar(let scalar) = value {
                bytes.replaceSubrange(place..<place + scalar.count, with: scalar)
            } else {
                patch(place, to: write(value))
            }
        }
        return table
    }

    private mutating func write(_ value: Value) -> Int {
        switch value {
        case .scalar: return bytes.count
        case .table(let fields): return write(fields)
        case .text(let text):
            align(to: 4)
            defer { bytes += Array(text.utf8) + [0] }
            return length(text.utf8.count)
        case .vector(let count, let element, let contents):
            // Single bytes are weights, which readers use where they lie.
            align(to: element == 1 ? 16 : max(4, element), before: 4)
            defer { bytes += contents }
            return length(count)
        case .tables(let tables):
            align(to: 4)
            let start = length(tables.count)
            bytes += [UInt8](repeating: 0, count: 4 * tables.count)
            for (index, table) in tables.enumerated() { patch(start + 4 + 4 * index, to: write(table)) }
            return start
        }
    }

    private mutating func length(_ count: Int) -> Int {
        bytes += UInt32(count).littleEndianBytes
        return bytes.count - 4
    }
}
