internal import Cryptography
internal import FoundationEssentials
internal import Support

/// DSSE's envelope: a payload with its type, and signatures over both.
///
/// Source: DSSE's protocol (secure-systems-lab/dsse).
struct SignedEnvelope: Codable, Equatable {
    struct Signature: Codable, Equatable { var sig: Data, keyid: String? }

    var payload: Data, payloadType: String, signatures: [Signature]

    init(_ payload: [UInt8], type: String) { (self.payload, payloadType, signatures) = (Data(payload), type, []) }

    mutating func sign(with key: SigningKey) throws(Fault) {
        signatures.append(Signature(sig: Data(try key.sign(authenticated)), keyid: ""))
    }

    func isSigned(by key: VerifyingKey) -> Bool { key.isValid(signatures.map { Array($0.sig) }, for: authenticated) }

    // The pre-authentication encoding: the type is signed too.
    private var authenticated: [UInt8] {
        Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
    }

    static func encoded(_ value: some Encodable) throws(Fault) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(value) else { throw Fault(.failure, "what was signed could not be written") }
        return Array(bytes)
    }
}
