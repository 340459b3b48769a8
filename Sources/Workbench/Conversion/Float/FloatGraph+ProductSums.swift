import NeuralNetwork

extension FloatGraph {
    // Elements of a tensor; terms of all of them.
    private static let mostTraced = 4096, mostTerms = 1 << 16

    /// What each element of a tensor is, by the places known so far; nil where there are too many.
    func trace(_ place: Int, _ known: inout [Int: [ProductTrace]]) -> [ProductTrace]? {
        if let found = known[place] { return found }
        let count = shape(place).count
        guard count <= Self.mostTraced else { return nil }
        var found: [ProductTrace]?
        if place > 0 {
            let layer = layers[place - 1]
            if isTraced(layer) {
                let sources = layer.sources.map { trace($0, &known) }
                if sources.allSatisfy({ $0 != nil }) { found = traced(layer, sources.compactMap { $0 }) }
            }
        }
        let terms = found?.reduce(0) { sum, element in if case .sum(let products) = element { sum + products.terms.count } else { sum + 1 }
        }
        guard (terms ?? 0) <= Self.mostTerms else { return nil }
        let result = found ?? (0..<count).map { ProductTrace.line(ProductSum.Line(place: place, index: $0)) }
        known[place] = result
        return result
    }

    private func isTraced(_ layer: FloatLayer) -> Bool {
        switch layer.operation {
        case .reshape, .gather, .concatenation, .constant, .add, .subtract, .multiply, .divide, .curve, .mean: true
        case .depthwise: channelScale(layer) != nil
        default: false
        }
    }

    // Nil where an element is neither a line of another nor a sum of products.
    private func traced(_ layer: FloatLayer, _ sources: [[ProductTrace]]) -> [ProductTrace]? {
        func pairs(_ combined: (ProductTrace, ProductTrace) -> ProductTrace?) -> [ProductTrace]? {
            let found = zip(sources[0], sources[1]).compactMap(combined)
            return found.count == layer.shape.count ? found : nil
        }
        switch layer.operation {
        case .reshape: return sources[0]
        case .gather(let from): return from.map { $0 < 0 ? .sum(ProductSum()) : sources[0][Int($0)] }
        case .concatenation(let axis): return layer.shape.joined(sources, along: axis)
        case .constant(let values): return values.map { .sum(ProductSum(constant: Double($0))) }
        case .add: return pairs(ProductTrace.sum)
        case .subtract: return pairs { ProductTrace.sum($0, $1.scaled(by: -1)) }
        case .multiply: return pairs(ProductTrace.product)
        case .divide: return pairs(ProductTrace.quotient)
        case .curve(let curve):
            let expression: Expression
            if case .expression(let own) = curve { expression = own } else { expression = .curve(curve, .input) }
            guard let quadratic = expression.quadratic else { return nil }
            let found = sources[0].compactMap { $0.after(quadratic) }
            return found.count == sources[0].count ? found : nil
        case .depthwise(let weights, _):
            return sources[0].enumerated().map { index, element in
                let channel = index % weights.outputs
                return element.scaled(by: Double(weights.values[channel]), plus: Double(weights.bias[channel]))
            }
        case .mean:
            let channels = layer.shape.count, positions = sources[0].count / channels
            var sums = [ProductSum](repeating: ProductSum(), count: channels)
            for (index, element) in sources[0].enumerated() {
                guard case .sum(let sum) = element else { return nil }
                let part = sum.scaled(by: 1 / Double(positions))
                sums[index % channels].terms += part.terms
                sums[index % channels].constant += part.constant
            }
            return sums.map { .sum($0) }
        default: return nil
        }
    }
}
