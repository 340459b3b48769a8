internal import Cryptography
package import HubProtocol
package import ModelStore
internal import NeuralNetwork
package import Support

/// A release of gaitway whose signature was proved.
package struct SignedProgram: Sendable {
    package let release: ProgramRelease

    /// - Parameters:
    ///   - offer: its name for messages, and what was said of it.
    ///   - checks: whose releases are installed, and which board this is.
    ///   - isForBoard: whether fleets and placements are looked at, which the service knows and the installer cannot know better.
    ///   - now: seconds since 1970.
    /// - Throws: `.permission` where no trusted key signed it, `.badData` where it is another one, or not for this board.
    package init(
        _ bytes: [UInt8], _ signature: [UInt8], _ offer: ModelOffer, _ checks: ModelChecks, isForBoard: Bool = true, now: Int64
    ) throws(Fault) {
        guard let keys = checks.keys else { throw .untrustedProgram }
        try keys.follow(signature, name: offer.name)
        let (digest, signed) = try ModelSignature.promised(signature, by: keys.key, name: offer.name)
        guard Digest.text(bytes) == digest else {
            throw Fault(.badData, "\(offer.name) is not what was signed", remedy: "Download it again.")
        }
        guard var signed, signed.length == bytes.count else {
            throw Fault(.badData, "\(offer.name) was not signed as a release: gaitway model sign does that")
        }
        if !isForBoard { (signed.fleets, signed.placements) = (nil, nil) }
        try checks.permits(signed, of: offer, now: now)
        release = try ProgramRelease(bytes, name: offer.name)
        guard release.number == signed.version else {
            throw Fault(.badData, "\(offer.name) is version \(release.version), and was signed as number \(signed.version)")
        }
    }
}

extension Fault {
    /// Without a key nothing proves where a program comes from; there is no setting for that.
    package static let untrustedProgram = Fault(
        .permission, "releases of gaitway are installed only where trusted_key is set: nothing else proves where they come from",
        remedy: "Set trusted_key in /etc/gaitway/gaitway.toml.")
}

extension TrustedKeys {
    /// As the installer reads them: the file's, and the lists that came after it with releases or, to the service, with models. What the
    /// service has is read with care, and each list proves itself.
    package convenience init(file: String, following models: String, directory: String = ProgramState.directory) throws(Fault) {
        try self.init(file: file, kept: "\(directory)/keys.json")
        guard let folder = try HandedOver(models), let services = try? folder.read("keys.json", limit: Self.sizeLimit) else { return }
        try follow(Self.lists(in: services))
    }
}
