package import NeuralNetwork
package import Support

extension Network {
    /// Integer layers that were made elsewhere, as a network of their own, with a golden pair of this program's making.
    ///
    /// - Parameters:
    ///   - golden: Q3.12 numbers for the golden pair; +-1 g in an order without pattern when nil.
    /// - Throws: `.badData` when its layers do not fit each other, `.usage` when a raw window or the labels do not fit.
    package init(
        input: Tensor, layers: [Layer], output: NetworkOutput, bits: Int, options: ImportOptions, golden: [Int16]? = nil, path: String
    ) throws(Fault) {
        let outputs = layers.last?.output.count ?? 0
        guard outputs <= 64 else { throw Fault(.badData, "\(path) has \(outputs) outputs; up to 64 can be run") }
        guard layers.count <= NetworkFile.mostLayers else {
            throw Fault(
                .badData, "\(path) becomes \(layers.count) layers; up to \(NetworkFile.mostLayers) can be run",
                remedy: """
                    Use a smaller network. What is written step by step becomes several layers for each step: a whole LSTM or GRU is one \
                    (nn.GRU in the place of GRUCell in a loop).
                    """)
        }
        let names = options.labels ?? (0..<outputs).map { "\($0)" }
        guard names.count == outputs else {
            throw Fault(
                .usage, "\(path) has \(outputs) outputs; \(names.count == 1 ? "1 label was" : "\(names.count) labels were") given",
                remedy: names.count == 1 ? "Separate them with commas." : nil)
        }
        if let wrong = names.first(where: { !Printable.isName($0) }) {
            throw Fault(
                .usage, "the label \"\(Printable.short(wrong, 80))\" is empty, longer than 64 bytes or has control characters",
                remedy: "Name the outputs with --labels.")
        }
        guard let window = options.input.window(count: input.count, otherwise: options.window) else {
            throw Fault(
                .usage, "\(path) takes \(input.count) numbers, which no window makes (\(options.input.rawValue))",
                remedy: "With --input features it can predict.")
        }
        self.init(
            labels: names, window: window, hop: min(options.hop, window), bits: bits, inputKind: options.input, input: input,
            layers: layers, output: output,
            state: options.state)
        var compiled: CompiledNetwork
        do {
            compiled = try CompiledNetwork(self)
        } catch {
            throw Fault(.badData, "\(path): \(error.message)")
        }
        self.golden = compiled.golden(for: golden ?? (0..<inputs).map { Int16($0 * 1_103 % 8192 - 4096) })
    }
}
