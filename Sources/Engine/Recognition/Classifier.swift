internal import CRecognition
internal import NeuralNetwork
internal import Support

/// A network with what it takes of a window, in memory of its own.
@safe struct Classifier: ~Copyable {
    let labels: [String]
    let input: NetworkInput
    var network: CompiledNetwork
    let work: UnsafeMutableRawPointer
    private let length: Int

    /// - Parameter kernel: a name from ``CompiledNetwork/kernels``; the fastest when nil.
    /// - Throws: `.badData` when the network does not take what windows of that length give.
    init(_ source: Network, kernel: String?) throws(Fault) {
        let network = try CompiledNetwork(source, kernel: kernel)
        guard source.inputKind != .features else {
            throw Fault(
                .badData, "the network takes \(network.inputs) numbers that no sensor gives", remedy: "See `gaitway model predict`.")
        }
        guard Int(gw_input_count(source.inputKind.raw, Int32(source.window))) == network.inputs else {
            throw Fault(
                .badData,
                """
                the network takes \(network.inputs) numbers, which windows of \(source.window) samples do not make \
                (\(source.inputKind.rawValue))
                """
            )
        }
        labels = source.labels
        input = source.inputKind
        length = source.window
        unsafe work = UnsafeMutableRawPointer.allocate(
            byteCount: max(8, gw_input_work(source.inputKind.raw, Int32(source.window))), alignment: 16)
        self.network = network
    }

    deinit { unsafe work.deallocate() }

    /// A filtered window (Q3.12 g, x, y, z interleaved) to its class and the probabilities (Q0.15).
    mutating func classify(_ window: ArraySlice<Int16>) -> (label: Int, probabilities: [Int16]) {
        var probabilities = [Int16](repeating: 0, count: labels.count)
        let label = unsafe window.withUnsafeBufferPointer { window in
            unsafe network.classify(gw_input_row(input.raw, window.baseAddress, Int32(length), work), &probabilities)
        }
        return (label, probabilities)
    }
}
