import Cryptography
import Support
import TestHelpers
import Testing

@testable import NeuralNetwork

/// Lists of keys, after TUF's root role.
@Suite struct KeyListTests {
    private let ann = SigningKey(), ben = SigningKey(), eve = SigningKey(), signer = SigningKey()

    private func role(_ keys: [SigningKey], _ threshold: Int = 1) -> KeyList.Role {
        KeyList.Role(keys.map(\.verifying.pem), threshold: threshold)
    }

    private func list(_ version: Int, owners: KeyList.Role, signedBy keys: [SigningKey]) throws -> KeyList {
        var list = try KeyList(version: version, expires: nil, highest: nil, owners: owners, models: role([signer]))
        for key in keys { try list.sign(with: key) }
        return list
    }

    @Test func itIsSignedByEnoughOfItsOwners() throws {
        let both = role([ann, ben], 2)
        let one = try list(1, owners: both, signedBy: [ann]), two = try list(1, owners: both, signedBy: [ann, ben])
        #expect(refusal { () throws(Fault) in try one.prove("l") }?.code == .permission)
        try two.prove("l")
        // One key that signs twice is one.
        var again = one
        try again.sign(with: ann)
        #expect(again == one)
        let stranger = try list(1, owners: both, signedBy: [ann, eve])
        #expect(refusal { () throws(Fault) in try stranger.prove("l") }?.code == .permission)
    }

    @Test func theSameKeyTwiceIsOneOwner() throws {
        #expect(
            refusal { () throws(Fault) in
                _ = try KeyList(version: 1, expires: nil, highest: nil, owners: role([ann, ann], 2), models: role([signer]))
            }?.code == .badData)
    }

    @Test func theNextIsAllowedByTheOwnersBefore() throws {
        let first = try list(1, owners: role([ann, ben], 2), signedBy: [ann, ben])
        let rotated = role([ben, eve], 2)
        // Two of the old ones and two of the new ones.
        #expect(first.allows(try list(2, owners: rotated, signedBy: [ann, ben, eve])))
        #expect(!first.allows(try list(2, owners: rotated, signedBy: [ben, eve])), "its own owners alone")
        #expect(!first.allows(try list(2, owners: rotated, signedBy: [ann, ben])), "the old owners alone")
        #expect(!first.allows(try list(3, owners: rotated, signedBy: [ann, ben, eve])), "one is missing between them")
        #expect(!first.allows(try list(1, owners: rotated, signedBy: [ann, ben, eve])), "no newer one")
    }

    @Test func whatWasWrittenIsRead() throws {
        var list = try KeyList(version: 7, expires: 2_000_000_000, highest: 41, owners: role([ann]), models: role([signer, ben], 2))
        try list.sign(with: ann)
        let read = try KeyList(try list.bytes, name: "l")
        #expect(read == list && read.version == 7 && read.expires == 2_000_000_000 && read.highest == 41)
        try read.prove("l")
    }

    /// No byte of it can change.
    @Test func aChangedOneIsNotItsOwners() throws {
        let whole = try list(1, owners: role([ann]), signedBy: [ann]), bytes = try whole.bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            // What is not signed (the key's identifier) may change.
            guard let read = try? KeyList(changed, name: "l"),
                read.version != 1 || read.expires != nil || read.highest != nil || read.owners != whole.owners
                    || read.models != whole.models
            else { continue }
            #expect((try? read.prove("l")) == nil, "byte \(index)")
        }
        for length in stride(from: 0, to: bytes.count, by: 11) {
            #expect(refusal { () throws(Fault) in _ = try KeyList(Array(bytes.prefix(length)), name: "l") }?.code == .badData)
        }
    }

    @Test func aModelMayNeedSeveral() throws {
        let contents = SignedContents(Array("model".utf8), name: "m"), two = try role([ann, ben], 2).verifying("k")
        let once = try ModelSignature.sign(contents, with: ann)
        #expect(refusal { () throws(Fault) in try ModelSignature.verify(contents, once, by: two) }?.code == .permission)
        let twice = try ModelSignature.add(ben, to: once, of: contents)
        try ModelSignature.verify(contents, twice, by: two)
        try ModelSignature.verify(contents, twice, by: ben.verifying)
        #expect(try ModelSignature.add(ben, to: twice, of: contents) == twice)
        let other = SignedContents(Array("another".utf8), name: "m")
        #expect(refusal { () throws(Fault) in _ = try ModelSignature.add(ben, to: once, of: other) }?.code == .badData)
    }

    @Test func aSignatureBringsLists() throws {
        let contents = SignedContents(Array("model".utf8), name: "m")
        let lists = [try list(1, owners: role([ann]), signedBy: [ann]), try list(2, owners: role([ben]), signedBy: [ann, ben])]
        let release = ModelRelease(model: "activity", version: 3, length: 5, fleets: ["acme"], placements: ["waist"])
        let signature = try ModelSignature.sign(contents, with: signer, release: release, lists: lists)
        #expect(try ModelSignature.lists(signature, name: "m") == lists)
        #expect(try ModelSignature.promised(signature, by: signer.verifying, name: "m").release == release)
    }
}
