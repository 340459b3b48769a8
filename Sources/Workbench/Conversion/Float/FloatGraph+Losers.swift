import NeuralNetwork

/// Scores of classes that cannot be decided for.
extension FloatGraph {
    /// The same with scores that are not less than what a soft-max makes 0 of beside the best: others, far below, would have most of the
    /// integers. Nil where steps would not be half as large for that.
    ///
    /// - Parameters:
    ///   - places: what calibration saw of each tensor.
    ///   - smallest: of the rows' best scores.
    package func limitingLosers(_ places: [Calibration], smallest: Double) -> FloatGraph? {
        guard quantisations.isEmpty, output != .independent, last.positions == 1, last.channels > 1,
            case .dense? = layers.last?.operation, let seen = places.last?.range
        else { return nil }
        let least = smallest - Self.apart
        guard seen.lowerBound < 0, seen.lowerBound < 2 * min(least, -seen.upperBound) else { return nil }
        var graph = self
        graph.appendCurve(.expression(.maximum(.input, .constant(least))))
        return graph
    }

    // Less probable than e^-24 is 0 in Q0.15, whatever it is.
    private static let apart = 24.0
}
