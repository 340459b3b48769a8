/// What is added to scores that a soft-max is not to see.
extension FloatGraph {
    /// What importers write for it. e^-64 is nothing beside scores that lie near each other, and leaves the integers their steps.
    static let hiding: Float = -64

    // Less than e^-24 of the largest is 0 in Q0.15, whatever it is; others' scores may lie half as far again apart.
    private static let apart = 24.0, room = 1.5

    /// Whether there are such numbers.
    package var hasMasks: Bool { !masks.isEmpty }

    // The scores that each mask, the place of a constant, is added to.
    private var masks: [Int: [Int]] {
        var found: [Int: [Int]] = [:]
        for layer in layers where layer.operation == .add {
            for (mask, scores) in [(layer.sources[0], layer.sources[1]), (layer.sources[1], layer.sources[0])] where mask > 0 {
                guard case .constant(let numbers) = layers[mask - 1].operation, numbers.min() == Self.hiding,
                    numbers.contains(where: { $0 > Self.hiding })
                else { continue }
                found[mask, default: []].append(scores)
            }
        }
        return found
    }

    /// The same with masks that hide scores as far apart as these are; nil where they do.
    ///
    /// - Parameter places: what calibration saw of each tensor.
    package func deepeningMasks(_ places: [Calibration]) -> FloatGraph? {
        var graph = self, isDeeper = false
        for (mask, scores) in masks {
            // What is hidden may be among the scores, or 0 in their place.
            let range = scores.map { max(places[$0].range.upperBound, 0) - min(places[$0].range.lowerBound, 0) }.max() ?? 0
            let hiding = -Float(range * Self.room + Self.apart)
            guard hiding < Self.hiding, hiding.isFinite, case .constant(let numbers) = layers[mask - 1].operation else { continue }
            graph.layers[mask - 1].operation = .constant(numbers.map { $0 == Self.hiding ? hiding : $0 })
            isDeeper = true
        }
        return isDeeper ? graph : nil
    }
}
