internal import Cryptography
internal import FoundationEssentials

/// Tokens: 256 random bits for their holder, their SHA-256 for the file.
enum Secret {
    static func bytes(_ count: Int) -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &source) }
    }

    /// - Parameter kind: a prefix, so that people and secret scanners know it.
    static func token(_ kind: String) -> String { "\(kind)_\(Hexadecimal.text(bytes(32)))" }

    static func hash(_ token: String) -> [UInt8] { Hexadecimal.bytes(Digest.text(Array(token.utf8))) ?? [] }

    static func identifier() -> String { UUID().uuidString.lowercased() }
}
