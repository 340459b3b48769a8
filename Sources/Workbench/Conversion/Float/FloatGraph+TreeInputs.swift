import NeuralNetwork

/// Trees behind what treats each number by itself: chosen columns, scales, functions that only rise.
extension FloatGraph {
    /// The same with trees that read the input itself, at thresholds which were moved there: a number is at most a threshold where what it
    /// comes from is at most that one's origin, and nothing is rounded in between.
    func movingTreesToInput() -> FloatGraph {
        guard quantisations.isEmpty, hasForests else { return self }
        var graph = self, known: [Int: [Origin?]?] = [:]
        for (index, layer) in layers.enumerated() {
            guard case .forest(let forest) = layer.operation, layer.sources[0] > 0, let origins = origins(layer.sources[0], &known),
                let moved = forest.moved(to: origins)
            else { continue }
            graph.layers[index].operation = .forest(moved)
            graph.layers[index].sources = [0]
        }
        return graph.withoutUnread()
    }

    /// An element of the input, and what becomes of it, in order: functions that never fall.
    fileprivate struct Origin {
        var index: Int
        var steps: [(Double) -> Double] = []

        func value(_ x: Float) -> Double { steps.reduce(Double(x)) { $1($0) } }

        // Nil for more than anybody writes.
        func then(_ step: @escaping (Double) -> Double) -> Origin? {
            steps.count < 16 ? Origin(index: index, steps: steps + [step]) : nil
        }
    }

    private static let mostOrigins = 4096

    // Of each element of a tensor; nil for those that come from several, or fall; nil for all of what is too large.
    private func origins(_ place: Int, _ known: inout [Int: [Origin?]?]) -> [Origin?]? {
        if let found = known[place] { return found }
        guard shape(place).count <= Self.mostOrigins else { return nil }
        guard place > 0 else { return (0..<input.count).map { Origin(index: $0) } }
        let layer = layers[place - 1]
        func constants(_ source: Int) -> [Float]? {
            guard source > 0, case .constant(let values) = layers[source - 1].operation else { return nil }
            return values
        }
        // With a constant on the right, element by element.
        func with(_ step: (Double) -> ((Double) -> Double)?) -> [Origin?]? {
            guard let values = constants(layer.sources[1]), let source = origins(layer.sources[0], &known) else { return nil }
            return zip(source, values).map { origin, value in step(Double(value)).flatMap { origin?.then($0) } }
        }
        var found: [Origin?]?
        switch layer.operation {
        case .reshape: found = origins(layer.sources[0], &known)
        case .gather(let from):
            let source = origins(layer.sources[0], &known)
            found = source.map { source in from.map { $0 < 0 ? nil : source[Int($0)] } }
        case .concatenation(let axis):
            let parts = layer.sources.map { origins($0, &known) }
            found = parts.contains { $0 == nil } ? nil : layer.shape.joined(parts.compactMap { $0 }, along: axis)
        case .depthwise:
            guard let weights = channelScale(layer) else { break }
            found = origins(layer.sources[0], &known).map { source in
                source.enumerated().map { index, origin in
                    let scale = Double(weights.values[index % weights.outputs]), offset = Double(weights.bias[index % weights.outputs])
                    return scale > 0 ? origin?.then { $0 * scale + offset } : nil
                }
            }
        case .curve(let curve) where curve.isRising:
            found = origins(layer.sources[0], &known).map { source in source.map { $0?.then(curve.value) } }
        case .add: found = with { value in { $0 + value } }
        case .subtract: found = with { value in { $0 - value } }
        case .multiply: found = with { value in value > 0 ? { $0 * value } : nil }
        case .divide: found = with { value in value > 0 ? { $0 / value } : nil }
        default: found = nil
        }
        known[place] = .some(found)
        return found
    }
}

extension FloatForest {
    // Nil where a feature has no origin.
    fileprivate func moved(to origins: [FloatGraph.Origin?]) -> FloatForest? {
        var result = self
        // Each threshold is looked for in 32 steps.
        guard features.count * (origins.compactMap { $0?.steps.count }.max() ?? 0) <= 1 << 22 else { return nil }
        for (node, feature) in features.enumerated() where feature >= 0 {
            guard origins.indices.contains(Int(feature)), let origin = origins[Int(feature)], let index = Int16(exactly: origin.index)
            else {
                return nil
            }
            result.features[node] = index
            result.thresholds[node] =
                origin.steps.isEmpty ? thresholds[node] : Self.largest { !(origin.value($0) > Double(thresholds[node])) }
            // What was moved there is no number of the rows.
            result.isStrict[node] = isStrict[node] && origin.steps.isEmpty
        }
        return result
    }

    // The largest number for which something holds that holds for all smaller ones; the smallest where it holds for none. What gives no
    // number (a logarithm of what is below zero) is taken for smaller than all.
    private static func largest(_ holds: (Float) -> Bool) -> Float {
        // Numbers in their order, by their bits.
        func number(_ order: Int64) -> Float { order >= 0 ? Float(bitPattern: UInt32(order)) : -Float(bitPattern: UInt32(-order)) }
        var low = -Int64(Float.greatestFiniteMagnitude.bitPattern), high = -low
        while low < high {
            let middle = low + (high - low + 1) / 2
            if holds(number(middle)) { low = middle } else { high = middle - 1 }
        }
        return number(low)
    }
}

extension Activation {
    /// Whether it never falls, as its form shows.
    var isRising: Bool {
        switch self {
        case .relu, .relu6, .sigmoid, .tanh, .softsign, .softplus, .step: true
        case .linear(let scale, _), .hardSigmoid(let scale, _), .elu(let scale), .leakyReLU(let scale): scale > 0
        case .scaledTanh(let scale, let slope): scale > 0 && slope > 0
        case .thresholdedReLU(let threshold): threshold >= 0
        case .expression(let expression): expression.isRising
        }
    }
}

extension Expression {
    // Whether it never falls, as its form shows.
    fileprivate var isRising: Bool {
        switch self {
        case .input, .constant: true
        case .curve(let curve, let of): curve.isRising && of.isRising
        case .function(let function, let of): Self.rising.contains(function) && of.isRising
        case .sum(let a, let b), .maximum(let a, let b), .minimum(let a, let b): a.isRising && b.isRising
        case .difference(let a, .constant): a.isRising
        case .product(.constant(let factor), let of), .product(let of, .constant(let factor)): factor >= 0 && of.isRising
        case .quotient(let of, .constant(let divisor)): divisor > 0 && of.isRising
        case .power(let of, let exponent):
            of.isRising && (exponent > 0 && exponent != exponent.rounded() || [1, 3, 5, 7].contains(exponent))
        case .difference, .product, .quotient, .entry: false
        }
    }

    private static let rising: Set<Function> = [.exp, .log, .squareRoot, .erf, .floor, .ceiling, .sign, .isPositive, .arctangent, .round]
}
