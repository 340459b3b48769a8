/// 64-bit words, little-endian. A crowd's state goes to the file with every step: closures, for key paths cost a quarter of a check-in.
enum Words {
    static func append(_ words: [UInt64], to bytes: inout [UInt8]) {
        unsafe words.map { $0.littleEndian }.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    static func append(_ numbers: [Double], to bytes: inout [UInt8]) { append(numbers.map { $0.bitPattern }, to: &bytes) }

    static func at(_ index: Int, of bytes: [UInt8]) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << (8 * UInt64($1)) }
    }
}
