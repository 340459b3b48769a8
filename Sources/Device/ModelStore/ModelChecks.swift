package import Cryptography
package import NeuralNetwork
package import Support

/// What must hold before a new model may see a single window.
package struct ModelChecks: Sendable {
    /// Whose models alone are run; nil for anybody's.
    package var key: VerifyingKey?
    /// Bytes that a network may take when it runs.
    package var memoryLimit: Int

    package init(key: VerifyingKey? = nil, memoryLimit: Int = 4 << 20) { (self.key, self.memoryLimit) = (key, memoryLimit) }

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
        let network = try NetworkFile.read(bytes, name: name, signature: signature, trusting: key)
        if let version = offer.version, version != network.version {
            throw Fault(.badData, "\(name) says version \(network.version), not \(version)")
        }
        if let expires = network.expires, expires <= now { throw Fault(.badData, "\(name), version \(network.version), has expired") }
        try fits(network, running)
        return network
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

    package init(name: String, version: Int? = nil, checksum: String? = nil, size: Int? = nil) {
        (self.name, self.version, self.checksum, self.size) = (name, version, checksum, size)
    }
}
