internal import Cryptography
internal import HubProtocol
internal import ModelStore
internal import NeuralNetwork
internal import Support
internal import Updates

/// Brings a release to this board: the signature first, then the list of its packages, then those of them that this machine has.
struct ProgramFetch {
    private let plan: ProgramPlan
    /// Seconds since 1970.
    private let now: Int64

    init(_ plan: ProgramPlan, now: Int64) { (self.plan, self.now) = (plan, now) }

    func offer(above number: Int, unless stop: Stop) throws(Fault) -> ModelOffer? {
        let source = plan.source
        return try Awaited.value(unless: stop) { () async throws(Fault) in try await source.offer(above: number) }
    }

    /// Leaves the release for the installer.
    ///
    /// - Throws: `.badData` and `.permission` for what is not for this board; others for what may work later.
    func take(_ offer: ModelOffer, unless stop: Stop) throws(Fault) -> ProgramRelease {
        let source = plan.source
        let signature = try Awaited.value(unless: stop) { () async throws(Fault) in try await source.signature(of: offer) } ?? []
        // A server without the key could have a board fetch files for ever.
        guard let keys = plan.checks.keys else { throw SignedProgram.untrusted }
        try keys.follow(signature, name: offer.name)
        let (digest, signed) = try ModelSignature.promised(signature, by: keys.key, name: offer.name)
        try plan.checks.permits(signed, of: offer, now: now)
        let bytes = try Awaited.value(unless: stop) { () async throws(Fault) in
            try await source.model(of: offer, limit: ProgramRelease.sizeLimit)
        }
        guard Digest.text(bytes) == digest else {
            throw Fault(
                .temporary, "what came is not the file that was signed: the transfer was damaged on its way, or the hub has another")
        }
        let release = try SignedProgram(bytes, signature, offer, plan.checks, now: now).release
        let packages = try plan.machine.packages(of: release)
        try Files.makeDirectory(plan.folder)
        try? Files.remove("\(plan.folder)/\(ProgramFolder.request)")
        for package in packages { try fetch(package, unless: stop) }
        try Files.write(bytes, to: "\(plan.folder)/\(ProgramFolder.release)")
        try Files.write(signature, to: "\(plan.folder)/\(ProgramFolder.signature)")
        // Last: it starts the installer.
        try Files.write(Array(release.version.utf8), to: "\(plan.folder)/\(ProgramFolder.request)")
        return release
    }

    // One that is here already is not fetched again.
    private func fetch(_ package: ProgramRelease.Package, unless stop: Stop) throws(Fault) {
        let path = "\(plan.folder)/\(ProgramFolder.file(of: package.name))"
        if let kept = try? Files.read(path, limit: package.size), Digest.text(kept) == package.sha256 { return }
        let (base, name) = package.address, source = try HTTPModelSource(base), timeout = plan.timeout
        let bytes = try Awaited.value(unless: stop) { () async throws(Fault) in
            try await Deadline.run(within: timeout, package.url) { () async throws(Fault) in
                try await Self.later { () async throws(Fault) in try await source.model(named: name, limit: package.size) }
            }
        }
        guard bytes.count == package.size, Digest.text(bytes) == package.sha256 else {
            throw Fault(.temporary, "\(package.url) is not the file that was signed, or came damaged")
        }
        try Files.write(bytes, to: path)
    }

    // What a server in between says is no fault of the release.
    private static func later(_ body: () async throws(Fault) -> [UInt8]) async throws(Fault) -> [UInt8] {
        do throws(Fault) { return try await body() } catch {
            throw Fault(.temporary, error.message, remedy: error.remedy)
        }
    }
}

extension ProgramRelease.Package {
    /// The address of its folder, and its name there.
    fileprivate var address: (base: String, name: String) {
        let cut = url.lastIndex(of: "/") ?? url.endIndex
        return (String(url[..<cut]), String(url[cut...].dropFirst()))
    }
}
