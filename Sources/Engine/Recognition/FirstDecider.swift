internal import CNetwork
internal import CRecognition
internal import NeuralNetwork
internal import Support

/// A network that decides before another, in memory of its own.
@safe struct FirstDecider: ~Copyable {
    let raw: UnsafeMutablePointer<gw_first>
    // The C side reads it as long as this lives.
    private let network: CompiledNetwork

    /// - Throws: `.badData` when the network cannot be used.
    init(_ first: FirstNetwork, kernel: String?) throws(Fault) {
        let source = first.network, network = try CompiledNetwork(source, kernel: kernel)
        unsafe raw = UnsafeMutablePointer<gw_first>.allocate(capacity: 1)
        let work = unsafe source.inputKind.work(window: source.window)
        unsafe raw.initialize(
            to: gw_first(network: network.network, input: source.inputKind.raw, work: work, sure: Int32(first.sure)))
        self.network = network
    }

    deinit {
        unsafe raw.pointee.work.deallocate()
        unsafe raw.deallocate()
    }

    var bytes: Int { network.memory.total }
}
