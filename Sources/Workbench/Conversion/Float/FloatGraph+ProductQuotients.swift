import NeuralNetwork

/// Quotients of sums of products by sums of squares of the same numbers: centres of spectra, autocorrelations, shares of a power.
extension FloatGraph {
    /// The same with numbers that are divided by the largest of them before they are multiplied: products of small ones, as of somebody at
    /// rest, would be rounded to nothing where others move.
    func dividingByLargest() -> FloatGraph {
        guard quantisations.isEmpty, layers.contains(where: { $0.operation == .divide }) else { return self }
        var known: [Int: [ProductTrace]] = [:]
        return replacingLayers { layer, graph, places in
            guard layer.operation == .divide, let quotients = quotients(layer, &known) else { return false }
            return graph.append(quotients, layer.shape, places)
        }
    }

    private struct Quotient {
        /// What is divided by the largest: numbers of the divisor, without their scale.
        var lines: [ProductSum.Line]
        /// Left, right and factor; as many as lines there is the root of the divisor's constant.
        var dividend: [(Int, Int, Double)]
        var divisor: [(Int, Int, Double)]
        /// The root of the divisor's constant.
        var least: Double
    }

    // Of all elements; nil where one is something else.
    private func quotients(_ layer: FloatLayer, _ known: inout [Int: [ProductTrace]]) -> [Quotient]? {
        guard let dividends = trace(layer.sources[0], &known), let divisors = trace(layer.sources[1], &known) else { return nil }
        let found = zip(dividends, divisors).compactMap { dividend, divisor -> Quotient? in
            guard case .sum(let above) = dividend, case .sum(let below) = divisor else { return nil }
            return quotient(above, below)
        }
        return found.count == layer.shape.count ? found : nil
    }

    private func quotient(_ above: ProductSum, _ below: ProductSum) -> Quotient? {
        guard below.terms.count > 1, !above.terms.isEmpty, below.constant >= 0, below.constant.isFinite, above.constant.isFinite,
            below.constant > 0 || above.constant == 0, below.terms.allSatisfy({ $0.isSquare && $0.factor > 0 })
        else { return nil }
        var numbers: [ProductSum.Line: Int] = [:], lines: [ProductSum.Line] = []
        for term in below.terms {
            guard let line = term.left.plain, numbers[line] == nil else { return nil }
            numbers[line] = lines.count
            lines.append(line)
        }
        var dividend: [(Int, Int, Double)] = []
        for term in above.terms {
            guard let left = term.left.plain, let right = term.right.plain, let one = numbers[left], let other = numbers[right] else {
                return nil
            }
            dividend.append((one, other, term.factor * term.left.scale * term.right.scale))
        }
        var divisor = below.terms.enumerated().map { ($0, $0, $1.factor * $1.left.scale * $1.left.scale) }
        if below.constant > 0 { divisor.append((lines.count, lines.count, 1)) }
        if above.constant != 0 { dividend.append((lines.count, lines.count, above.constant / below.constant)) }
        let isFinite = (dividend + divisor).allSatisfy { Float($0.2).isFinite } && lines.allSatisfy { Float($0.offset).isFinite }
        guard isFinite else { return nil }
        return Quotient(lines: lines, dividend: dividend, divisor: divisor, least: below.constant.squareRoot())
    }

    private static let mostProducts = 4096

    // Appends them; false where they are too many, or too large.
    private mutating func append(_ quotients: [Quotient], _ shape: FloatShape, _ places: [Int: Int]) -> Bool {
        let count = quotients.count, width = (quotients.map(\.lines.count).max() ?? 0) + 1
        let products = quotients.map { max($0.dividend.count, $0.divisor.count) }.max() ?? 0
        guard count * max(width, products) <= Self.mostProducts else { return false }
        var from = [Int32](repeating: -1, count: count * width), moved = FloatWeights(ones: count * width)
        let (source, starts) = appendSources(Set(quotients.flatMap { $0.lines.map { places[$0.place] ?? 0 } }))
        for (index, quotient) in quotients.enumerated() {
            for (number, line) in quotient.lines.enumerated() {
                from[index * width + number] = Int32(clamping: line.index + (starts[places[line.place] ?? 0] ?? 0))
                moved.bias[index * width + number] = Float(line.offset)
            }
            moved.bias[index * width + quotient.lines.count] = Float(quotient.least)
        }
        layers.append(FloatLayer(.gather(from), sources: [source], shape: FloatShape(channels: from.count)))
        append(.depthwise(moved, KernelShape(height: 1, width: 1)), FloatShape(channels: from.count))
        append(.reshape, FloatShape(height: count, width: width, channels: 1))
        let numbers = layers.count
        appendCurve(.expression(.function(.magnitude, .input)))
        append(.maxPool(KernelShape(height: 1, width: width)), FloatShape(height: count, channels: 1))
        append(.gather((0..<Int32(count * width)).map { $0 / Int32(width) }), self.shape(numbers))
        layers.append(FloatLayer(.divide, sources: [numbers, layers.count], shape: self.shape(numbers)))
        let shares = layers.count
        let above = appendProducts(quotients.map(\.dividend), of: shares, width: width)
        let below = appendProducts(quotients.map(\.divisor), of: shares, width: width)
        layers.append(FloatLayer(.divide, sources: [above, below], shape: FloatShape(height: count, channels: 1)))
        append(.reshape, shape)
        return true
    }

    // Each row's sum of products, out of [row][width][1]; returns where they are.
    private mutating func appendProducts(_ rows: [[(Int, Int, Double)]], of place: Int, width: Int) -> Int {
        let most = rows.map(\.count).max() ?? 0, lines = FloatShape(height: rows.count, channels: most)
        var left = [Int32](repeating: -1, count: rows.count * most), right = left, factors = FloatWeights(ones: left.count)
        for (row, products) in rows.enumerated() {
            for (number, (one, other, factor)) in products.enumerated() {
                left[row * most + number] = Int32(row * width + one)
                right[row * most + number] = Int32(row * width + other)
                factors.values[row * most + number] = Float(factor)
            }
        }
        layers.append(FloatLayer(.gather(left), sources: [place], shape: FloatShape(channels: left.count)))
        append(.depthwise(factors, KernelShape(height: 1, width: 1)), FloatShape(channels: left.count))
        append(.reshape, lines)
        layers.append(FloatLayer(.gather(right), sources: [place], shape: lines))
        layers.append(
            FloatLayer(
                .matrixProduct, sources: [layers.count - 1, layers.count], shape: FloatShape(height: rows.count, channels: 1)))
        return layers.count
    }
}

extension ProductSum.Line {
    /// With a scale of one; nil for one that is constant.
    fileprivate var plain: ProductSum.Line? {
        scale == 0 ? nil : ProductSum.Line(place: place, index: index, offset: offset / scale)
    }
}

extension FloatWeights {
    /// Of a layer that scales and moves each of so many channels: those that change nothing.
    init(ones count: Int) {
        self.init(
            inputs: 1, outputs: count, values: [Float](repeating: 1, count: count), bias: [Float](repeating: 0, count: count))
    }
}
