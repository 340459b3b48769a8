internal import NeuralNetwork
internal import Support

/// Support vector machines, as scikit-learn's converter writes them.
extension ONNXBuilder {
    // Of less than e^-10 next to nothing is left in 16 bits, and what is left of the range makes the rest finer.
    private static let least = 10.0

    /// The score between each two classes is a vote for one of them; the class with most votes is decided, the first of several.
    mutating func appendVectorMachine(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0)
        guard source.constant == nil, endsIn else {
            throw refused(node, "its scores are read by others; a support vector machine can be run that decides")
        }
        let machine = try ONNXVectorMachine(node, inputs: source.count) { refused(node, $0) }
        labels.append(machine.names)
        graph.needsWideWeights = true
        let inputs = arranged(source, axes: Array(source.shape.indices), FloatShape(channels: source.count))
        let (kernels, weights) = try kernels(node, machine, source, inputs)
        let classes = machine.names.count, pairs = machine.pairs
        // One score of two classes decides by its sign.
        if classes == 2 {
            let both = FloatWeights(
                inputs: weights.count, outputs: 2, values: weights + weights.map { -$0 }, bias: machine.bias + machine.bias.map { -$0 })
            let place = append(.dense(both), [kernels], FloatShape(channels: 2))
            return try define(node, ONNXValue(place: place, shape: [1, 2]), output: 1)
        }
        let scores = FloatWeights(inputs: weights.count / pairs.count, outputs: pairs.count, values: weights, bias: machine.bias)
        let score = append(.dense(scores), [kernels], FloatShape(channels: pairs.count))
        let vote = append(.curve(Expression.function(.sign, .input).activation), [score], FloatShape(channels: pairs.count))
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

    // What the kernel makes of the input and each vector, and the scores' weights of that.
    private mutating func kernels(
        _ node: ONNXFile.Node, _ machine: ONNXVectorMachine, _ source: ONNXValue, _ inputs: Int
    ) throws(Fault) -> (place: Int, weights: [Float]) {
        guard machine.count <= Self.mostWeights / (2 * machine.inputs) else {
            throw refused(node, "it has \(machine.count) vectors of \(machine.inputs) numbers, which is more than can be run")
        }
        let shape = FloatShape(channels: machine.count)
        func curved(_ place: Int, _ curve: Expression) -> Int { append(.curve(curve.activation), [place], shape) }
        switch machine.kernel {
        case .linear: return (inputs, machine.linearWeights)
        case .polynomial(let degree):
            return (curved(append(.dense(machine.products), [inputs], shape), .power(.input, exponent: Double(degree))), machine.weights)
        case .sigmoid: return (curved(append(.dense(machine.products), [inputs], shape), .curve(.tanh, .input)), machine.weights)
        case .radial:
            let squared = applied(.power(.input, exponent: 2), to: source)
            let squares = arranged(squared, axes: Array(squared.shape.indices), FloatShape(channels: machine.inputs))
            let both = append(.concatenation(axis: 2), [inputs, squares], FloatShape(channels: 2 * machine.inputs))
            let above = append(.dense(machine.distances(above: Self.least)), [both], shape)
            // From the limit on, so that the table of the exponential function is fine where its argument is near zero.
            let exponent = curved(above, .curve(.relu, .input))
            return (curved(exponent, .function(.exp, .difference(.input, .constant(Self.least)))), machine.weights)
        }
    }
}
