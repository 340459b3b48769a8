internal import Crypto

/// SHA-256 of bytes that come in pieces.
package struct Digest: Sendable {
    private var hash = SHA256()

    package init() {}

    package mutating func update(_ bytes: ArraySlice<UInt8>) { unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) } }

    /// 64 hexadecimal digits.
    package var text: String { Hexadecimal.text(hash.finalize()) }

    /// The first 32 bits as a number, the highest first.
    package static func first32(_ bytes: [UInt8]) -> UInt32 {
        var digest = Digest()
        digest.update(bytes[...])
        return digest.hash.finalize().prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        var digest = Digest()
        digest.update(bytes[...])
        return digest.text
    }
}
