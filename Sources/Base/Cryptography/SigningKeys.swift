internal import Crypto
package import Support

/// Whose signatures are believed: an ECDSA key on P-256, or any of several.
package struct VerifyingKey: Sendable {
    private let keys: [P256.Signing.PublicKey]

    /// - Parameter pem: "BEGIN PUBLIC KEY", as `openssl ec -pubout` writes it; once or several times.
    /// - Throws: `.badData` naming `path`.
    package init(pem: String, path: String) throws(Fault) {
        let blocks = PEM.blocks(in: pem, ending: "PUBLIC KEY"),
            keys = blocks.compactMap { try? P256.Signing.PublicKey(pemRepresentation: $0) }
        guard !keys.isEmpty, keys.count == blocks.count else {
            throw Fault(.badData, "\(path) is no public key on P-256", remedy: "Make one: openssl ec -in private.pem -pubout -out \(path)")
        }
        self.keys = keys
    }

    /// - Throws: also those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(pem: try PEM.text(path), path: path) }

    fileprivate init(_ key: P256.Signing.PublicKey) { keys = [key] }

    /// How many of them there are.
    package var count: Int { keys.count }

    /// With a line feed at its end, as other tools write it.
    package var pem: String { keys.map { $0.pemRepresentation + "\n" }.joined() }

    /// - Parameter signature: DER, over SHA-256 of the message.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let found = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return keys.contains { $0.isValidSignature(found, for: message) }
    }
}

/// Signs with ECDSA on P-256.
package struct SigningKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// A new one.
    package init() { key = P256.Signing.PrivateKey() }

    /// - Parameter pem: "BEGIN EC PRIVATE KEY" or "BEGIN PRIVATE KEY", as openssl writes them.
    /// - Throws: `.badData` naming `path`.
    package init(pem: String, path: String) throws(Fault) {
        guard let block = PEM.blocks(in: pem, ending: "PRIVATE KEY").first, let key = try? P256.Signing.PrivateKey(pemRepresentation: block)
        else {
            if !PEM.blocks(in: pem, ending: "PUBLIC KEY").isEmpty {
                throw Fault(.badData, "\(path) is a public key", remedy: "The private one that belongs to it signs.")
            }
            throw Fault(
                .badData, "\(path) is no private key on P-256 (or it has a passphrase)",
                remedy: "Make one: openssl ecparam -name prime256v1 -genkey -noout -out NEW.pem")
        }
        self.key = key
    }

    /// - Throws: also those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(pem: try PEM.text(path), path: path) }

    package var pem: String { key.pemRepresentation + "\n" }
    package var verifying: VerifyingKey { VerifyingKey(key.publicKey) }

    /// DER, over SHA-256 of the message.
    ///
    /// - Throws: `.failure`.
    package func sign(_ message: [UInt8]) throws(Fault) -> [UInt8] {
        guard let signature = try? key.signature(for: message) else { throw Fault(.failure, "the message could not be signed") }
        return Array(signature.derRepresentation)
    }
}

private enum PEM {
    static func text(_ path: String) throws(Fault) -> String { String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self) }

    // openssl writes parameters before a key, which parsers of one block do not expect.
    static func blocks(in text: String, ending kind: String) -> [String] {
        var lines = text.split(whereSeparator: \.isNewline)[...], found: [String] = []
        while let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("\(kind)-----") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") })
        {
            found.append(lines[begin...end].joined(separator: "\n"))
            lines = lines[(end + 1)...]
        }
        return found
    }
}
