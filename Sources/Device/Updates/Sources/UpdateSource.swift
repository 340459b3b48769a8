package import ModelStore
package import Support

/// Where new models come from while a board runs.
package protocol UpdateSource: Sendable {
    /// Whether only a trusted key makes its models safe: they come from another machine.
    var isRemote: Bool { get }

    /// What there is beyond a version; nil for nothing new.
    func offer(above version: Int) async throws(Fault) -> ModelOffer?

    /// The signature; nil where there is none.
    ///
    /// - Throws: as ``model(of:limit:)``.
    func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]?

    /// The file.
    ///
    /// - Parameter limit: bytes.
    /// - Throws: `.badData` for what can only get worse, others for what may work later, `.temporary` for what takes too long among them.
    func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8]

    /// Asks a server that has to be asked before its offers are known, and reports what became of them, where heartbeats do not: before
    /// each look for a new model, and after each change.
    ///
    /// - Throws: what failed; offers that are known by then count.
    func poll(_ board: BoardOutcomes) async throws(Fault)

    /// Seconds until the server wants to be polled again; nil where it says nothing of that.
    var pause: Int? { get }
}

extension UpdateSource {
    package func poll(_ board: BoardOutcomes) async throws(Fault) {}
    package var pause: Int? { nil }
}
