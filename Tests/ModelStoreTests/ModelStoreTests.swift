import Cryptography
import Support
import TestHelpers
import Testing

@testable import ModelStore
@testable import NeuralNetwork

@Suite struct ModelStoreTests {
    private let key = SigningKey()
    private let base: Network

    init() throws {
        base = try NetworkFile.load(
            #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/board/models/activity.safetensors")
    }

    // Of this process and test alone.
    private func temporaryPath(_ name: String) -> String { "/tmp/gaitway-store-\(UInt64.random(in: 0...UInt64.max))/\(name)" }

    private var checks: ModelChecks { ModelChecks(keys: TrustedKeys(key.verifying)) }

    private func network(_ version: Int, expires: Int? = nil, _ change: (inout Network) -> Void = { _ in }) -> Network {
        var network = base
        (network.version, network.expires) = (version, expires)
        change(&network)
        return network
    }

    private func file(_ network: Network, by key: SigningKey? = nil) throws -> (bytes: [UInt8], signature: [UInt8]) {
        let bytes = try NetworkFile.encode(network)
        return (bytes, try ModelSignature.sign(SignedContents(bytes, name: "m"), with: key ?? self.key))
    }

    private func offer(_ bytes: [UInt8], _ version: Int) -> ModelOffer {
        ModelOffer(name: "m", version: version, checksum: Digest.text(bytes), size: bytes.count)
    }

    private func accept(_ store: ModelStore, _ network: Network, now: Int64 = 1000) throws {
        let (bytes, signature) = try file(network)
        #expect(try store.accept(bytes, signature, offer(bytes, network.version), running: base, now: now) == network)
    }

    private func open(_ path: String, disk: any Disk = SystemDisk()) throws(Fault) -> ModelStore {
        try ModelStore(path, checks: checks, base: base.version, disk: disk)
    }

    @Test func aModelGoesAllTheWay() throws {
        let path = temporaryPath("all-the-way"), store = try open(path)
        #expect(try store.start(base: base) == (base, nil))
        try accept(store, network(5))
        #expect(store.status.stage == .shadow)
        try store.promote()
        try store.commit()
        #expect(try open(path).start(base: base).running == network(5))
        try accept(store, network(6))
        try store.promote()
        try store.commit()
        #expect(store.status.current == 6 && store.status.previous == 5)
        try store.rollBack()
        #expect(try open(path).start(base: base).running == network(5))
        #expect(try open(path).status.highest == 6)
        try store.rollBack()
        #expect(try open(path).start(base: base).running == base)
        #expect(throws: Fault.self) { try store.rollBack() }
    }

    @Test func whatIsNotAsItShouldBeIsRefusedForGood() throws {
        let store = try open(temporaryPath("refused"))
        let (good, signature) = try file(network(3))
        var tampered = good
        tampered[tampered.count - 1] ^= 1
        let (foreign, foreignSignature) = try file(network(4), by: SigningKey())
        let (expired, expiredSignature) = try file(network(5, expires: 900))
        let (old, oldSignature) = try file(network(1))
        let (strange, strangeSignature) = try file(network(7) { $0.labels[0] = "SWIMMING" })
        let (short, shortSignature) = try file(network(8) { $0.hop = 32 })
        let cases: [([UInt8], [UInt8]?, ModelOffer, String)] = [
            (tampered, signature, offer(tampered, 3), "not what was signed"), (good, nil, offer(good, 3), "not signed"),
            (tampered, signature, offer(good, 3), "SHA-256 differs"),
            (Array(good.dropLast(9)), signature, offer(good, 3), "announced"),
            (foreign, foreignSignature, offer(foreign, 4), "not of the trusted key"),
            (expired, expiredSignature, offer(expired, 5), "expired"), (old, oldSignature, offer(old, 1), "not above"),
            (good, signature, offer(good, 9), "not 9"),
            (strange, strangeSignature, offer(strange, 7), "does not know WALKING"),
            (short, shortSignature, offer(short, 8), "windows are 128 samples every 32"),
        ]
        for (bytes, signature, offer, reason) in cases {
            let fault = #expect(throws: Fault.self) { try store.accept(bytes, signature, offer, running: base, now: 1000) }
            #expect(fault?.message.contains(reason) == true, "\(fault?.message ?? "")")
            #expect(store.refusal(of: offer)?.reason == fault?.message)
            #expect(store.status.candidate == nil)
        }
        let limited = try ModelStore(
            temporaryPath("limited"), checks: ModelChecks(keys: TrustedKeys(key.verifying), memoryLimit: 1000), base: 1)
        #expect(throws: Fault.self) { try limited.accept(good, signature, offer(good, 3), running: base, now: 1000) }
        #expect(limited.status.refused.first?.reason.contains("KB are allowed") == true)
    }

    @Test func whatItHasIsNoNews() throws {
        let store = try open(temporaryPath("has"))
        for version in 2...3 {
            let (bytes, signature) = try file(network(version))
            #expect(!store.has(offer(bytes, version)) && !store.has(ModelOffer(name: "by version alone", version: version)))
            _ = try store.accept(bytes, signature, offer(bytes, version), running: base, now: 1000)
            #expect(store.has(ModelOffer(name: "by checksum", checksum: offer(bytes, version).checksum)))
            try store.promote()
            try store.commit()
        }
        let (two, three) = (try file(network(2)).0, try file(network(3)).0)
        #expect(store.has(offer(two, 2)) && store.has(offer(three, 3)))
        try store.rollBack()
        #expect(store.has(offer(two, 2)) && !store.has(offer(three, 3)))
    }

    @Test func aClockThatWasNeverSetDoesNotMakeOldModelsYoung() throws {
        let store = try open(temporaryPath("clock"))
        try store.noteTime(1_000_000, own: 0)
        let (bytes, signature) = try file(network(3, expires: 999_999))
        #expect(throws: Fault.self) { try store.accept(bytes, signature, offer(bytes, 3), running: base, now: 0) }
    }

    /// Finding 7: one heartbeat from the year 9999 ended every model that expires, for good.
    @Test func aHubOfTheYear9999EndsNoModel() throws {
        let path = temporaryPath("9999"), store = try open(path), now: Int64 = 1_800_000_000, year9999 = 253_370_764_800.0
        try store.noteTime(year9999, own: now)
        try store.noteTime(.infinity, own: now)
        try store.noteTime(-1, own: now)
        try accept(store, network(3, expires: Int(now) + 1000), now: now)
        // A board whose clock was never set believes it until it is started again.
        let unset = temporaryPath("unset"), other = try open(unset)
        try other.noteTime(9e9, own: 100)
        let (bytes, signature) = try file(network(3, expires: 1_900_000_000))
        #expect(throws: Fault.self) { try other.accept(bytes, signature, offer(bytes, 3), running: base, now: 100) }
        try accept(try open(unset), network(4, expires: 1_900_000_000), now: 100)
    }

    @Test func whatAnEarlierVersionBelievedOfTheTimeIsMended() {
        #expect(HubTime.judge(1_800_000_100, own: 1_800_000_000, latest: 253_370_764_800) == .kept(1_800_000_000))
        #expect(HubTime.judge(1_800_000_100, own: 1_800_000_000, latest: 1_799_999_000) == .unbelievable, "once an hour is enough")
        #expect(HubTime.judge(1_800_080_000, own: 1_800_000_000, latest: 1_799_999_000) == .kept(1_800_080_000))
    }

    @Test func theSameBytesAreNoBetterUnderAnotherVersion() throws {
        let store = try open(temporaryPath("bytes")), (bytes, signature) = try file(network(7))
        #expect(throws: Fault.self) { try store.accept(bytes, signature, offer(bytes, 8), running: base, now: 1000) }
        #expect(store.refusal(of: offer(bytes, 9)) != nil && store.refusal(of: ModelOffer(name: "m", version: 9)) == nil)
    }

    @Test func aCrashOnProbationEndsAVersion() throws {
        let path = temporaryPath("crash"), store = try open(path)
        try accept(store, network(2))
        // In the shadow a crash may be somebody else's.
        for _ in 0..<2 { #expect(try open(path).start(base: base).candidate == network(2)) }
        try open(path).promote()
        #expect(try open(path).start(base: base) == (base, nil))
        let refused = try #require(try open(path).status.refused.first)
        #expect(refused.version == 2 && refused.wasRunning && refused.reason.contains("probation"))
        #expect(throws: Fault.self) { try accept(try open(path), network(2)) }

        let other = try open(path)
        try accept(other, network(3))
        try other.promote()
        try other.pause()
        #expect(try open(path).start(base: base).candidate == network(3))
        for _ in 0..<2 { _ = try open(path).start(base: base) }
        #expect(try open(path).start(base: base).candidate == nil)
    }

    @Test func aModelThatRotsOnTheCardIsReplacedByTheOneBefore() throws {
        let path = temporaryPath("rot"), store = try open(path)
        for version in [2, 3] {
            try accept(store, network(version))
            try store.promote()
            try store.commit()
        }
        let current = store.path(Digest.text(try file(network(3)).0))
        var bytes = try Files.read(current, limit: 1 << 20)
        bytes[bytes.count / 2] ^= 4
        try Files.write(bytes, to: current)
        var complaints: [String] = []
        #expect(try open(path).start(base: base) { complaints.append($0) }.running == network(2))
        #expect(complaints.count == 1 && complaints[0].contains("has changed"))
        try Files.write([1, 2, 3], to: path + "/state.json")
        #expect(try open(path).start(base: base) == (base, nil))
    }

    /// A swap with the power cut at each of its operations: the next start runs a model that is whole, and never one that was not proved.
    @Test(arguments: CutDisk.Leftover.allCases) func powerIsCutAtEveryStep(_ leftover: CutDisk.Leftover) throws {
        let first = try file(network(2)), second = try file(network(3))
        func swap(_ path: String, _ disk: any Disk) throws {
            let store = try open(path, disk: disk)
            _ = try store.start(base: base)
            for (version, file) in [(2, first), (3, second)] {
                _ = try store.accept(file.bytes, file.signature, offer(file.bytes, version), running: base, now: 1000)
                try store.promote()
                try store.commit()
            }
        }
        let whole = CutDisk(cutAt: .max, .all)
        try swap(temporaryPath("whole-\(leftover)"), whole)
        #expect(whole.operations > 50)
        var seen: Set<Int> = []
        for cut in 1...whole.operations {
            for undoesRenames in [false, true] {
                let path = temporaryPath("cut-\(leftover)-\(cut)-\(undoesRenames)"), disk = CutDisk(cutAt: cut, leftover)
                // After the last state was written only leftovers are cleared, where faults do not matter.
                try? swap(path, disk)
                #expect(disk.isCut)
                try disk.settle(undoesRenames: undoesRenames)
                let store = try open(path), (running, candidate) = try store.start(base: base)
                #expect([base, network(2), network(3)].contains(running), "cut \(cut)")
                #expect(candidate.map { [network(2), network(3)].contains($0) } ?? true)
                seen.insert(running.version)
                // And a later version goes all the way.
                if candidate != nil { try store.reject("enough") }
                try accept(store, network(4))
                try store.promote()
                try store.commit()
                #expect(try open(path).start(base: base).running == network(4))
            }
        }
        #expect(seen == [1, 2, 3])
    }
}
