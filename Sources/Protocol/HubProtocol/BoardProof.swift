package import Cryptography
package import Support

/// That whoever asks for a board's tokens has the key whose public half the hub knows: a signature over what is asked for and a number
/// that the hub gave for it.
///
/// A hub that wants it answers 401 with ``wanted`` and a nonce; the board asks again with the proof. Other servers never ask.
package struct BoardProof: Sendable, Equatable {
    package enum Purpose: String, Sendable { case bootstrap, refresh }

    /// The code of the answer that asks for a proof.
    package static let wanted = "proof_required"

    /// As the hub gave it.
    package var nonce: String
    /// ECDSA on P-256, DER.
    package var signature: [UInt8]

    /// - Parameters:
    ///   - token: the bootstrap or refresh token that the request brings.
    ///   - name: of the board; empty for a refresh, whose token is for one name.
    /// - Throws: those of signing.
    package init(_ purpose: Purpose, token: String, org: String, name: String, nonce: String, by key: SigningKey) throws(Fault) {
        self.nonce = nonce
        signature = try key.sign(Self.message(purpose, token: token, org: org, name: name, nonce: nonce))
    }

    /// nil where a request brings none.
    package init?(_ body: JSONValue) {
        guard let nonce = body["nonce"]?.text, let signature = body["proof"]?.text.flatMap(Hexadecimal.bytes), nonce.utf8.count <= 200
        else { return nil }
        (self.nonce, self.signature) = (nonce, signature)
    }

    package var members: [(String, JSONValue?)] { [("nonce", .string(nonce)), ("proof", .string(Hexadecimal.text(signature)))] }

    package func isValid(_ purpose: Purpose, token: String, org: String, name: String, by key: VerifyingKey) -> Bool {
        key.isValid(signature, for: Self.message(purpose, token: token, org: org, name: name, nonce: nonce))
    }

    // What comes from outside as its digest: a line feed in it moves nothing.
    private static func message(_ purpose: Purpose, token: String, org: String, name: String, nonce: String) -> [UInt8] {
        let parts = [token, org, name, nonce].map { Digest.text(Array($0.utf8)) }
        return Array("gaitway board 1\n\(purpose.rawValue)\n\(parts.joined(separator: "\n"))\n".utf8)
    }
}
