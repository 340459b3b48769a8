internal import Support

extension Network {
    /// A network that was made elsewhere, with a golden pair of this program's own making.
    ///
    /// Errors: `.badData` when its layers do not fit each other, `.usage` when a raw window does not fit its inputs.
    static func imported(
        labels: [String], input: NetworkInput, quantisation: Quantisation, layers: [DenseLayer], hop: Int, path: String
    ) throws(Fault) -> Network {
        let inputs = layers.first?.inputs ?? 0
        guard input == .features || inputs % 3 == 0 else {
            throw Fault(.usage, "\(path) takes \(inputs) numbers, which are no windows of x, y, z", remedy: "With --input features it can predict.")
        }
        let window = input == .raw ? inputs / 3 : 128
        var network = Network(
            labels: labels, window: window, hop: min(hop, window), bits: 8, inputKind: input, input: quantisation, layers: layers)
        var compiled = try CompiledNetwork(network)
        network.golden = compiled.golden(for: (0..<inputs).map { Int16($0 * 1_103 % 8192 - 4096) }) // +-1 g in an order without pattern
        return network
    }
}
