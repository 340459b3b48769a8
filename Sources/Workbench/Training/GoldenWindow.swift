internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// The input of a model's golden pair: a stretch of simulated walking, since a model file must not carry a piece of anybody's
/// recording.
enum GoldenWindow {
    static func samples(_ length: Int) throws(Fault) -> [Int16] {
        Array(try simulated(try SimulatedWearer.Script("seed=3,walk=60"), count: length + 200).suffix(length * 3))
    }

    /// What a network on windows takes of it.
    static func row(_ network: Network) throws(Fault) -> [Int16] {
        let window = try samples(network.window)
        guard network.inputKind == .worn else { return WindowInput.row(window, network.inputKind) }
        var rows = try WearingRows(network)
        return rows.row(window)
    }

    /// What the filters give of a script's first samples, Q3.12 g.
    static func simulated(_ script: SimulatedWearer.Script, count: Int) throws(Fault) -> [Int16] {
        var block = SampleBlock(capacity: count)
        _ = try SimulatedWearer(script).read(into: &block)
        return FrontEnd.filtered(block.samples)
    }
}
