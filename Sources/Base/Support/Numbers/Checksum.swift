/// CRC-32 (IEEE 802.3, reflected, as zlib's): finds every single flipped bit and every burst up to 32 bits.
///
/// It guards against accidents. Who made a model is a signature's business.
package enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }

    package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        // A generic sequence costs a thousand instructions a byte where this is not specialised: every start reads a model.
        if let crc = bytes.withContiguousStorageIfAvailable({ unsafe crc32($0.span) }) { return crc }
        return crc32(Array(bytes).span)
    }

    private static func crc32(_ bytes: Span<UInt8>) -> UInt32 {
        let table = table
        var crc = ~UInt32(0)
        for index in bytes.indices { crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])] }
        return ~crc
    }

    /// Eight hexadecimal digits.
    package static func text(_ crc: UInt32) -> String {
        let digits = String(crc, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
