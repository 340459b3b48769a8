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
        var mediaType: String
        var verificationMaterial: Material
        var dsseEnvelope: SignedEnvelope
    }

    private struct Statement: Codable {
        struct Subject: Codable { var name: String, digest: [String: String] }
        struct Serialization: Codable { var method: String, hash_type: String, allow_symlinks: Bool?, ignore_paths: [String]? }
        struct Resource: Codable { var name: String, digest: String, algorithm: String }
        struct Predicate: Codable {
            var serialization: Serialization, resources: [Resource]
            /// Gaitway's own.
            var release: ModelRelease?
            var key_lists: [SignedEnvelope]?
        }
        var _type: String, subject: [Subject], predicateType: String, predicate: Predicate
    }

    /// - Parameters:
    ///   - release: what it says beside the digests.
    ///   - lists: of keys, one after the other: a board that trusts an older one follows them.
    /// - Throws: `.failure`.
    package static func sign(
        _ contents: SignedContents, with key: SigningKey, release: ModelRelease? = nil, lists: [KeyList] = []
    ) throws(Fault) -> [UInt8] {
        let statement = Statement(
            _type: statementType, subject: [.init(name: contents.name, digest: ["sha256": contents.digest])], predicateType: predicateType,
            predicate: .init(
                serialization: .init(method: "files", hash_type: "sha256", allow_symlinks: false, ignore_paths: SignedContents.gitNames),
                resources: contents.files.map { .init(name: $0.name, digest: $0.digest, algorithm: "sha256") }, release: release,
                key_lists: lists.isEmpty ? nil : lists.map(\.signed)))
        var envelope = SignedEnvelope(try SignedEnvelope.encoded(statement), type: payloadType)
        try envelope.sign(with: key)
        return try SignedEnvelope.encoded(
            Bundle(
                mediaType: bundleType,
                verificationMaterial: .init(publicKey: .init(hint: Digest.text(Array(key.verifying.pem.utf8))), tlogEntries: []),
                dsseEnvelope: envelope))
    }

    /// The same statement with one more signature.
    ///
    /// - Throws: `.badData` where it is none, or of other files; `.failure`.
    package static func add(_ key: SigningKey, to signature: [UInt8], of contents: SignedContents) throws(Fault) -> [UInt8] {
        var bundle = try bundle(signature, contents.name)
        try compare(contents, try files(try statement(bundle, contents.name), contents.name))
        guard !bundle.dsseEnvelope.isSigned(by: key.verifying) else { return signature }
        try bundle.dsseEnvelope.sign(with: key)
        return try SignedEnvelope.encoded(bundle)
    }

    /// The lists of keys that come with a signature, unproved.
    ///
    /// - Throws: `.badData`.
    package static func lists(_ signature: [UInt8], name: String) throws(Fault) -> [KeyList] {
        let found = try statement(try bundle(signature, name), name).predicate.key_lists ?? []
        guard found.count <= 16 else { throw Fault(.badData, "the signature of \(name) has \(found.count) lists of keys") }
        return try found.map { envelope throws(Fault) in try KeyList(envelope, name: "a list of keys in the signature of \(name)") }
    }

    /// Proves that `contents` are just what a holder of `key` signed.
    ///
    /// - Throws: `.permission` when the signature is not the key's; `.badData` when it is of other files, or none at all.
    package static func verify(_ contents: SignedContents, _ signature: [UInt8], by key: VerifyingKey) throws(Fault) {
        try compare(contents, try files(try proved(signature, by: key, contents.name), contents.name))
    }

    /// SHA-256 of the one file that a holder of `key` signed, and what else was signed of it: what a file has to be that is not here yet.
    ///
    /// - Parameter name: of the model, for messages.
    /// - Throws: those of ``verify(_:_:by:)``.
    package static func promised(
        _ signature: [UInt8], by key: VerifyingKey, name: String
    ) throws(Fault) -> (digest: String, release: ModelRelease?) {
        guard !signature.isEmpty else {
            throw Fault(.permission, "\(name) has no signature, and trusted_key asks for one", remedy: "gaitway model sign makes it.")
        }
        let statement = try proved(signature, by: key, name), files = try files(statement, name)
        guard let file = files.first, files.count == 1 else {
            throw Fault(.badData, "the signature of \(name) is of \(files.count) files, not of one")
        }
        return (file.digest, statement.predicate.release)
    }

    private static func bundle(_ signature: [UInt8], _ name: String) throws(Fault) -> Bundle {
        guard signature.count <= sizeLimit, let bundle = try? JSONDecoder().decode(Bundle.self, from: Data(signature)),
            bundle.dsseEnvelope.payloadType == payloadType
        else {
            throw Fault(.badData, "the signature of \(name) is none of OpenSSF model-signing")
        }
        return bundle
    }

    private static func statement(_ bundle: Bundle, _ name: String) throws(Fault) -> Statement {
        guard let statement = try? JSONDecoder().decode(Statement.self, from: bundle.dsseEnvelope.payload),
            statement._type == statementType, statement.predicateType == predicateType
        else {
            throw Fault(.badData, "the signature of \(name) is for no model")
        }
        return statement
    }

    // What holders of the key signed.
    private static func proved(_ signature: [UInt8], by key: VerifyingKey, _ name: String) throws(Fault) -> Statement {
        let bundle = try bundle(signature, name)
        guard bundle.dsseEnvelope.isSigned(by: key) else {
            throw Fault(
                .permission, "the signature of \(name) is not of the trusted key", remedy: "Sign it with that key: gaitway model sign")
        }
        // Only now is anything of it believed.
        return try statement(bundle, name)
    }

    private static func files(_ statement: Statement, _ name: String) throws(Fault) -> [SignedContents.File] {
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
}
