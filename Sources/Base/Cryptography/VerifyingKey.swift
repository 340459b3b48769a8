internal import Crypto
package import Support

/// Whose signatures are believed: an ECDSA key on P-256, any of several, or so many of several.
package struct VerifyingKey: Sendable {
    private struct Quorum {
        var keys: [P256.Signing.PublicKey]
        /// How many of them must have signed.
        var threshold: Int
    }

    // One of them is enough.
    private let quorums: [Quorum]

    /// Signatures of one message that are looked at.
    private static let mostSignatures = 16

    private init(_ quorums: [Quorum]) { self.quorums = quorums }

    /// - Parameters:
    ///   - pem: "BEGIN PUBLIC KEY", as `openssl ec -pubout` writes it; once or several times.
    ///   - threshold: how many different ones of them must have signed.
    /// - Throws: `.badData` naming `path`.
    package init(pem: String, threshold: Int = 1, path: String) throws(Fault) {
        let blocks = PEM.blocks(in: pem, ending: "PUBLIC KEY"),
            keys = blocks.compactMap { try? P256.Signing.PublicKey(pemRepresentation: $0) }
        guard !keys.isEmpty, keys.count == blocks.count else {
            throw Fault(.badData, "\(path) is no public key on P-256", remedy: "Make one: openssl ec -in private.pem -pubout -out \(path)")
        }
        var different: [P256.Signing.PublicKey] = []
        for key in keys where !different.contains(where: { $0.rawRepresentation == key.rawRepresentation }) { different.append(key) }
        guard threshold >= 1, threshold <= different.count else {
            throw Fault(.badData, "\(path) wants \(threshold) signatures of \(different.count) different keys")
        }
        self.init([Quorum(keys: different, threshold: threshold)])
    }

    /// - Throws: also those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(pem: try PEM.text(path), path: path) }

    /// What any of several believes.
    package init(anyOf several: [VerifyingKey]) { self.init(several.flatMap(\.quorums)) }

    init(_ key: P256.Signing.PublicKey) { self.init([Quorum(keys: [key], threshold: 1)]) }

    /// How many keys there are.
    package var count: Int { quorums.reduce(0) { $0 + $1.keys.count } }

    /// With a line feed at its end, as other tools write it.
    package var pem: String { quorums.flatMap(\.keys).map { $0.pemRepresentation + "\n" }.joined() }

    /// - Parameter signature: DER, over SHA-256 of the message.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { isValid([signature], for: message) }

    /// Whether enough different keys have signed.
    package func isValid(_ signatures: [[UInt8]], for message: [UInt8]) -> Bool {
        let found = signatures.prefix(Self.mostSignatures).compactMap { try? P256.Signing.ECDSASignature(derRepresentation: $0) }
        return quorums.contains { quorum in
            quorum.keys.count { key in found.contains { key.isValidSignature($0, for: message) } } >= quorum.threshold
        }
    }
}
