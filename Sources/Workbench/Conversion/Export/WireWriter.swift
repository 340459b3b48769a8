internal import Support

/// A protocol-buffer message in the making. ``WireMessage`` reads the format.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ field: Int, _ value: Int) {
        append(varint: UInt64(field) << 3)
        append(varint: UInt64(bitPattern: Int64(value)))
    }

    mutating func add(_ field: Int, _ value: Float) {
        append(varint: UInt64(field) << 3 | 5)
        bytes += value.bitPattern.littleEndianBytes
    }

    mutating func add(_ field: Int, _ value: [UInt8]) {
        append(varint: UInt64(field) << 3 | 2)
        append(varint: UInt64(value.count))
        bytes += value
    }

    mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

    /// A message inside.
    mutating func addMessage(_ field: Int, _ fill: (inout WireWriter) -> Void) {
        var message = WireWriter()
        fill(&message)
        add(field, message.bytes)
    }
}
