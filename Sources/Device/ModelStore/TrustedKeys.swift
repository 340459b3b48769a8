package import Cryptography
internal import FoundationEssentials
package import NeuralNetwork
package import Support
internal import Synchronization

/// The keys whose models a board runs: those of `trusted_key`, and where that is a list, the lists that came after it.
///
/// What came is proved each time that it is read: a kept file that somebody changed gives nothing.
package final class TrustedKeys: Sendable {
    private struct Chain {
        /// From the file's on, the newest last; empty where the file holds bare keys.
        var lists: [KeyList]
        var newest: VerifyingKey, any: VerifyingKey
    }

    private let chain: Mutex<Chain>
    /// Where later lists are kept.
    private let kept: String?

    private static let mostKept = 64

    /// Bare keys, for good.
    package init(_ key: VerifyingKey) {
        chain = Mutex(Chain(lists: [], newest: key, any: key))
        kept = nil
    }

    /// - Parameters:
    ///   - path: public keys (PEM), or a signed list of them.
    ///   - kept: where later lists are, and are put.
    /// - Throws: those of ``KeyList/read(_:)``.
    package convenience init(file path: String, kept: String) throws(Fault) {
        let found = try KeyList.read(path)
        if let list = found.list {
            try self.init(list, followedBy: Self.read(kept), kept: kept)
        } else {
            self.init(found.key)
        }
    }

    init(_ first: KeyList, followedBy later: [KeyList], kept: String?) throws(Fault) {
        chain = Mutex(try Self.chain(Self.extended([first], by: later)))
        self.kept = kept
    }

    /// What signs a model that comes now.
    package var key: VerifyingKey { chain.withLock { $0.newest } }

    /// What signed a model that is here: also keys that were trusted when it came.
    package var anyKey: VerifyingKey { chain.withLock { $0.any } }

    /// The list in force; nil where there are bare keys.
    package var list: KeyList? { chain.withLock { $0.lists.last } }

    /// Takes the lists that come with a signature, as far as each is signed by enough owners of the one before it.
    ///
    /// - Returns: whether there is a newer one now.
    /// - Throws: `.badData` for lists that are none; those of writing them.
    @discardableResult
    package func follow(_ signature: [UInt8], name: String) throws(Fault) -> Bool {
        guard kept != nil, !signature.isEmpty else { return false }
        return try follow(try ModelSignature.lists(signature, name: name))
    }

    /// The same of lists that were read elsewhere.
    @discardableResult
    package func follow(_ offered: [KeyList]) throws(Fault) -> Bool {
        guard let kept else { return false }
        return try chain.withLock { chain throws(Fault) in
            // Another program, or another part of this one, may have taken some meanwhile.
            let known = Self.extended(chain.lists, by: Self.read(kept)), lists = Self.extended(known, by: offered)
            guard lists.count > chain.lists.count else { return false }
            guard lists.count <= Self.mostKept else {
                throw Fault(.badData, "more than \(Self.mostKept) lists of keys", remedy: "Put the newest into trusted_key's file.")
            }
            if lists.count > known.count {
                var text: [UInt8] = []
                for list in lists.dropFirst() { text += try list.bytes + [UInt8(ascii: "\n")] }
                try Files.makeDirectory(around: kept)
                try Files.write(text, to: kept)
            }
            chain = try Self.chain(lists)
            return true
        }
    }

    // Each is allowed by the one before it; what is not is left out.
    private static func extended(_ lists: [KeyList], by later: [KeyList]) -> [KeyList] {
        later.reduce(into: lists) { lists, next in
            if lists.last?.allows(next) == true { lists.append(next) }
        }
    }

    private static func chain(_ lists: [KeyList]) throws(Fault) -> Chain {
        let keys = try lists.map { list throws(Fault) in try list.key }
        return Chain(lists: lists, newest: keys[keys.count - 1], any: VerifyingKey(anyOf: keys))
    }

    // What cannot be read is no list: the file's own is in force then.
    private static func read(_ path: String) -> [KeyList] {
        guard Files.exists(path), let bytes = try? Files.read(path, limit: sizeLimit) else { return [] }
        return lists(in: bytes)
    }

    /// Bytes of a file of lists.
    package static let sizeLimit = mostKept * KeyList.sizeLimit

    /// The lists of a file, one a line; what is none is left out.
    package static func lists(in bytes: [UInt8]) -> [KeyList] {
        Array(
            bytes.split(separator: UInt8(ascii: "\n")).lazy.compactMap { try? KeyList(Array($0), name: "a list of keys") }.prefix(mostKept))
    }
}
