/// A small network that decides by itself where it is sure enough; only then is the larger one asked that it comes with.
package struct FirstNetwork: Sendable, Equatable {
    // In an array, since a value cannot hold one of its own kind.
    private var networks: [Network]
    /// From this probability of its class on it decides, Q0.15.
    package var sure: Int16

    package init(_ network: Network, sure: Int16) { (networks, self.sure) = ([network], sure) }

    package var network: Network { networks[0] }
}

extension Network {
    /// Whether what it saw before changes what it gives.
    package var remembers: Bool { isSequential && state == .kept }

    /// Why `first` cannot decide before this network; nil where it can.
    package func objection(to first: FirstNetwork) -> String? {
        let small = first.network
        if inputKind == .worn || remembers { return "it has to see every window, so that none can decide before it" }
        if inputKind == .features || small.inputKind == .features {
            return "networks on numbers that no window makes cannot run one after the other"
        }
        if small.inputKind == .worn || small.remembers { return "the network that is to decide first has to see every window itself" }
        if small.first != nil { return "the network that is to decide first has one before it already" }
        if small.labels != labels || small.window != window { return "the network that is to decide first has other labels or windows" }
        let work = CompiledNetwork.work(of: self) + CompiledNetwork.work(of: small)
        if work > CompiledNetwork.mostWork {
            return "a decision of both takes \(work) multiplications, and \(CompiledNetwork.mostWork) are the most"
        }
        return nil
    }
}
