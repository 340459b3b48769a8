import NeuralNetwork

/// Curves of sums of squares: logarithms and roots of power spectra.
extension FloatGraph {
    /// The same with such curves of the sums' roots. Where the powers of some frequencies are a thousand, those of others are less than a
    /// step of them, which is all that a logarithm has; the roots' steps are as fine as those of the numbers.
    func takingCurvesOfRoots() -> FloatGraph {
        guard quantisations.isEmpty else { return self }
        var known: [Int: [ProductTrace]] = [:]
        return replacingLayers { layer, graph, places in
            guard let (curve, sums) = curveOfSquares(layer, &known) else { return false }
            return graph.append(curve, of: sums, layer.shape, places)
        }
    }

    private func curveOfSquares(
        _ layer: FloatLayer, _ known: inout [Int: [ProductTrace]]
    ) -> (curve: Expression, sums: [ProductSum])? {
        guard case .curve(let curve) = layer.operation, curve.limits == nil else { return nil }
        let expression = curve.expression
        guard expression.quadratic == nil, let found = trace(layer.sources[0], &known) else { return nil }
        return ProductSum.squares(found).map { (expression, $0) }
    }

    /// Appends a curve of sums with one constant, taken of their roots.
    ///
    /// - Parameter places: where this graph has the tensors of the one that was traced.
    /// - Returns: false where they are too many.
    mutating func append(_ curve: Expression, of sums: [ProductSum], _ shape: FloatShape, _ places: [Int: Int]) -> Bool {
        let width = sums.map(\.terms.count).max() ?? 0
        guard appendNumbers(of: sums, width: width, constants: nil, places) else { return false }
        appendRoots(count: sums.count, width: width)
        let square = Expression.product(.constant(1 / Double(width)), .power(.input, exponent: 2))
        appendCurve(.expression(curve.after(.sum(square, .constant(sums[0].constant)))))
        append(.reshape, shape)
        return true
    }

    // Numbers of all sums together.
    static let mostSquares = 4096

    /// Appends what sums are the squares of, each with the root of its factor, in `width` places of each sum.
    ///
    /// - Parameters:
    ///   - constants: what the last place of each has.
    ///   - places: where this graph has the tensors of the one that was traced.
    /// - Returns: false where they are too many, or too large.
    mutating func appendNumbers(of sums: [ProductSum], width: Int, constants: [Float]?, _ places: [Int: Int]) -> Bool {
        guard sums.count * width <= Self.mostSquares else { return false }
        var from = [Int32](repeating: -1, count: sums.count * width), scale = FloatWeights(ones: from.count)
        for (index, sum) in sums.enumerated() {
            for (position, term) in sum.terms.enumerated() {
                let at = index * width + position, factor = term.factor.magnitude.squareRoot()
                scale.values[at] = Float(term.left.scale * factor)
                scale.bias[at] = Float(term.left.offset * factor)
            }
            if let constants { scale.bias[(index + 1) * width - 1] = constants[index] }
        }
        guard scale.isFinite else { return false }
        let (source, starts) = appendSources(Set(sums.flatMap { $0.terms.map { places[$0.left.place] ?? 0 } }))
        for (index, sum) in sums.enumerated() {
            for (position, term) in sum.terms.enumerated() {
                from[index * width + position] = Int32(clamping: term.left.index + (starts[places[term.left.place] ?? 0] ?? 0))
            }
        }
        layers.append(FloatLayer(.gather(from), sources: [source], shape: FloatShape(channels: from.count)))
        append(.depthwise(scale, KernelShape(height: 1, width: 1)), FloatShape(channels: from.count))
        return true
    }

    /// Appends, for each of `count` times `width` numbers, the root of `width` times the sum of their squares: [count][1][1].
    mutating func appendRoots(count: Int, width: Int) {
        append(.reshape, FloatShape(height: count, channels: width))
        let numbers = layers.count
        append(.rootMeanSquare(gain: 1, epsilon: 0), last)
        layers.append(FloatLayer(.matrixProduct, sources: [numbers, layers.count], shape: FloatShape(height: count, channels: 1)))
    }

    // What the squares are of in one vector, and where each tensor begins there.
    mutating func appendSources(_ places: Set<Int>) -> (place: Int, starts: [Int: Int]) {
        var starts: [Int: Int] = [:], next = 0
        for place in places.sorted() {
            starts[place] = next
            next += shape(place).count
        }
        var parts = places.sorted()
        if parts.count > 1 {
            parts = parts.map { place in
                layers.append(FloatLayer(.reshape, sources: [place], shape: FloatShape(channels: shape(place).count)))
                return layers.count
            }
        }
        return (append(parts: parts), starts)
    }

    /// Appends vectors one behind the other.
    ///
    /// - Returns: where they are.
    @discardableResult mutating func append(parts: [Int]) -> Int {
        var parts = parts
        while parts.count > 1 { // a layer reads four at most
            let few = Array(parts.prefix(4)), count = few.reduce(0) { $0 + shape($1).count }
            layers.append(FloatLayer(.concatenation(axis: 2), sources: few, shape: FloatShape(channels: count)))
            parts.replaceSubrange(0..<few.count, with: [layers.count])
        }
        return parts[0]
    }
}
