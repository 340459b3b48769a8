internal import Cryptography
package import NeuralNetwork
package import Support

/// What must hold before a new model may see a single window.
package struct ModelChecks: Sendable {
    /// Whose models alone are run; nil for anybody's.
    package var keys: TrustedKeys?
    /// Bytes that a network may take when it runs.
    package var memoryLimit: Int
    /// The board's organisation at the hub, and where its sensor is worn; nil where that is not known.
    package var fleet: String?, placement: String?

    package init(keys: TrustedKeys? = nil, memoryLimit: Int = 4 << 20, fleet: String? = nil, placement: String? = nil) {
        (self.keys, self.memoryLimit, self.fleet, self.placement) = (keys, memoryLimit, fleet, placement)
    }

    /// Proves a file, from the outside in: nothing of it is read before it is known to be whole and the key holder's.
    ///
    /// - Parameters:
    ///   - signature: OpenSSF model-signing's; nil where there is none.
    ///   - offer: what was said of it.
    ///   - running: the network that it would replace.
    ///   - now: seconds since 1970.
    /// - Throws: `.badData`, `.permission`, with what is wrong.
    package func check(_ bytes: [UInt8], _ signature: [UInt8]?, _ offer: ModelOffer, running: Network, now: Int64) throws(Fault) -> Network
    {
        let name = offer.name
        if let size = offer.size, size != bytes.count {
            throw Fault(.badData, "\(name) has \(bytes.count) bytes, not the \(size) that were announced")
        }
        if let checksum = offer.checksum, checksum != Digest.text(bytes) {
            throw Fault(.badData, "\(name) is not the file that was announced: its SHA-256 differs")
        }
        try keys?.follow(signature ?? [], name: name)
        let network = try NetworkFile.read(bytes, name: name, signature: signature, trusting: keys?.key)
        guard network.version <= Self.highestVersion else { throw Fault(.badData, "\(name) says version \(network.version)") }
        if let keys {
            let release = try ModelSignature.promised(signature ?? [], by: keys.key, name: name).release
            try permits(release, of: offer, now: now)
            guard release.map({ $0.version == network.version && $0.length == bytes.count }) ?? true else {
                throw Fault(.badData, "\(name) is not the version, or not as long, as its signature says")
            }
        }
        if let version = offer.version, version != network.version {
            throw Fault(.badData, "\(name) says version \(network.version), not \(version)")
        }
        if let expires = network.expires, expires <= now { throw Fault(.badData, "\(name), version \(network.version), has expired") }
        try fits(network, running)
        return network
    }

    /// What a version can be: below it there is always room for one more.
    package static let highestVersion = Int(Int32.max) - 1

    /// Whether what was signed of a model lets this board take it.
    ///
    /// - Throws: `.badData` with what is against it; `.temporary` where the list of keys has expired, which its owners can mend.
    package func permits(_ release: ModelRelease?, of offer: ModelOffer, now: Int64) throws(Fault) {
        let name = offer.name
        if let list = keys?.list {
            if let expires = list.expires, expires <= now {
                throw Fault(
                    .temporary, "the list of trusted keys, version \(list.version), has expired",
                    remedy: "Its owners make the next one: gaitway keys create --after")
            }
            guard release != nil else {
                throw Fault(
                    .badData, "the signature of \(name) says no more than its digest, and a list of keys asks for more",
                    remedy: "Sign it anew: gaitway model sign")
            }
        }
        guard let release else { return }
        if let expires = release.expires, expires <= now {
            throw Fault(.badData, "\(name), version \(release.version), has expired")
        }
        if let model = release.model, let asked = offer.model, model != asked {
            throw Fault(.badData, "\(name) was signed as \(model), not as \(asked)")
        }
        if let fleets = release.fleets, !fleets.contains(where: { $0 == fleet }) {
            throw Fault(.badData, "\(name) was signed for boards of \(fleets.joined(separator: ", ")); this one is of \(fleet ?? "none")")
        }
        if let placements = release.placements, !placements.contains(where: { $0 == placement }) {
            throw Fault(
                .badData,
                "\(name) was signed for \(placements.joined(separator: ", ")); this board's placement is \(placement ?? "not set")",
                remedy: "The setting placement says where the sensor is worn.")
        }
        if let version = offer.version, version != release.version {
            throw Fault(.badData, "\(name) was signed as version \(release.version), not \(version)")
        }
    }

    /// Whether it takes the place of `running` without the loop noticing: the same windows, all of its labels, memory that there is.
    package func fits(_ network: Network, _ running: Network) throws(Fault) {
        func bad(_ what: String) -> Fault { Fault(.badData, "version \(network.version) does not fit this board: \(what)") }
        guard network.window == running.window, network.hop == running.hop else {
            throw bad(
                "its windows are \(network.window) samples every \(network.hop), those that run \(running.window) every \(running.hop)")
        }
        let missing = running.labels.filter { !network.labels.contains($0) }
        guard missing.isEmpty else { throw bad("it does not know \(missing.joined(separator: ", "))") }
        guard network.inputKind != .features else { throw bad("it takes numbers that no sensor gives") }
        let memory = try CompiledNetwork(network).memory.total
        guard memory <= memoryLimit else {
            throw bad("it takes \(memory / 1024) KB when it runs, and \(memoryLimit / 1024) KB are allowed")
        }
    }
}

/// A model that somebody has to give.
package struct ModelOffer: Sendable, Equatable {
    /// For messages, and to ask for it.
    package var name: String
    /// What was said of it, where something was.
    package var version: Int?
    package var checksum: String?
    package var size: Int?
    /// The hub's name of the model that was asked for.
    package var model: String?

    package init(name: String, version: Int? = nil, checksum: String? = nil, size: Int? = nil, model: String? = nil) {
        (self.name, self.version, self.checksum, self.size, self.model) = (name, version, checksum, size, model)
    }
}
