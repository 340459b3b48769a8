internal import Conversion
internal import NeuralNetwork
internal import Support

/// A network on features of windows in a row, while it learns.
struct WornNetwork {
    var head: RecurrentHead
    /// Of each input: subtracted, and multiplied by.
    private let means: [Float], scales: [Float]
    private var adam = Adam()

    /// - Parameter normalisation: of each input, as ``normalisation(of:)`` finds them.
    init(classes: Int, sizes: RecurrentHead.Sizes, normalisation: (means: [Float], scales: [Float]), _ random: inout RandomNumbers) {
        (means, scales) = normalisation
        head = RecurrentHead(inputs: normalisation.means.count, classes: classes, sizes: sizes, &random)
    }

    /// Mean and one over the deviation of each column of some rows of Q3.12.
    static func normalisation(of rows: [ArraySlice<Int16>]) -> (means: [Float], scales: [Float]) {
        let moments = ColumnMoments(rows)
        return (
            moments.means.map { Float($0 * 0x1p-12) },
            // What hardly differs between windows says little, and would be noise otherwise.
            moments.variances.map { Float(1 / (($0 * 0x1p-24).squareRoot() + 2e-3)) }
        )
    }

    /// A row of the network's inputs.
    func fill(_ matrix: inout Matrix, _ row: Int, _ column: Int, _ values: ArraySlice<Int16>) {
        let start = row * matrix.stride + column
        for (offset, value) in values.enumerated() {
            matrix.values[start + offset] = (Float(value) * 0x1p-12 - means[column + offset]) * scales[column + offset]
        }
    }

    /// Learns from a batch of sequences.
    mutating func step(
        _ input: Matrix, steps: Int, _ targets: RecurrentHead.Targets, rate: Float, decay: Float, dropout: (Double, Double),
        _ random: inout RandomNumbers
    ) {
        _ = head.takeGradients(input, steps: steps, targets, dropout: dropout, &random)
        let factor = Float(min(1, 1 / max(head.squaredGradient.squareRoot(), 1e-12)))
        adam.step(rate: rate)
        head.update(adam, factor: factor, decay: decay)
    }

    /// The network as the quantiser takes it, with features in their own units.
    ///
    /// - Parameter sharpness: what its scores before soft-max are multiplied by.
    func graph(sharpness: Float) -> FloatGraph {
        var graph = FloatGraph(input: FloatShape(channels: means.count)), first = head.dense.floats()
        first.undo(Normalisation(means: means, scales: scales))
        head.append(to: &graph, first: first, sharpness: sharpness)
        return graph
    }
}
