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

    /// A release as it was signed.
    struct Proved {
        var release: ProgramRelease
        var bytes: [UInt8], signature: [UInt8]
        var packages: [ProgramRelease.Package]
    }

    enum Proof {
        case proved(Proved)
        /// It is not for this board, or not what a trusted key signed.
        case unfit(String)
    }

    /// - Throws: what may work later: whatever a hub, a network or a disk says.
    func proved(_ offer: ModelOffer, unless stop: Stop) throws(Fault) -> Proof {
        let source = plan.source, checks = plan.checks, now = now, machine = plan.machine
        let signature = try Awaited.value(unless: stop) { () async throws(Fault) in try await source.signature(of: offer) } ?? []
        // A server without the key could have a board fetch files for ever.
        let digest: String
        do throws(Fault) {
            guard let keys = checks.keys else { throw .untrustedProgram }
            if !signature.isEmpty { try keys.follow(signature, name: offer.name) }
            let (promised, signed) = try ModelSignature.promised(signature, by: keys.key, name: offer.name)
            try checks.permits(signed, of: offer, now: now)
            digest = promised
        } catch  where error.code == .badData || error.code == .permission {
            return .unfit(error.message)
        }
        let bytes = try Awaited.value(unless: stop) { () async throws(Fault) in
            try await source.model(of: offer, limit: ProgramRelease.sizeLimit)
        }
        guard Digest.text(bytes) == digest else {
            throw Fault(
                .temporary, "what came is not the file that was signed: the transfer was damaged on its way, or the hub has another")
        }
        do throws(Fault) {
            let release = try SignedProgram(bytes, signature, offer, checks, now: now).release
            return .proved(
                Proved(release: release, bytes: bytes, signature: signature, packages: try machine().packages(of: release)))
        } catch  where error.code == .badData || error.code == .permission {
            return .unfit(error.message)
        }
    }

    /// Fetches the packages.
    ///
    /// - Throws: what may work later.
    func fetch(_ files: Proved, unless stop: Stop) throws(Fault) {
        try Files.makeDirectory(plan.folder)
        for package in files.packages { try fetch(package, unless: stop) }
    }

    /// Leaves all of it for the installer.
    ///
    /// - Throws: those of writing it.
    func leave(_ files: Proved) throws(Fault) {
        try Files.write(files.bytes, to: "\(plan.folder)/\(ProgramFolder.release)")
        try Files.write(files.signature, to: "\(plan.folder)/\(ProgramFolder.signature)")
        // Last: it starts the installer.
        try Files.write(Array(files.release.version.utf8), to: "\(plan.folder)/\(ProgramFolder.request)")
    }

    // One that is here already is not fetched again.
    private func fetch(_ package: ProgramRelease.Package, unless stop: Stop) throws(Fault) {
        let path = "\(plan.folder)/\(ProgramFolder.file(of: package.name))"
        if let kept = try? Files.read(path, limit: package.size), package.isOf(kept) { return }
        let (base, name) = package.address, source = try HTTPModelSource(base), timeout = plan.timeout
        let bytes = try Awaited.value(unless: stop) { () async throws(Fault) in
            try await Deadline.run(within: timeout, package.url) { () async throws(Fault) in
                try await source.model(named: name, limit: package.size)
            }
        }
        guard package.isOf(bytes) else {
            throw Fault(.temporary, "\(package.url) is not the file that was signed, or came damaged")
        }
        try Files.write(bytes, to: path)
    }
}

extension ProgramRelease.Package {
    /// The address of its folder, and its name there.
    fileprivate var address: (base: String, name: String) {
        let cut = url.lastIndex(of: "/") ?? url.endIndex
        return (String(url[..<cut]), String(url[cut...].dropFirst()))
    }
}
