package import NeuralNetwork

/// Columns that classes read in very different steps, as those of naive Bayes do where somebody at rest differs by little from a mean and
/// somebody running by much.
extension FloatGraph {
    /// A network for rows of columns and copies.
    package struct OfCopies {
        package var graph: FloatGraph
        package var steps: ColumnSteps
        /// What the row's numbers are limited to, after their steps: it changes no sum of squares below its limit.
        package var limit: Double
        /// Whether nothing but sums of squares reads the row.
        package var isOfCopiesAlone: Bool
    }

    /// The same for rows that have a copy of a column for each class that reads it, with the class' own offset and step, and the columns
    /// themselves before these where other layers read them.
    ///
    /// - Parameters:
    ///   - places: what calibration saw of each tensor.
    ///   - steps: of the columns themselves, for numbers up to a limit.
    /// - Returns: nil where no class has numbers far beyond its limit, or a layer cannot take the steps.
    package func takingCopies(_ places: [Calibration], columns steps: (_ limit: Double) -> ColumnSteps) -> OfCopies? {
        let parts = copiedParts
        guard parts.contains(where: { places[$0.scale].peak > Self.beyond * $0.limit }), let limit = parts.map(\.limit).max(),
            limit.isFinite
        else { return nil }
        let gathers = Set(parts.map(\.gather))
        let others = layers.indices.filter { layers[$0].sources.contains(0) && !gathers.contains($0 + 1) && !layers[$0].isConstant }
        var graph = self, all = others.isEmpty ? [] : steps(limit).each, from = all.indices.map { Int32(clamping: $0) }
        for part in parts {
            let start = all.count
            guard let copies = part.steps(within: limit) else { return nil }
            all += copies
            from += part.from
            graph.layers[part.gather - 1].operation = .gather((start..<all.count).map { Int32(clamping: $0) })
        }
        guard all.count <= Self.mostSquares else { return nil }
        graph.input = FloatShape(channels: all.count)
        if others.isEmpty, parts.count == 1 {
            graph.layers[parts[0].scale - 1].sources = [0]
            graph = graph.withoutUnread()
        } else if !others.isEmpty {
            graph.gatherFirst(input, for: Set(others))
        }
        let copied = ColumnSteps(
            exponents: all.map(\.exponent), offsets: all.map(\.offset), copies: ColumnCopies(columns: input.count, from: from))
        return graph.taking(copied).map { OfCopies(graph: $0, steps: copied, limit: limit, isOfCopiesAlone: others.isEmpty) }
    }

    // How many times as large as their limit numbers are at least where copies are worth it.
    private static let beyond = 4.0

    // The input's numbers that sums of squares read: layers (from 1) that gather and scale them.
    private struct CopiedPart {
        var gather: Int, scale: Int
        var limit: Double
        var from: [Int32]
        var weights: FloatWeights

        // Weights are between 1 and 2 then, times what makes the largest part's limit of this one's. Nil where one is no number.
        func steps(within largest: Double) -> [ColumnStep]? {
            let spare = Int((largest / limit).exponent)
            var steps: [ColumnStep] = []
            for (index, column) in from.enumerated() {
                guard column >= 0 else {
                    steps.append(ColumnStep())
                    continue
                }
                let weight = Double(weights.values[index]), offset = Float(-Double(weights.bias[index]) / weight)
                guard weight.isNormal, offset.isFinite else { return nil }
                steps.append(ColumnStep(exponent: min(max(Int(weight.exponent) + spare, -64), 64), offset: offset))
            }
            return steps
        }
    }

    private var copiedParts: [CopiedPart] {
        squareLimits.compactMap { place in
            let scale = layers[place - 1].sources[0]
            guard scale > 0, let limit = limits(of: place)?.upperBound, limit > 0, let weights = channelScale(layers[scale - 1]),
                onlyReader(of: scale) == place
            else { return nil }
            let gather = layers[scale - 1].sources[0]
            guard gather > 0, case .gather(let from) = layers[gather - 1].operation, layers[gather - 1].sources == [0],
                onlyReader(of: gather) == scale, from.count == weights.outputs
            else { return nil }
            return CopiedPart(gather: gather, scale: scale, limit: limit, from: from, weights: weights)
        }
    }
}
