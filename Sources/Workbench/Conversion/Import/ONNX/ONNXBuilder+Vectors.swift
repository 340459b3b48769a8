internal import NeuralNetwork
internal import Support

/// Support vector machines, as scikit-learn's converter writes them.
extension ONNXBuilder {
    /// The score between each two classes is a vote for one of them; the class with most votes is decided, the first of several.
    mutating func appendVectorMachine(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0)
        guard source.constant == nil, endsIn else {
            throw refused(node, "its scores are read by others; a support vector machine can be run that decides")
        }
        let machine = try ONNXVectorMachine(node, inputs: source.count) { refused(node, $0) }.normalised
        labels.append(machine.names)
        graph.needsWideWeights = true
        let inputs = arranged(source, axes: Array(source.shape.indices), FloatShape(channels: source.count))
        let classes = machine.names.count, pairs = machine.pairs
        // One score of two classes decides by its sign.
        if classes == 2 {
            let place = try appendScores(
                node, machine, machine.weights + machine.weights.map { -$0 }, machine.bias + machine.bias.map { -$0 }, inputs)
            return try define(node, ONNXValue(place: place, shape: [1, 2]), output: 1)
        }
        let shape = FloatShape(channels: pairs.count)
        let score = append(.curve(.reluBetweenOnes), [try appendScores(node, machine, machine.weights, machine.bias, inputs)], shape)
        let vote = append(.curve(Expression.function(.sign, .input).activation), [score], shape)
        var sums = [Float](repeating: 0, count: classes * pairs.count)
        for (index, pair) in pairs.enumerated() {
            sums[pair.0 * pairs.count + index] = 1
            sums[pair.1 * pairs.count + index] = -1
        }
        let votes = FloatWeights(
            inputs: pairs.count, outputs: classes, values: sums, bias: [Float](repeating: 0, count: classes))
        let place = append(.dense(votes), [vote], FloatShape(channels: classes))
        try define(node, ONNXValue(place: place, shape: [1, classes]), output: 1)
    }

    // Sums of what the kernel makes of the input and each vector.
    private mutating func appendScores(
        _ node: ONNXFile.Node, _ machine: ONNXVectorMachine, _ weights: [Float], _ bias: [Float], _ inputs: Int
    ) throws(Fault) -> Int {
        guard machine.count <= Self.mostWeights / machine.inputs else {
            throw refused(node, "it has \(machine.count) vectors of \(machine.inputs) numbers, which is more than can be run")
        }
        let shape = FloatShape(channels: bias.count)
        let sums = FloatWeights(inputs: machine.count, outputs: bias.count, values: weights, bias: bias)
        guard let kernel = machine.kernel else { return append(.dense(sums.product(machine.vectors)), [inputs], shape) }
        let support = FloatSupportVectors(kernel: kernel, gamma: machine.gamma, vectors: machine.vectors, weights: sums)
        return append(.supportVectors(support), [inputs], shape)
    }
}

extension FloatWeights {
    // Of sums of products with vectors, [inputs][numbers]: out of the numbers themselves.
    fileprivate func product(_ vectors: [Float]) -> FloatWeights {
        let numbers = vectors.count / inputs
        var result = FloatWeights(inputs: numbers, outputs: outputs, values: [], bias: bias)
        for output in 0..<outputs {
            var sums = [Double](repeating: 0, count: numbers)
            for vector in 0..<inputs {
                let weight = Double(values[output * inputs + vector])
                guard weight != 0 else { continue }
                for number in 0..<numbers { sums[number] += weight * Double(vectors[vector * numbers + number]) }
            }
            result.values += sums.map { Float($0) }
        }
        return result
    }
}
