internal import Crypto
package import Support

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
