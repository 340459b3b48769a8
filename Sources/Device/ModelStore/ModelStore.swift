internal import Cryptography
package import NeuralNetwork
package import Support
internal import Synchronization

/// The models that a board got over the air, in a directory of their own: the one that runs, the one before it, one that is being tried.
///
/// A new one goes accept -> shadow -> probation -> commit; wherever that ends, by a fault, a crash or a power cut, the next start finds a
/// model that ran before. Every step is one file that is replaced as a whole, after the bytes that it names are on the disk.
package final class ModelStore: Sendable {
    package let directory: String
    package let checks: ModelChecks
    private let disk: any Disk
    private let base: Int
    private let state: Mutex<StoreState>
    // What a hub told a board whose own clock was never set; it ends with the program.
    private let hubTime = Atomic<Int64>(0)
    // One change after the other: what a change starts from is still so when it is kept.
    private let turn = Mutex(())

    /// Opens the store, and makes it where there is none. A state that cannot be read is set aside; the models begin anew then.
    ///
    /// - Parameter base: the version that runs without the store: nothing older is ever accepted.
    /// - Throws: those of the disk.
    package init(_ directory: String, checks: ModelChecks, base: Int, disk: any Disk = SystemDisk()) throws(Fault) {
        (self.directory, self.checks, self.disk) = (directory, checks, disk)
        try disk.makeDirectory(directory)
        var found = StoreState()
        let path = "\(directory)/state.json"
        if Files.exists(path) {
            if let read = StoreState(try Files.read(path, limit: 1 << 20)) {
                found = read
            } else {
                try disk.rename(path, to: path + ".bad")
            }
        }
        found.highest = max(found.highest, base)
        found.recover(by: checks.keys?.list, base: base)
        self.base = base
        // Before 0.2 a network that was down for long was taken for the model's fault.
        found.refused.removeAll { $0.reason.hasPrefix("it could not be fetched in three attempts") }
        state = Mutex(found)
    }

    package var status: StoreStatus {
        let now = state.withLock { $0 }
        return StoreStatus(
            current: now.current?.version, previous: now.previous?.version, candidate: now.candidate?.entry.version,
            stage: now.candidate?.stage, highest: now.highest,
            isPinned: now.isPinned, refused: now.refused.filter { $0.version != now.current?.version })
    }

    /// What to run at the start, and what to try beside it. A candidate that was on probation when the program ended unasked is refused.
    ///
    /// - Parameter base: what runs where the store has nothing that is whole.
    /// - Throws: those of writing the state; models that do not load are no errors, but told to `complain`.
    package func start(base: Network, complain: (String) -> Void = { _ in }) throws(Fault) -> (running: Network, candidate: Network?) {
        try turn.withLock { _ throws(Fault) in try begin(base, complain) }
    }

    private func begin(_ base: Network, _ complain: (String) -> Void) throws(Fault) -> (running: Network, candidate: Network?) {
        var next = state.withLock { $0 }
        if let candidate = next.candidate {
            if candidate.stage == .probation {
                next.refuse(candidate.entry, "the program ended while this version was on probation", wasRunning: true, at: next.latestTime)
                next.candidate = nil
            } else if candidate.starts >= 3 {
                next.refuse(
                    candidate.entry, "the program ended three times while this version was tried", wasRunning: false, at: next.latestTime)
                next.candidate = nil
            } else {
                next.candidate?.starts += 1
            }
        }
        var running = base
        for entry in [next.current, next.previous].compactMap(\.self) {
            do throws(Fault) {
                running = try load(entry)
                break
            } catch {
                complain("version \(entry.version) cannot be used: \(error.message)")
            }
        }
        var candidate: Network?
        if let entry = next.candidate?.entry {
            do throws(Fault) {
                let network = try load(entry)
                try checks.fits(network, running)
                candidate = network
            } catch {
                next.refuse(entry, error.message, wasRunning: false, at: next.latestTime)
                next.candidate = nil
            }
        }
        try keep(next)
        clear()
        return (running, candidate)
    }

    /// The model that was taken last and still proves itself; nil where there is none.
    package var newest: Network? {
        let now = state.withLock { $0 }
        return [now.current, now.previous].lazy.compactMap { entry in entry.flatMap { try? self.load($0) } }.first
    }

    /// Proves a model and keeps it as the candidate; it is to run in the shadow then.
    ///
    /// - Parameters:
    ///   - now: this board's clock, seconds since 1970. One that was never set is behind the latest time that was ever received, which
    ///     counts then.
    ///   - byHand: whether its owner wants it whatever was refused before; versions still never go down.
    /// - Throws: those of ``ModelChecks/check(_:_:_:running:now:)``, and `.badData` for a version that is not above all before. What was
    ///   offered is refused then, for good.
    package func accept(
        _ bytes: [UInt8], _ signature: [UInt8]?, _ offer: ModelOffer, running: Network, now: Int64, byHand: Bool = false
    ) throws(Fault) -> Network {
        do throws(Fault) {
            return try turn.withLock { _ throws(Fault) in try take(bytes, signature, offer, running, now, byHand) }
        } catch  where error.code == .badData || error.code == .permission {
            try refuse(.init(version: offer.version ?? 0, checksum: offer.checksum ?? Digest.text(bytes)), error.message)
            throw error
        }
    }

    private func take(
        _ bytes: [UInt8], _ signature: [UInt8]?, _ offer: ModelOffer, _ running: Network, _ now: Int64, _ byHand: Bool
    ) throws(Fault) -> Network {
        var before = state.withLock { $0 }
        let network = try checks.check(bytes, signature, offer, running: running, now: latest(now))
        before.recover(by: checks.keys?.list, base: base)
        guard network.version > before.highest else {
            throw Fault(.badData, "version \(network.version) is not above \(before.highest), the highest that this board has had")
        }
        if !byHand, let known = refusal(of: offer) {
            throw Fault(.badData, "version \(network.version) was refused before: \(known.reason)")
        }
        guard before.candidate == nil else { throw Fault(.temporary, "another version is being tried") }
        let checksum = Digest.text(bytes)
        try put(bytes, signature, checksum)
        var next = before
        next.highest = network.version
        next.latestTime = HubTime.isPlausible(own: now) ? max(now, before.latestTime) : before.latestTime
        next.candidate = .init(entry: .init(version: network.version, checksum: checksum), stage: .shadow, starts: 1)
        try keep(next)
        return network
    }

    /// The time that counts for what expires, seconds since 1970: this board's clock, or the latest that it knows to have been.
    package func latest(_ now: Int64) -> Int64 { max(now, state.withLock { $0.latestTime }, hubTime.load(ordering: .relaxed)) }

    /// Remembers that something offered is of no use, without ever having had it whole.
    package func refuse(_ offer: ModelOffer, _ reason: String) throws(Fault) {
        try refuse(.init(version: offer.version ?? 0, checksum: offer.checksum ?? ""), reason)
    }

    /// Why this very offer is not tried again; nil when it is new.
    package func refusal(of offer: ModelOffer) -> RefusedModel? {
        guard offer.version != nil || offer.checksum != nil else { return nil }
        return state.withLock { state in
            // The same bytes are no better under another version.
            state.refused.first {
                offer.checksum.map { [known = $0.checksum] in $0 == known } ?? ($0.version == offer.version)
            }
        }
    }

    /// What became of this very file; nil where nothing has.
    package func outcome(of offer: ModelOffer) -> ModelOutcome? {
        let known: ModelOutcome? = state.withLock { [checksum = offer.checksum] state in
            guard let checksum else { return nil }
            if state.candidate?.entry.checksum == checksum { return state.candidate?.stage == .probation ? .probation : .shadow }
            if state.current?.checksum == checksum { return .committed }
            return state.previous?.checksum == checksum ? .replaced : nil
        }
        return known ?? refusal(of: offer).map { .refused($0.reason) }
    }

    /// Whether this very file is in the store.
    package func has(_ offer: ModelOffer) -> Bool {
        state.withLock { state in
            [state.current, state.previous, state.candidate?.entry].contains { $0 != nil && $0?.checksum == offer.checksum }
        }
    }

    /// The candidate is about to decide. From now on a program that ends unasked ends it, too.
    package func promote() throws(Fault) { try change { $0.candidate?.stage = .probation } }

    /// The candidate is the board's model from now on; the one before it is kept to go back to.
    package func commit() throws(Fault) {
        try change { state in
            guard let candidate = state.candidate else { return }
            (state.previous, state.current, state.candidate) = (state.current, candidate.entry, nil)
        }
        clear()
    }

    /// The candidate is not wanted.
    package func reject(_ reason: String) throws(Fault) {
        try change { state in
            guard let candidate = state.candidate else { return }
            state.refuse(candidate.entry, reason, wasRunning: candidate.stage == .probation, at: state.latestTime)
            state.candidate = nil
        }
        clear()
    }

    /// The program ends because it was asked to: what is being tried begins anew with the next start.
    package func pause() throws(Fault) {
        try change { state in
            state.candidate?.stage = .shadow
            state.candidate?.starts = 0
        }
    }

    /// Goes back to the model before the present one: what runs with the next start.
    ///
    /// - Throws: `.noInput` when there is none.
    package func rollBack() throws(Fault) {
        guard let current = state.withLock({ $0.current }) else {
            throw Fault(.noInput, "there is no model to go back from: the configuration's runs")
        }
        try change { state in
            state.refuse(current, "rolled back by its owner", wasRunning: true, at: state.latestTime)
            (state.current, state.previous, state.candidate) = (state.previous, nil, nil)
        }
    }

    /// Whether new models stay away.
    package func pin(_ isPinned: Bool) throws(Fault) { try change { $0.isPinned = isPinned } }

    /// A hub's clock moves the latest known time on, as far as ``HubTime`` believes it.
    ///
    /// - Parameters:
    ///   - time: the hub's, seconds since 1970.
    ///   - own: this board's.
    package func noteTime(_ time: Double, own: Int64) throws(Fault) {
        let latest = state.withLock { $0.latestTime }
        switch HubTime.judge(time, own: own, latest: latest) {
        case .unbelievable: break
        case .forThisRun(let time): hubTime.store(time, ordering: .relaxed)
        case .kept(let time): try change { $0.latestTime = time }
        }
    }

    private func refuse(_ entry: StoreState.Entry, _ reason: String) throws(Fault) {
        try change { $0.refuse(entry, reason, wasRunning: false, at: $0.latestTime) }
    }

    func path(_ checksum: String) -> String { "\(directory)/\(checksum)/model.safetensors" }

    private func load(_ entry: StoreState.Entry) throws(Fault) -> Network {
        let path = path(entry.checksum), bytes = try Files.read(path, limit: NetworkFile.sizeLimit)
        guard Digest.text(bytes) == entry.checksum else { throw Fault(.badData, "\(path) has changed since it was accepted") }
        return try NetworkFile.read(
            bytes, name: path, signature: checks.keys == nil ? nil : try ModelSignature.read(beside: path), trusting: checks.keys?.anyKey)
    }

    // The signature first: a model without it would not be used.
    private func put(_ bytes: [UInt8], _ signature: [UInt8]?, _ checksum: String) throws(Fault) {
        let place = "\(directory)/\(checksum)"
        try disk.makeDirectory(place)
        if let signature { try disk.replace(ModelSignature.path(of: path(checksum)), with: signature, in: place) }
        try disk.replace(path(checksum), with: bytes, in: place)
        try disk.synchronise(directory: directory)
    }

    private func change(_ body: (inout StoreState) -> Void) throws(Fault) {
        try turn.withLock { _ throws(Fault) in
            var next = state.withLock { $0 }
            body(&next)
            try keep(next)
        }
    }

    // The disk first: what is not there is not so.
    private func keep(_ next: StoreState) throws(Fault) {
        guard next != state.withLock({ $0 }) || !Files.exists("\(directory)/state.json") else { return }
        try disk.replace("\(directory)/state.json", with: next.bytes, in: directory)
        state.withLock { $0 = next }
    }

    // Models that nobody needs any more, and what a crash left.
    private func clear() {
        let now = state.withLock { $0 }, needed = Set([now.current, now.previous, now.candidate?.entry].compactMap { $0?.checksum })
        for name in (try? Files.list(directory)) ?? [] where name.count == 64 && !needed.contains(name) {
            for file in (try? Files.list("\(directory)/\(name)")) ?? [] { try? disk.remove("\(directory)/\(name)/\(file)") }
            Files.removeDirectory("\(directory)/\(name)")
        }
    }
}
