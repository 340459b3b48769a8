package import Cryptography
internal import FoundationEssentials
package import Support

/// Signatures of OpenSSF model-signing with a key of one's own: a Sigstore bundle with a DSSE envelope over an in-toto statement that
/// names every file with its digest. Its tool (`model_signing`, PyPI) verifies ours, and we its.
///
/// Source: https://github.com/sigstore/model-transparency and DSSE's protocol (secure-systems-lab/dsse).
package enum ModelSignature {
    /// Where a model's signature is looked for.
    package static func path(of model: String) -> String { (model.hasSuffix("/") ? String(model.dropLast()) : model) + ".sig" }

    /// Bytes: what is longer is no signature.
    package static let sizeLimit = 1 << 20

    /// The signature that lies beside a model; nil when there is none.
    ///
    /// - Throws: those of ``Files/read(_:limit:)``.
    package static func read(beside model: String) throws(Fault) -> [UInt8]? {
        let path = path(of: model)
        return Files.exists(path) ? try Files.read(path, limit: sizeLimit) : nil
    }

    private static let payloadType = "application/vnd.in-toto+json", predicateType = "https://model_signing/signature/v1.0"
    private static let statementType = "https://in-toto.io/Statement/v1", bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

    private struct Bundle: Codable {
        struct Material: Codable {
            struct Key: Codable { var hint: String? }
            var publicKey: Key?
            var tlogEntries: [String]?
        }
        struct Envelope: Codable {
            struct Signature: Codable { var sig: Data, keyid: String? }
            var payload: Data, payloadType: String, signatures: [Signature]
        }
        var mediaType: String
        var verificationMaterial: Material
        var dsseEnvelope: Envelope
    }

    private struct Statement: Codable {
        struct Subject: Codable { var name: String, digest: [String: String] }
        struct Serialization: Codable { var method: String, hash_type: String, allow_symlinks: Bool?, ignore_paths: [String]? }
        struct Resource: Codable { var name: String, digest: String, algorithm: String }
        struct Predicate: Codable { var serialization: Serialization, resources: [Resource] }
        var _type: String, subject: [Subject], predicateType: String, predicate: Predicate
    }

    /// - Throws: `.failure`.
    package static func sign(_ contents: SignedContents, with key: SigningKey) throws(Fault) -> [UInt8] {
        let statement = Statement(
            _type: statementType, subject: [.init(name: contents.name, digest: ["sha256": contents.digest])], predicateType: predicateType,
            predicate: .init(
                serialization: .init(method: "files", hash_type: "sha256", allow_symlinks: false, ignore_paths: SignedContents.gitNames),
                resources: contents.files.map { .init(name: $0.name, digest: $0.digest, algorithm: "sha256") }))
        let payload = try encoded(statement), signature = try key.sign(authenticated(payload))
        return try encoded(
            Bundle(
                mediaType: bundleType,
                verificationMaterial: .init(publicKey: .init(hint: Digest.text(Array(key.verifying.pem.utf8))), tlogEntries: []),
                dsseEnvelope: .init(payload: Data(payload), payloadType: payloadType, signatures: [.init(sig: Data(signature), keyid: "")]))
        )
    }

    /// Proves that `contents` are just what a holder of `key` signed.
    ///
    /// - Throws: `.permission` when the signature is not the key's; `.badData` when it is of other files, or none at all.
    package static func verify(_ contents: SignedContents, _ signature: [UInt8], by key: VerifyingKey) throws(Fault) {
        try compare(contents, try signed(signature, by: key, contents.name))
    }

    /// SHA-256 of the one file that a holder of `key` signed: what a file has to be that is not here yet.
    ///
    /// - Parameter name: of the model, for messages.
    /// - Throws: those of ``verify(_:_:by:)``.
    package static func digest(_ signature: [UInt8], by key: VerifyingKey, name: String) throws(Fault) -> String {
        guard !signature.isEmpty else {
            throw Fault(.permission, "\(name) has no signature, and trusted_key asks for one", remedy: "gaitway model sign makes it.")
        }
        let files = try signed(signature, by: key, name)
        guard let file = files.first, files.count == 1 else {
            throw Fault(.badData, "the signature of \(name) is of \(files.count) files, not of one")
        }
        return file.digest
    }

    // The files that a holder of the key signed.
    private static func signed(_ signature: [UInt8], by key: VerifyingKey, _ name: String) throws(Fault) -> [SignedContents.File] {
        guard let bundle = try? JSONDecoder().decode(Bundle.self, from: Data(signature)), bundle.dsseEnvelope.payloadType == payloadType
        else {
            throw Fault(.badData, "the signature of \(name) is none of OpenSSF model-signing")
        }
        let payload = Array(bundle.dsseEnvelope.payload), message = authenticated(payload)
        guard bundle.dsseEnvelope.signatures.contains(where: { key.isValid(Array($0.sig), for: message) }) else {
            throw Fault(
                .permission, "the signature of \(name) is not of the trusted key", remedy: "Sign it with that key: gaitway model sign")
        }
        // Only now is anything of it believed.
        guard let statement = try? JSONDecoder().decode(Statement.self, from: Data(payload)), statement._type == statementType,
            statement.predicateType == predicateType
        else {
            throw Fault(.badData, "the signature of \(name) is for no model")
        }
        let how = statement.predicate.serialization
        guard how.method == "files", how.hash_type == "sha256", statement.predicate.resources.allSatisfy({ $0.algorithm == "sha256" })
        else {
            throw Fault(.badData, "\(name) was signed by \(how.method) with \(how.hash_type); this program reads files with sha256")
        }
        let signed = statement.predicate.resources.map { SignedContents.File(name: $0.name, digest: $0.digest) }
        guard statement.subject.first?.digest["sha256"] == SignedContents.digest(signed) else {
            throw Fault(.badData, "the signature of \(name) contradicts itself")
        }
        return signed
    }

    private static func compare(_ contents: SignedContents, _ signed: [SignedContents.File]) throws(Fault) {
        var expected: [String: String] = [:]
        for file in signed { expected[file.name] = file.digest }
        for file in contents.files {
            guard let digest = expected.removeValue(forKey: file.name) else {
                throw Fault(.badData, "\(file.name) of \(contents.name) was not signed")
            }
            guard digest == file.digest else {
                throw Fault(
                    .badData, "\(file.name == "." ? contents.name : "\(file.name) of \(contents.name)") is not what was signed",
                    remedy: "Copy or download it again.")
            }
        }
        if let missing = expected.keys.sorted().first {
            throw Fault(.badData, "\(missing) of \(contents.name) was signed and is not there")
        }
    }

    // DSSE's pre-authentication encoding: the type is signed too.
    private static func authenticated(_ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
    }

    private static func encoded(_ value: some Encodable) throws(Fault) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(value) else { throw Fault(.failure, "the signature could not be written") }
        return Array(bytes)
    }
}
