import NeuralNetwork

/// Classes' scores that are constants less sums of squares: naive Bayes, quadratic discriminants, distances to prototypes.
extension FloatGraph {
    /// The same with a soft-max over how much less each class has than the best. Scores themselves reach from a hundred to minus a hundred
    /// thousand where a row is far from some class, in steps that are too large to tell the best two; roots of the sums keep theirs:
    /// a - b = (√a - √b) (√a + √b).
    func comparingSquareSums() -> FloatGraph {
        guard quantisations.isEmpty else { return self }
        var known: [Int: [ProductTrace]] = [:], graph = self, places = [0: 0], isChanged = false
        graph.layers = []
        for (index, layer) in layers.enumerated() {
            var sources = layer.sources.map { places[$0] ?? 0 }
            if layer.operation == .softmax, let sums = scores(layer.sources[0], &known), graph.append(sums, places) {
                (sources, isChanged) = ([graph.layers.count], true)
            }
            graph.layers.append(FloatLayer(layer.operation, sources: sources, shape: layer.shape))
            places[index + 1] = graph.layers.count
        }
        if output == .softmax, let sums = scores(layers.count, &known), graph.append(sums, places) { isChanged = true }
        return isChanged ? unlessTooLong(graph.withoutUnread()) : self
    }

    // Appends how much less each class has than the best; false where they are too many, or too large.
    private mutating func append(_ sums: [ProductSum], _ places: [Int: Int]) -> Bool {
        let width = (sums.map(\.terms.count).max() ?? 0) + 1, classes = sums.count, highest = sums.map(\.constant).max() ?? 0
        let constants = sums.map { Float((highest - $0.constant).squareRoot()) }
        guard constants.allSatisfy(\.isFinite), appendNumbers(of: sums, width: width, constants: constants, places) else { return false }
        // A class that is a thousand deviations away is out, however many more.
        let far = max(Self.far, 2 * Double(constants.max() ?? 0))
        append(Self.squareLimit(far), last)
        appendRoots(count: classes, width: width)
        appendComparison(classes: classes, width: width)
        return true
    }

    /// What was written in more layers, where there are not too many of them then.
    func unlessTooLong(_ other: FloatGraph) -> FloatGraph { other.layers.count <= NetworkFile.mostLayers * 3 / 4 ? other : self }

    // What is less probable than e^-24 is 0 in Q0.15.
    private static let least = -24.0, far = 1024.0

    // On the sums' roots: minus the sum of each class' squares, plus the smallest of the sums.
    private mutating func appendComparison(classes: Int, width: Int) {
        let root = layers.count, each = FloatShape(height: classes, channels: 1)
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

    // Every class' score, of those that a soft-max is of; nil where one is something else.
    private func scores(_ place: Int, _ known: inout [Int: [ProductTrace]]) -> [ProductSum]? {
        // It does not matter what all numbers are less by.
        var end = place
        while end > 0, case .subtract = layers[end - 1].operation, isSame(layers[end - 1].sources[1]) { end = layers[end - 1].sources[0] }
        guard (2...64).contains(shape(place).count), shape(place).positions == 1, shape(end) == shape(place),
            let found = trace(end, &known)
        else { return nil }
        var sums: [ProductSum] = []
        for element in found {
            guard case .sum(let sum) = element, sum.terms.count > 1, sum.constant.isFinite,
                sum.terms.allSatisfy({ $0.isSquare && $0.factor < 0 && $0.factor.isFinite })
            else { return nil }
            sums.append(sum)
        }
        return sums
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
