import NeuralNetwork

/// Classes' scores that are constants less sums of squares: naive Bayes, quadratic discriminants, distances to prototypes.
extension FloatGraph {
    /// The same with a soft-max over how much less each class has than the best. Scores themselves reach from a hundred to minus a hundred
    /// thousand where a row is far from some class, in steps that are too large to tell the best two; roots of the sums keep theirs:
    /// a - b = (√a - √b) (√a + √b).
    func comparingSquareSums() -> FloatGraph {
        guard output == .softmax, quantisations.isEmpty, let (sums, end) = scores() else { return self }
        let least = sums.map(\.terms.count).min() ?? 0, width = (sums.map(\.terms.count).max() ?? 0) + 1, classes = sums.count
        let isFitting = sums.allSatisfy { sum in
            sum.constant.isFinite && sum.terms.allSatisfy { $0.isSquare && $0.factor < 0 && $0.factor.isFinite }
        }
        guard least > 1, (2...64).contains(classes), classes * width <= Self.mostSquares, isFitting else { return self }
        var graph = self
        graph.layers.removeSubrange(end...)
        let (source, starts) = graph.appendSources(Set(sums.flatMap { $0.terms.map(\.left.place) }))
        // Each class' numbers, and one that holds its constant.
        let highest = sums.map(\.constant).max() ?? 0
        var from = [Int32](repeating: -1, count: classes * width)
        var scale = FloatWeights(ones: from.count)
        for (index, sum) in sums.enumerated() {
            for (position, term) in sum.terms.enumerated() {
                let at = index * width + position, factor = (-term.factor).squareRoot()
                from[at] = Int32(clamping: term.left.index + (starts[term.left.place] ?? 0))
                scale.values[at] = Float(term.left.scale * factor)
                scale.bias[at] = Float(term.left.offset * factor)
            }
            scale.bias[(index + 1) * width - 1] = Float((highest - sum.constant).squareRoot())
        }
        guard scale.isFinite else { return self }
        graph.layers.append(FloatLayer(.gather(from), sources: [source], shape: FloatShape(channels: from.count)))
        graph.append(.depthwise(scale, KernelShape(height: 1, width: 1)), FloatShape(channels: from.count))
        graph.append(.reshape, FloatShape(height: classes, channels: width))
        graph.appendComparison(classes: classes, width: width)
        return graph.withoutUnread()
    }

    // Numbers of all classes together; what is less probable than e^-24 is 0 in Q0.15.
    private static let mostSquares = 4096, least = -24.0

    // On [class][1][number]: minus the sum of each class' squares, plus the smallest of the sums.
    private mutating func appendComparison(classes: Int, width: Int) {
        let numbers = layers.count, each = FloatShape(height: classes, channels: 1)
        append(.rootMeanSquare(gain: 1, epsilon: 0), last)
        layers.append(FloatLayer(.matrixProduct, sources: [numbers, layers.count], shape: each)) // width times the root of the mean
        let root = layers.count
        append(.constant([Float](repeating: 0, count: classes)), each)
        layers.append(FloatLayer(.subtract, sources: [layers.count, root], shape: each))
        append(.maxPool(KernelShape(height: classes, width: 1)), FloatShape(channels: 1))
        append(.gather([Int32](repeating: 0, count: classes)), each)
        let smallest = layers.count // its negative
        layers.append(FloatLayer(.add, sources: [root, smallest], shape: each))
        layers.append(FloatLayer(.subtract, sources: [root, smallest], shape: each))
        let share = FloatWeights(inputs: 1, outputs: 1, values: [-1 / Float(width)], bias: [0])
        append(.depthwise(share, KernelShape(height: 1, width: 1)), each)
        layers.append(FloatLayer(.multiply, sources: [layers.count - 2, layers.count], shape: each))
        appendCurve(.expression(.maximum(.input, .constant(Self.least))))
        append(.reshape, FloatShape(channels: classes))
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
        while parts.count > 1 { // a layer reads four at most
            let few = Array(parts.prefix(4)), count = few.reduce(0) { $0 + shape($1).count }
            layers.append(FloatLayer(.concatenation(axis: 2), sources: few, shape: FloatShape(channels: count)))
            parts.replaceSubrange(0..<few.count, with: [layers.count])
        }
        return (parts[0], starts)
    }

    // Every class' score, and how many layers are there before the first that is none of them; nil where one is something else.
    private func scores() -> (sums: [ProductSum], end: Int)? {
        var traces: [Int: [ProductTrace]] = [:], end = layers.count
        // Of a soft-max it does not matter what all numbers are less by.
        while end > 0, case .subtract = layers[end - 1].operation, isSame(layers[end - 1].sources[1]) { end = layers[end - 1].sources[0] }
        guard end > 0, shape(end).count == last.count, let found = trace(end, &traces) else { return nil }
        var sums: [ProductSum] = []
        for element in found {
            guard case .sum(let sum) = element else { return nil }
            sums.append(sum)
        }
        return (sums, end)
    }

    // Whether all numbers of a tensor are one.
    private func isSame(_ place: Int) -> Bool {
        guard place > 0 else { return false }
        switch layers[place - 1].operation {
        case .gather(let from): return Set(from).count == 1
        case .reshape: return isSame(layers[place - 1].sources[0])
        default: return false
        }
    }
}
