import NeuralNetwork

extension FloatGraph {
    // Elements of a tensor; terms of all of them.
    private static let mostTraced = 4096, mostTerms = 1 << 16

    /// The same with others in the place of some layers, where there are not too many of them then.
    ///
    /// - Parameter put: appends what gives the same as a layer to the new graph, by where that has this one's tensors; false
    ///   where the layer stays, and nothing was appended.
    func replacingLayers(_ put: (FloatLayer, inout FloatGraph, [Int: Int]) -> Bool) -> FloatGraph {
        var graph = self, places = [0: 0], isChanged = false
        graph.layers = []
        for (index, layer) in layers.enumerated() {
            if put(layer, &graph, places) {
                isChanged = true
            } else {
                graph.layers.append(FloatLayer(layer.operation, sources: layer.sources.map { places[$0] ?? 0 }, shape: layer.shape))
            }
            places[index + 1] = graph.layers.count
        }
        return isChanged ? unlessTooLong(graph.withoutUnread()) : self
    }

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
        case .dense: true
        case .matrixProduct: layer.sources.contains(where: isConstant)
        case .convolution(_, let window): window == KernelShape(height: 1, width: 1)
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
            guard let quadratic = curve.expression.quadratic else { return nil }
            let found = sources[0].compactMap { $0.after(quadratic) }
            return found.count == sources[0].count ? found : nil
        case .depthwise(let weights, _):
            return sources[0].enumerated().map { index, element in
                let channel = index % weights.outputs
                return element.scaled(by: Double(weights.values[channel]), plus: Double(weights.bias[channel]))
            }
        case .dense(let weights), .convolution(let weights, _): return Self.traced(weights, sources[0])
        case .matrixProduct: return matrixProduct(layer, sources)
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

    // The same of weights that are a constant matrix: its rows as a dense layer's outputs, which read the other's rows one by one.
    private func matrixProduct(_ layer: FloatLayer, _ sources: [[ProductTrace]]) -> [ProductTrace]? {
        let depth = shape(layer.sources[0]).channels, sizes = [layer.shape.width, layer.shape.channels]
        guard let fixed = layer.sources.firstIndex(where: isConstant), depth > 0 else { return nil }
        var found = [ProductTrace](repeating: .sum(ProductSum()), count: layer.shape.count)
        for matrix in 0..<layer.shape.height {
            func rows(_ side: Int) -> ArraySlice<ProductTrace> {
                sources[side].dropFirst(matrix * depth * sizes[side]).prefix(depth * sizes[side])
            }
            let outputs = sizes[fixed], values = rows(fixed).compactMap { $0.constant().map { Float($0) } }
            guard values.count == depth * outputs else { return nil }
            let zeros = [Float](repeating: 0, count: outputs)
            guard
                let products = Self.traced(
                    FloatWeights(inputs: depth, outputs: outputs, values: values, bias: zeros), Array(rows(1 - fixed)))
            else { return nil }
            for (place, product) in products.enumerated() {
                let (read, output) = (place / outputs, place % outputs), row = fixed == 0 ? output : read,
                    column = fixed == 0 ? read : output
                found[(matrix * sizes[0] + row) * sizes[1] + column] = product
            }
        }
        return found
    }

    private func isConstant(_ place: Int) -> Bool { place > 0 && layers[place - 1].isConstant }

    // Weighted sums of sums, as bands of a spectrum; nil where they are of anything else.
    private static func traced(_ weights: FloatWeights, _ elements: [ProductTrace]) -> [ProductTrace]? {
        let sums = elements.compactMap { if case .sum(let sum) = $0 { sum } else { nil } }
        guard sums.count == elements.count, sums.contains(where: { !$0.terms.isEmpty }) else { return nil }
        var terms = 0, found: [ProductTrace] = []
        for start in stride(from: 0, to: sums.count, by: weights.inputs) {
            for output in 0..<weights.outputs {
                var whole = ProductSum(constant: Double(weights.bias[output]))
                for input in 0..<weights.inputs where weights.values[output * weights.inputs + input] != 0 {
                    let part = sums[start + input].scaled(by: Double(weights.values[output * weights.inputs + input]))
                    whole.terms += part.terms
                    whole.constant += part.constant
                }
                terms += whole.terms.count
                guard terms <= mostTerms else { return nil }
                found.append(.sum(whole))
            }
        }
        return found
    }
}
