import NeuralNetwork

/// Numbers that are sums of forests' numbers, each times a factor, and a constant.
private struct ForestSum {
    struct Row {
        /// By the forest's place, for each of its classes.
        var factors: [Int: [Float]] = [:]
        var constant: Float = 0

        func scaled(by factor: Float) -> Row {
            Row(factors: factors.mapValues { $0.map { $0 * factor } }, constant: constant * factor)
        }

        mutating func add(_ other: Row) {
            factors.merge(other.factors) { left, right in zip(left, right).map { $0 + $1 } }
            constant += other.constant
        }
    }

    var rows: [Row]

    var forests: Set<Int> { Set(rows.flatMap { $0.factors.keys }) }
}

extension FloatGraph {
    /// The same with one forest in the place of layers that add, scale or mix the numbers of forests on the same input, as bagging, voting
    /// and stacking do: its leaves hold what becomes of theirs, so that nothing is rounded in between.
    func joiningForests() -> FloatGraph {
        guard quantisations.isEmpty, layers.dropLast().contains(where: \.isForest) else { return self }
        var sums: [Int: ForestSum] = [:], graph = self
        for (index, layer) in layers.enumerated() { sums[index + 1] = sum(layer, at: index + 1, sums) }
        // Sums that are read by something else, or by nothing: they take a forest's place.
        let ends = layers.indices.filter { index in
            let readers = layers.indices.filter { layers[$0].sources.contains(index + 1) }
            guard let sum = sums[index + 1], !layers[index].isForest, !sum.forests.isEmpty else { return false }
            return readers.isEmpty || readers.contains { sums[$0 + 1] == nil }
        }
        // Of a forest that goes into several there would be a copy for each.
        let uses = Dictionary(grouping: ends.flatMap { sums[$0 + 1]?.forests ?? [] }, by: \.self)
        for index in ends {
            guard let sum = sums[index + 1], sum.rows.count <= Self.mostClasses, sum.forests.allSatisfy({ uses[$0]?.count == 1 }),
                let (forest, source) = joined(sum)
            else { continue }
            graph.layers[index] = FloatLayer(.forest(forest), sources: [source], shape: layers[index].shape)
        }
        if case .forest(let last)? = graph.layers.last?.operation, layers.last?.isForest == false, output == .logits,
            last.sums.lowerBound >= -0.001, last.sums.upperBound <= 1.001
        {
            graph.output = .independent
        }
        return graph.withoutUnread()
    }

    private func sum(_ layer: FloatLayer, at place: Int, _ sums: [Int: ForestSum]) -> ForestSum? {
        if case .forest(let forest) = layer.operation {
            return ForestSum(
                rows: (0..<forest.classes).map { index in
                    ForestSum.Row(factors: [place: (0..<forest.classes).map { $0 == index ? 1 : 0 }])
                })
        }
        if case .constant(let values) = layer.operation { return ForestSum(rows: values.map { ForestSum.Row(constant: $0) }) }
        let found = layer.sources.compactMap { sums[$0] }
        guard found.count == layer.sources.count, let first = found.first else { return nil }
        // What a row can hold, and what it costs to make all of them.
        let width = Set(found.flatMap(\.forests)).reduce(1) { $0 + shape($1).count }
        var parts = layer.shape.count
        if case .dense(let weights) = layer.operation { parts *= min(weights.inputs, Self.mostFactors) }
        if case .mean = layer.operation { parts = first.rows.count }
        guard found.reduce(0, { $0 + $1.rows.count }) <= Self.mostSums, layer.shape.count <= Self.mostSums,
            Int64(parts) * Int64(width) <= Self.mostFactors, let rows = rows(layer, found.map(\.rows), first.rows),
            rows.count == layer.shape.count
        else { return nil }
        return ForestSum(rows: rows)
    }

    // Beyond that forests stay layers of their own.
    private static let mostSums = 4096, mostFactors = 1 << 20, mostClasses = 64

    private func rows(_ layer: FloatLayer, _ sources: [[ForestSum.Row]], _ source: [ForestSum.Row]) -> [ForestSum.Row]? {
        func added(_ parts: [(ForestSum.Row, Float)], _ constant: Float = 0) -> ForestSum.Row {
            parts.reduce(into: ForestSum.Row(constant: constant)) { sum, part in sum.add(part.0.scaled(by: part.1)) }
        }
        switch layer.operation {
        case .reshape: return source
        case .gather(let places): return places.map { $0 < 0 ? ForestSum.Row() : source[Int($0)] }
        case .add: return zip(source, sources[1]).map { added([($0, 1), ($1, 1)]) }
        case .subtract: return zip(source, sources[1]).map { added([($0, 1), ($1, -1)]) }
        case .multiply:
            let factors = [sources[1], source].first { rows in rows.allSatisfy(\.factors.isEmpty) }
            guard let factors else { return nil }
            let of = sources[1].allSatisfy(\.factors.isEmpty) ? source : sources[1]
            return zip(of, factors).map { $0.scaled(by: $1.constant) }
        case .concatenation(let axis): return layer.shape.joined(sources, along: axis)
        case .mean:
            let channels = layer.shape.count, positions = source.count / channels
            return (0..<channels).map { channel in
                added((0..<positions).map { (source[$0 * channels + channel], 1 / Float(positions)) })
            }
        case .dense(let weights):
            return stride(from: 0, to: source.count, by: weights.inputs).flatMap { start in
                (0..<weights.outputs).map { output in
                    added(
                        (0..<weights.inputs).map { (source[start + $0], weights.values[output * weights.inputs + $0]) },
                        weights.bias[output])
                }
            }
        case .depthwise:
            guard let weights = channelScale(layer) else { return nil }
            return source.enumerated().map { at, row in
                added([(row, weights.values[at % weights.outputs])], weights.bias[at % weights.outputs])
            }
        case .curve(.expression(let expression)):
            guard let line = expression.line else { return nil }
            return source.map { added([($0, Float(line.factor))], Float(line.offset)) }
        case .curve(.linear(let scale, let offset)): return source.map { added([($0, Float(scale))], Float(offset)) }
        default: return nil
        }
    }

    // One forest of all, and what it reads; nil where they read different numbers.
    private func joined(_ sum: ForestSum) -> (FloatForest, source: Int)? {
        let places = sum.forests.sorted(), sources = Set(places.map { layers[$0 - 1].sources })
        guard sources.count == 1, let source = sources.first?.first else { return nil }
        let forests = places.compactMap { place in
            if case .forest(let forest) = layers[place - 1].operation { (place, forest) } else { nil }
        }
        let trees = forests.reduce(0) { $0 + $1.1.roots.count }
        var all = FloatForest(classes: sum.rows.count)
        for (place, forest) in forests {
            let node = Int32(clamping: all.features.count), leaf = Int32(clamping: all.values.count / all.classes)
            all.roots += forest.roots.map { $0 + node }
            all.children += zip(forest.features, forest.children).map { $1 + ($0 < 0 ? leaf : node) }
            all.features += forest.features
            all.thresholds += forest.thresholds
            all.isStrict += forest.isStrict
            for start in stride(from: 0, to: forest.values.count, by: forest.classes) {
                let own = forest.values[start..<start + forest.classes]
                all.values += sum.rows.map { row in
                    zip(own, row.factors[place] ?? []).reduce(row.constant / Float(trees)) { $0 + $1.0 * $1.1 }
                }
            }
        }
        return all.values.allSatisfy(\.isFinite) ? (all, source) : nil
    }

    /// Without layers that nothing reads any more.
    func withoutUnread() -> FloatGraph {
        var isRead = [Bool](repeating: false, count: layers.count + 1)
        isRead[layers.count] = true
        for index in layers.indices.reversed() where isRead[index + 1] { for source in layers[index].sources { isRead[source] = true } }
        var graph = self, places = [0: 0]
        graph.layers = []
        for (index, layer) in layers.enumerated() where isRead[index + 1] {
            var layer = layer
            layer.sources = layer.sources.map { places[$0] ?? 0 }
            graph.layers.append(layer)
            places[index + 1] = graph.layers.count
        }
        graph.quantisations = [:]
        for (place, quantisation) in quantisations { if let place = places[place] { graph.quantisations[place] = quantisation } }
        return graph
    }
}

extension FloatLayer {
    var isForest: Bool { if case .forest = operation { true } else { false } }
    /// Whether it has its numbers whatever it reads.
    var isConstant: Bool { if case .constant = operation { true } else { false } }
}

extension Expression {
    /// factor x + offset, where it is no more than that.
    var line: (factor: Double, offset: Double)? {
        switch self {
        case .input: return (1, 0)
        case .constant(let value): return (0, value)
        case .curve(.linear(let scale, let offset), let of): return of.line.map { (scale * $0.factor, scale * $0.offset + offset) }
        case .function(.negative, let of): return of.line.map { (-$0.factor, -$0.offset) }
        case .sum(let a, let b), .difference(let a, let b):
            guard let left = a.line, let right = b.line else { return nil }
            var sign = 1.0
            if case .difference = self { sign = -1 }
            return (left.factor + sign * right.factor, left.offset + sign * right.offset)
        case .product(let a, let b):
            guard let left = a.line, let right = b.line, left.factor == 0 || right.factor == 0 else { return nil }
            return (left.factor * right.offset + left.offset * right.factor, left.offset * right.offset)
        case .quotient(let a, .constant(let divisor)) where divisor != 0: return a.line.map { ($0.factor / divisor, $0.offset / divisor) }
        default: return nil
        }
    }
}
