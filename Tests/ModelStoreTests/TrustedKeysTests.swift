import Cryptography
import Support
import TestHelpers
import Testing

@testable import ModelStore
@testable import NeuralNetwork

/// TUF's promises, by the attacks that they are named after: who signs is replaced and revoked, and no hub says otherwise.
@Suite struct TrustedKeysTests {
    private let ann = SigningKey(), ben = SigningKey(), old = SigningKey(), new = SigningKey()
    private let base: Network, directory: String

    init() throws {
        base = try NetworkFile.load(
            #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/board/models/activity.safetensors")
        directory = "/tmp/gaitway-keys-\(UInt64.random(in: 0...UInt64.max))"
        try Files.makeDirectory(directory)
    }

    private var kept: String { directory + "/store/keys.json" }

    private func list(
        _ version: Int, by key: SigningKey, threshold: Int = 2, highest: Int? = nil, expires: Int64? = nil, signedBy owners: [SigningKey]
    ) throws -> KeyList {
        var list = try KeyList(
            version: version, expires: expires, highest: highest,
            owners: .init([ann.verifying.pem, ben.verifying.pem], threshold: threshold), models: .init([key.verifying.pem], threshold: 1))
        for owner in owners { try list.sign(with: owner) }
        return list
    }

    private func keys(_ first: KeyList) throws -> TrustedKeys {
        try Files.write(try first.bytes, to: directory + "/trusted.json")
        return try TrustedKeys(file: directory + "/trusted.json", kept: kept)
    }

    private func store(_ keys: TrustedKeys, fleet: String? = "acme", placement: String? = "waist") throws -> ModelStore {
        try ModelStore(directory + "/store", checks: ModelChecks(keys: keys, fleet: fleet, placement: placement), base: 1)
    }

    private typealias Change = (inout ModelRelease) -> Void

    private func file(
        _ version: Int, by key: SigningKey, lists: [KeyList] = [], _ change: Change = { _ in }
    ) throws -> (bytes: [UInt8], signature: [UInt8]) {
        var network = base
        network.version = version
        let bytes = try NetworkFile.encode(network)
        var release = ModelRelease(version: version, length: bytes.count)
        change(&release)
        return (bytes, try ModelSignature.sign(SignedContents(bytes, name: "m"), with: key, release: release, lists: lists))
    }

    // Why it is not taken; nil where it is.
    private func refused(
        _ store: ModelStore, _ version: Int, by key: SigningKey, lists: [KeyList] = [], now: Int64 = 1000, _ change: Change = { _ in }
    ) throws -> String? {
        let (bytes, signature) = try file(version, by: key, lists: lists, change)
        let offer = ModelOffer(name: "activity \(version)", version: version, checksum: Digest.text(bytes), model: "activity")
        let fault = refusal { () throws(Fault) in _ = try store.accept(bytes, signature, offer, running: base, now: now) }
        if fault == nil { try store.reject("the test goes on") }
        return fault?.message
    }

    @Test func aRevokedKeySignsNothingNew() throws {
        let first = try list(1, by: old, signedBy: [ann, ben]), second = try list(2, by: new, signedBy: [ann, ben])
        let store = try store(try keys(first))
        #expect(try refused(store, 5, by: old) == nil)
        #expect(try refused(store, 6, by: new, lists: [second]) == nil, "the list comes with the model")
        #expect(try refused(store, 7, by: old)?.contains("not of the trusted key") == true)
        // It is so after a restart, too, and what is here already may stay.
        let again = try TrustedKeys(file: directory + "/trusted.json", kept: kept)
        #expect(again.list?.version == 2)
        let (bytes, signature) = try file(5, by: old)
        try ModelSignature.verify(SignedContents(bytes, name: "m"), signature, by: again.anyKey)
    }

    @Test func nobodyButTheOwnersReplacesKeys() throws {
        let first = try list(1, by: old, signedBy: [ann, ben]), keys = try keys(first), store = try store(keys)
        let taken = try list(2, by: new, signedBy: [ann]), eve = SigningKey()
        var foreign = try KeyList(
            version: 2, expires: nil, highest: nil, owners: .init([eve.verifying.pem], threshold: 1),
            models: .init([new.verifying.pem], threshold: 1))
        try foreign.sign(with: eve)
        for list in [taken, foreign] { #expect(try refused(store, 6, by: new, lists: [list])?.contains("trusted key") == true) }
        #expect(keys.list?.version == 1)
        // A kept file that somebody wrote gives nothing either.
        try Files.makeDirectory(directory + "/store")
        try Files.write(try foreign.bytes, to: kept)
        #expect(try TrustedKeys(file: directory + "/trusted.json", kept: kept).list?.version == 1)
    }

    @Test func anOldListDoesNotComeBack() throws {
        let lists = [1, 2, 3].map { version in Result { try list(version, by: version == 2 ? old : new, signedBy: [ann, ben]) } }
        let all = try lists.map { try $0.get() }, keys = try keys(all[0]), store = try store(keys)
        #expect(try refused(store, 5, by: new, lists: [all[1], all[2]]) == nil)
        #expect(keys.list?.version == 3)
        #expect(try refused(store, 6, by: old, lists: [all[1]])?.contains("trusted key") == true)
        #expect(keys.list?.version == 3)
    }

    /// Another part of the program, or another program, took it.
    @Test func aListThatAnotherTookCounts() throws {
        let first = try list(1, by: old, signedBy: [ann, ben]), second = try list(2, by: new, signedBy: [ann, ben])
        let one = try keys(first), other = try TrustedKeys(file: directory + "/trusted.json", kept: kept)
        let (_, signature) = try file(5, by: new, lists: [second])
        #expect(try one.follow(signature, name: "m") && one.list?.version == 2)
        let (_, later) = try file(6, by: new)
        #expect(try other.follow(later, name: "m") && other.list?.version == 2)
    }

    @Test func aModelIsForItsFleetPlacementAndName() throws {
        let store = try store(try keys(try list(1, by: old, signedBy: [ann, ben])))
        #expect(try refused(store, 5, by: old) { $0.fleets = ["other", "third"] }?.contains("for boards of other, third") == true)
        #expect(try refused(store, 6, by: old) { $0.placements = ["wrist"] }?.contains("for wrist") == true)
        #expect(try refused(store, 7, by: old) { $0.model = "falls" }?.contains("signed as falls") == true)
        #expect(try refused(store, 8, by: old) { $0.version = 7 }?.contains("version 7") == true)
        #expect(try refused(store, 9, by: old) { $0.length += 1 }?.contains("as long") == true)
        #expect(
            try refused(store, 10, by: old) {
                ($0.fleets, $0.placements, $0.model) = (["acme"], ["waist", "pocket"], "activity")
            } == nil)
    }

    @Test func freezing() throws {
        let store = try store(try keys(try list(1, by: old, expires: 5000, signedBy: [ann, ben])))
        #expect(try refused(store, 5, by: old, now: 4000) { $0.expires = 3000 }?.contains("has expired") == true)
        #expect(try refused(store, 6, by: old, now: 4000) { $0.expires = 4500 } == nil)
        #expect(try refused(store, 7, by: old, now: 5000)?.contains("list of trusted keys") == true)
        // That is no fault of the model: it is taken once its owners have made the next list.
        let next = try list(2, by: new, signedBy: [ann, ben])
        #expect(try refused(store, 8, by: new, lists: [next], now: 5000) == nil)
        #expect(!store.status.refused.contains { $0.version == 7 })
    }

    /// A stolen key signs the highest version; its owners take the key back, and say up to where versions were right.
    @Test func fastForward() throws {
        let top = ModelChecks.highestVersion, first = try list(1, by: old, signedBy: [ann, ben])
        let store = try store(try keys(first))
        #expect(try refused(store, top, by: old) == nil)
        #expect(try refused(store, 6, by: old)?.contains("is not above \(top)") == true)
        let second = try list(2, by: new, highest: 5, signedBy: [ann, ben])
        #expect(try refused(store, 7, by: new, lists: [second]) == nil)
        #expect(store.status.highest == 7)
        #expect(try refused(store, 6, by: new)?.contains("is not above 7") == true, "once, not for ever")
        // The owner's file alone does it as well.
        let third = try list(3, by: new, highest: 5, signedBy: [ann, ben])
        #expect(try self.store(try keys(third)).status.highest == 5)
        #expect(try self.store(try keys(third)).status.highest == 5)
    }

    @Test func aVersionWithoutEndIsRefused() throws {
        let store = try store(try keys(try list(1, by: old, signedBy: [ann, ben])))
        #expect(try refused(store, ModelChecks.highestVersion + 1, by: old) != nil)
        #expect(store.status.highest == 1)
    }

    @Test func aListAsksForMoreThanADigest() throws {
        let store = try store(try keys(try list(1, by: old, signedBy: [ann, ben])))
        var network = base
        network.version = 5
        let bytes = try NetworkFile.encode(network), signature = try ModelSignature.sign(SignedContents(bytes, name: "m"), with: old)
        let offer = ModelOffer(name: "m", version: 5)
        #expect(
            refusal { () throws(Fault) in _ = try store.accept(bytes, signature, offer, running: base, now: 0) }?.message
                .contains("no more than its digest") == true)
    }
}
