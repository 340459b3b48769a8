package import Cryptography
internal import FoundationEssentials
package import Support

/// A signed list of the keys that boards trust, after TUF's root role: its owners' and those that sign models. The next version is signed
/// by enough owners of this one and of its own.
package struct KeyList: Sendable, Equatable {
    /// Keys, and how many of them must have signed.
    package struct Role: Codable, Sendable, Equatable {
        package var threshold: Int
        /// "BEGIN PUBLIC KEY", PEM.
        package var keys: [String]

        package init(_ keys: [String], threshold: Int) { (self.keys, self.threshold) = (keys, threshold) }

        func verifying(_ name: String) throws(Fault) -> VerifyingKey {
            guard keys.count <= 16 else { throw Fault(.badData, "\(name) has \(keys.count) keys; at most 16 are taken") }
            return try VerifyingKey(pem: keys.joined(separator: "\n"), threshold: threshold, path: name)
        }
    }

    private struct Content: Codable, Equatable {
        var type: String
        var version: Int
        var expires: Int64?
        var highest: Int?
        var owners: Role, models: Role
    }

    private let content: Content
    private var envelope: SignedEnvelope

    /// Bytes: what is longer is no list.
    package static let sizeLimit = 1 << 18
    private static let payloadType = "application/vnd.gaitway.keys+json", contentType = "gaitway-keys"

    /// From 1, one more each time.
    package var version: Int { content.version }
    /// Seconds since 1970, after which boards take no new model by it; nil for never.
    package var expires: Int64? { content.expires }
    /// The highest version of a model that was ever right: boards forget what they were told above it. nil: nothing is forgotten.
    package var highest: Int? { content.highest }
    package var owners: Role { content.owners }
    package var models: Role { content.models }

    /// One that nobody signed yet.
    ///
    /// - Throws: `.badData` for keys that are none, or fewer than must sign.
    package init(version: Int, expires: Int64?, highest: Int?, owners: Role, models: Role) throws(Fault) {
        content = Content(
            type: Self.contentType, version: version, expires: expires, highest: highest, owners: owners, models: models)
        envelope = SignedEnvelope(try SignedEnvelope.encoded(content), type: Self.payloadType)
        _ = (try owners.verifying("the owners' keys"), try models.verifying("the models' keys"))
    }

    /// Reads one, whoever signed it.
    ///
    /// - Parameter name: for messages.
    /// - Throws: `.badData`.
    package init(_ bytes: [UInt8], name: String) throws(Fault) {
        guard bytes.count <= Self.sizeLimit, let envelope = try? JSONDecoder().decode(SignedEnvelope.self, from: Data(bytes)) else {
            throw Fault(.badData, "\(name) is no list of keys", remedy: "gaitway keys create makes one.")
        }
        try self.init(envelope, name: name)
    }

    init(_ envelope: SignedEnvelope, name: String) throws(Fault) {
        guard envelope.payloadType == Self.payloadType,
            let content = try? JSONDecoder().decode(Content.self, from: envelope.payload), content.type == Self.contentType,
            content.version >= 1, content.version < Int(Int32.max), content.highest ?? 0 >= 0
        else {
            throw Fault(.badData, "\(name) is no list of keys", remedy: "gaitway keys create makes one.")
        }
        (self.content, self.envelope) = (content, envelope)
        _ = (try content.owners.verifying(name), try content.models.verifying(name))
    }

    /// Reads a file, whoever signed it.
    ///
    /// - Throws: `.badData`, those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(try Files.read(path, limit: Self.sizeLimit), name: path) }

    /// What a file says of keys: the list, proved, where it is one; public keys (PEM) otherwise.
    ///
    /// - Throws: `.badData`, `.permission`, those of ``Files/read(_:limit:)``.
    package static func read(_ path: String) throws(Fault) -> (list: KeyList?, key: VerifyingKey) {
        let bytes = try Files.read(path, limit: sizeLimit)
        guard bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") else {
            return (nil, try VerifyingKey(pem: String(decoding: bytes, as: UTF8.self), path: path))
        }
        let list = try KeyList(bytes, name: path)
        try list.prove(path)
        return (list, try list.key)
    }

    /// JSON.
    package var bytes: [UInt8] { get throws(Fault) { try SignedEnvelope.encoded(envelope) } }

    var signed: SignedEnvelope { envelope }

    /// - Throws: `.failure`.
    package mutating func sign(with key: SigningKey) throws(Fault) {
        guard !envelope.isSigned(by: key.verifying) else { return }
        try envelope.sign(with: key)
    }

    /// Whether a key is one of its owners'.
    ///
    /// - Throws: `.badData`.
    package func isOwner(_ key: VerifyingKey) throws(Fault) -> Bool { try Self.keys(owners).contains { $0.pem == key.pem } }

    /// Whether a key is one of those that sign models.
    ///
    /// - Throws: `.badData`.
    package func isSigner(_ key: VerifyingKey) throws(Fault) -> Bool { try Self.keys(models).contains { $0.pem == key.pem } }

    /// How many of its own owners signed it.
    ///
    /// - Throws: `.badData`.
    package func signatures() throws(Fault) -> Int { try Self.keys(owners).count { envelope.isSigned(by: $0) } }

    private static func keys(_ role: Role) throws(Fault) -> [VerifyingKey] {
        try role.keys.map { pem throws(Fault) in try VerifyingKey(pem: pem, path: "the list of keys") }
    }

    /// Whether enough of its own owners signed it.
    ///
    /// - Throws: `.permission`.
    package func prove(_ name: String) throws(Fault) {
        guard envelope.isSigned(by: try owners.verifying(name)) else {
            throw Fault(
                .permission, "\(name) is not signed by \(owners.threshold) of its owners", remedy: "gaitway keys sign FILE --key KEY")
        }
    }

    /// Whether `next` may take this one's place.
    package func allows(_ next: KeyList) -> Bool {
        guard next.version == version + 1, let before = try? owners.verifying(""), (try? next.prove("")) != nil else { return false }
        return next.envelope.isSigned(by: before)
    }

    /// The keys that sign models.
    package var key: VerifyingKey { get throws(Fault) { try models.verifying("the list of keys") } }
}
