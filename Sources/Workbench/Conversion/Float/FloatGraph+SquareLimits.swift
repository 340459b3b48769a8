import NeuralNetwork

/// Limits of the numbers whose squares ``comparingSquareSums()`` compares.
extension FloatGraph {
    static func squareLimit(_ far: Double) -> FloatOperation {
        .curve(.expression(.minimum(.maximum(.input, .constant(-far)), .constant(far))))
    }

    /// The same with the nearest limits that change no decision of what calibration saw, nor of sums of squares some times as large: a
    /// class with one number beyond them has a larger sum than the smallest of all classes. Steps between the limits are finer then.
    ///
    /// - Parameters:
    ///   - places: what calibration saw of each tensor.
    ///   - room: how many times as large as seen the root of the smallest sum may be.
    /// - Returns: nil where nothing becomes nearer.
    package func limitingSquares(_ places: [Calibration], room: Double) -> FloatGraph? {
        var graph = self, isChanged = false
        for (index, layer) in layers.enumerated() {
            guard case .maxPool = layer.operation, let (limit, width) = squares(below: layer.sources[0]) else { continue }
            // The pool has minus the root of what is `width` times the sum.
            let root = -places[index + 1].range.lowerBound / Double(width).squareRoot()
            let constants = constants(at: layers[limit - 1].sources[0]).map { 2 * $0 }
            let far = max(room * root, constants.max() ?? 0)
            guard far > 0, far < (limits(of: limit)?.upperBound ?? 0) else { continue }
            graph.layers[limit - 1].operation = Self.squareLimit(far)
            isChanged = true
        }
        return isChanged ? graph : nil
    }

    /// Whether there are such limits.
    package var comparesSquares: Bool { !squareLimits.isEmpty }

    /// The layers (from 1) that are such limits.
    var squareLimits: [Int] {
        layers.compactMap { layer in
            if case .maxPool = layer.operation { squares(below: layer.sources[0])?.limit } else { nil }
        }
    }

    // The layer (from 1) that limits what roots of sums of squares at a place are of, and how many squares each is of.
    private func squares(below place: Int) -> (limit: Int, width: Int)? {
        guard let negative = layer(place), negative.operation == .subtract, let root = layer(negative.sources[1]),
            case .matrixProduct = root.operation, let numbers = layer(root.sources[0]), numbers.operation == .reshape,
            let normalised = layer(root.sources[1]), case .rootMeanSquare = normalised.operation,
            normalised.sources == [root.sources[0]], limits(of: numbers.sources[0]) != nil
        else { return nil }
        return (numbers.sources[0], numbers.shape.channels)
    }

    private func layer(_ place: Int) -> FloatLayer? { place > 0 ? layers[place - 1] : nil }

    func limits(of place: Int) -> ClosedRange<Double>? {
        guard let layer = layer(place), case .curve(let curve) = layer.operation else { return nil }
        return curve.limits
    }

    // Magnitudes of what a scale gives for elements that are constant.
    private func constants(at place: Int) -> [Double] {
        guard let scale = layer(place), case .depthwise(let weights, _) = scale.operation, let source = layer(scale.sources[0]),
            case .gather(let from) = source.operation, from.count == weights.bias.count
        else { return [] }
        return from.indices.filter { from[$0] < 0 }.map { Double(weights.bias[$0].magnitude) }
    }
}
