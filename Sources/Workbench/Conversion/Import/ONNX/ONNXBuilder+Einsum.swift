internal import NeuralNetwork
internal import Support

/// Einsum, as products of matrices.
extension ONNXBuilder {
    private struct Equation {
        /// The letter of each axis.
        var inputs: [[Character]]
        var output: [Character]

        // "bij,bjk->bik"; without an arrow the letters that are there once, in the alphabet's order.
        init?(_ text: String) {
            guard text.utf8.count <= Self.longest else { return nil }
            let sides = text.filter { $0 != " " }.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let left = sides.first else { return nil }
            inputs = left.split(separator: ",", omittingEmptySubsequences: false).map(Array.init)
            let all = inputs.flatMap { $0 }
            if sides.count == 2 {
                guard sides[1].first == ">" else { return nil }
                output = Array(sides[1].dropFirst())
            } else {
                output = Set(all).filter { letter in all.count { $0 == letter } == 1 }.sorted()
            }
            let known = Set(all)
            guard (inputs + [output]).allSatisfy({ Set($0).count == $0.count && $0.allSatisfy { $0.isASCII && $0.isLetter } }),
                output.allSatisfy({ known.contains($0) })
            else { return nil }
        }

        private static let longest = 64
    }

    mutating func appendEinsum(_ node: ONNXFile.Node) throws(Fault) {
        let text = node.text("equation") ?? ""
        guard let equation = Equation(text), !equation.inputs.isEmpty, node.inputs.count == equation.inputs.count else {
            throw refused(node, "its equation is \"\(text)\"; inputs whose axes have letters of their own can be run")
        }
        var values: [ONNXValue] = [], extents: [Character: Int] = [:], letters = equation.inputs
        for (position, own) in letters.enumerated() {
            let value = try value(node, position)
            guard value.shape.count == own.count,
                zip(own, value.shape).allSatisfy({ extents[$0] == nil || extents[$0] == $1 })
            else { throw refused(node, "its input \(position) has the shape \(value.shape), its equation \"\(text)\"") }
            for (letter, extent) in zip(own, value.shape) { extents[letter] = extent }
            values.append(value)
        }
        // What only one of them has, and the result has not, is summed up first.
        for position in values.indices {
            let others = Set(equation.output + letters.enumerated().filter { $0.offset != position }.flatMap(\.element))
            let axes = letters[position].indices.filter { !others.contains(letters[position][$0]) }
            guard !axes.isEmpty else { continue }
            values[position] = try sum(node, values[position], axes)
            letters[position].removeAll { !others.contains($0) }
        }
        // The first two, then the result of that and the next.
        while values.count > 1 {
            let needed = Set(equation.output + letters.dropFirst(2).flatMap { $0 })
            let (product, order) = try product(node, values, letters, needed, extents)
            values.replaceSubrange(0..<2, with: [product])
            letters.replaceSubrange(0..<2, with: [order])
        }
        try define(node, ordered(values[0], letters[0], equation.output))
    }

    private mutating func product(
        _ node: ONNXFile.Node, _ values: [ONNXValue], _ letters: [[Character]], _ needed: Set<Character>, _ extents: [Character: Int]
    ) throws(Fault) -> (ONNXValue, [Character]) {
        let shared = letters[0].filter { letters[1].contains($0) }
        let batch = shared.filter { needed.contains($0) }, inner = shared.filter { !needed.contains($0) }
        let outer = letters.prefix(2).map { own in own.filter { !shared.contains($0) } }
        func extent(_ letters: [Character]) -> [Int] { letters.map { extents[$0] ?? 1 } }
        func size(_ letters: [Character]) -> Int { Elements.count(extent(letters)) }
        let order = batch + outer[0] + outer[1]
        if inner.isEmpty { // a product of numbers, one by one
            let left = ordered(values[0], letters[0], batch + outer[0])
            let right = ordered(values[1], letters[1], batch + outer[1])
            let wide = left.reshaped(extent(batch + outer[0]) + outer[1].map { _ in 1 })
            let other = right.reshaped(extent(batch) + outer[0].map { _ in 1 } + extent(outer[1]))
            return (try combined(node, .mul, wide, other), order)
        }
        let left = ordered(values[0], letters[0], batch + outer[0] + inner),
            right = ordered(values[1], letters[1], batch + inner + outer[1])
        let rows = size(outer[0]), depth = size(inner), columns = size(outer[1])
        let result: ONNXValue
        if batch.isEmpty, left.constant == nil, let weights = ordered(right, inner + outer[1], outer[1] + inner).constant {
            let layer = FloatWeights(inputs: depth, outputs: columns, values: weights.floats)
            result = try dense(node, left.reshaped([rows, depth]), layer)
        } else {
            result = try product(
                node, left.reshaped([size(batch), rows, depth]), right.reshaped([size(batch), depth, columns]))
        }
        return (result.reshaped(extent(order)), order)
    }

    // With its axes in another order of letters.
    private func ordered(_ value: ONNXValue, _ letters: [Character], _ wanted: [Character]) -> ONNXValue {
        value.transposed(wanted.compactMap { letters.firstIndex(of: $0) })
    }

    private mutating func sum(_ node: ONNXFile.Node, _ value: ONNXValue, _ axes: [Int]) throws(Fault) -> ONNXValue {
        guard value.constant == nil else { throw refused(node, "it sums up a constant") }
        let count = axes.reduce(1) { $0 * value.shape[$1] }
        let total = applied(.product(.constant(Double(count)), .input), to: try mean(node, value, axes))
        return total.reshaped(value.shape.indices.filter { !axes.contains($0) }.map { value.shape[$0] })
    }
}
