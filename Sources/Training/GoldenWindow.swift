internal import Recognition
internal import Sensing
internal import Support

/// The input of a model's golden pair: a stretch of simulated walking, since a model file must not carry a piece of anybody's
/// recording.
enum GoldenWindow {
    static func samples(_ length: Int) throws(Fault) -> [Int16] {
        var block = SampleBlock(capacity: length + 200)
        _ = try SimulatedWearer(try SimulatedWearer.Script("seed=3,walk=60")).read(into: &block)
        return Array(FrontEnd.filtered(block.samples).suffix(length * 3))
    }
}
