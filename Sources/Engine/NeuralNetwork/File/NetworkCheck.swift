internal import Support

/// Everything that must hold before a network is used, beyond the form of its file.
enum NetworkCheck {
    static func check(_ network: Network, _ reader: MetadataReader) throws(Fault) {
        try checkLabels(network.labels, reader)
        guard network.hop <= network.window else {
            throw reader.bad("its hop of \(network.hop) is longer than its window of \(network.window)")
        }
        if let count = network.inputKind.count(window: network.window), network.inputs != count {
            throw reader.bad(
                """
                a window of \(network.window) samples makes \(count) numbers (\(network.inputKind.rawValue)) and the network takes \
                \(network.inputs)
                """
            )
        }
        guard network.outputs == network.labels.count else {
            throw reader.bad("its last layer has \(network.outputs) outputs for \(network.labels.count) labels")
        }
        for (index, layer) in network.layers.enumerated() { try checkLayer(layer, index, network.bits, reader) }
        try checkGolden(network, reader)
    }

    private static func checkLabels(_ labels: [String], _ reader: MetadataReader) throws(Fault) {
        guard (1...64).contains(labels.count) else { throw reader.bad("it has \(labels.count) labels; 1 to 64 can be used") }
        guard Set(labels).count == labels.count else { throw reader.bad("two of its labels are the same") }
        guard labels.allSatisfy(Printable.isName) else {
            throw reader.bad("a label is empty, longer than 64 bytes or has control characters")
        }
    }

    private static func checkLayer(_ layer: Layer, _ index: Int, _ bits: Int, _ reader: MetadataReader) throws(Fault) {
        let limit = 1 << (bits - 1)
        guard layer.weights.allSatisfy({ $0.values.allSatisfy { abs(Int($0)) < limit } }) else {
            throw reader.bad("layer \(index) has a weight beyond +-\(limit - 1), what \(bits) bits hold")
        }
    }

    private static func checkGolden(_ network: Network, _ reader: MetadataReader) throws(Fault) {
        guard let golden = network.golden, golden.input.count == network.inputs else {
            throw reader.bad("its golden pair does not fit its inputs")
        }
        var compiled: CompiledNetwork
        do {
            compiled = try CompiledNetwork(network)
        } catch {
            throw reader.bad(error.message)
        }
        let began = SystemTime.threadProcessor
        guard compiled.golden(for: golden.input) == golden else {
            throw reader.bad("it does not compute what its golden pair says on this machine (kernel \(compiled.kernel))")
        }
        let took = SystemTime.threadProcessor - began
        guard took < Int64(network.hop) * 20_000_000 else {
            throw reader.bad(
                "a decision takes \(Decimals.text(took, over: 1_000_000_000, places: 1)) s on this machine, and one is due every "
                    + "\(Decimals.text(network.hop, over: 50, places: 2)) s")
        }
    }
}
