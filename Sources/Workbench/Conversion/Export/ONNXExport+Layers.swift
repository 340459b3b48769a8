internal import NeuralNetwork

extension ONNXExport {
    mutating func append(_ index: Int) {
        let layer = network.layers[index], sources = layer.sources, name = "\(index)_\(layer.kind.rawValue)"
        let source = tensor(sources.first ?? 0), output = layer.output
        /// What its factor is beyond the scales of its tensors.
        func beyond(_ multiplier: Multiplier, _ scale: Double) -> Double { multiplier.value * output.quantisation.scale / scale }
        func scale(_ place: Int) -> Double { tensor(sources[place]).quantisation.scale }
        switch layer.operation {
        case .dense(let weights): finish(index, dense(weights, index, name))
        case .convolution(let weights, let window): convolution(weights, window, index, name, isDepthwise: false)
        case .depthwise(let weights, let window): convolution(weights, window, index, name, isDepthwise: true)
        case .lstm(let lstm): finish(index, recurrent(lstm, index, name))
        case .gru(let gru): finish(index, recurrent(gru, index, name))
        case .averagePool(let window): pool("AveragePool", window, index, name)
        case .maxPool(let window): pool("MaxPool", window, index, name)
        case .mean(let factor):
            let flat = shaped(row(sources[0]), [source.positions, source.channels], from: source.extents, name)
            let mean = graph.append("ReduceMean", [flat], [("axes", .integers([1])), ("keepdims", .integer(0))], name: name)
            finish(index, scaled(mean, beyond(factor, scale(0)), name))
        case .add: finish(index, graph.append("Add", operands(index), name: name))
        case .subtract: finish(index, graph.append("Sub", operands(index), name: name))
        case .maximum: finish(index, graph.append("Max", operands(index), name: name))
        case .minimum: finish(index, graph.append("Min", operands(index), name: name))
        case .multiply(let factor), .multiplyOnce(let factor):
            finish(index, scaled(graph.append("Mul", operands(index), name: name), beyond(factor, scale(0) * scale(1)), name))
        case .divide(let factor):
            finish(index, scaled(quotient(index, name), beyond(factor, scale(0) / scale(1)), name))
        case .concatenation(let axis):
            let joined = graph.append(
                "Concat", sources.map { isConstant[$0] ? repeated($0, name) : whole($0, name) }, [("axis", .integer(axis + 1))], name: name)
            finish(index, shaped(joined, output.extents, from: [output.height, output.width, output.channels], name))
        case .slice(let first):
            let flat = shaped(row(sources[0]), [source.positions, source.channels], from: source.extents, name)
            let bounds = [first, first + output.positions, 1].map { graph.constant([$0], name: "\(name)_bound") }
            let part = graph.append("Slice", [flat] + bounds, name: name)
            finish(index, shaped(part, output.extents, from: [output.positions, output.channels], name))
        case .gather(let places): finish(index, gathered(places, index, name))
        case .constant(let values):
            let real = values.map { Float(output.quantisation.real($0)) }
            set(index + 1, graph.constant(real, [1] + output.extents, name: name))
        case .lookup(let table): finish(index, looked(table, index, name))
        case .sigmoid(let factor, let shift):
            let argument = scaled(row(sources[0]), slope(factor, shift, source), name)
            finish(index, graph.append("Sigmoid", [argument], name: name))
        case .tanh(let factor, let shift):
            let argument = scaled(row(sources[0]), slope(factor, shift, source), name)
            finish(index, graph.append("Tanh", [argument], name: name))
        case .rescale(let factor):
            let same = shaped(row(sources[0]), output.extents, from: source.extents, name)
            finish(index, scaled(same, beyond(factor, scale(0)), name))
        case .matrixProduct(let factor), .matrixProductOnce(let factor):
            let places = sources.map { whole($0, name) }
            let turned = graph.append("Transpose", [places[1]], [("perm", .integers([0, 1, 3, 2]))], name: "\(name)_turned")
            let product = graph.append("MatMul", [places[0], turned], name: name)
            let shape = [output.height, output.width, output.channels]
            finish(index, scaled(shaped(product, output.extents, from: shape, name), beyond(factor, scale(0) * scale(1)), name))
        case .softmax(let factor), .scaledSoftmax(let factor, _):
            let argument = scaled(row(sources[0]), factor.value / source.softmaxMultiplier.value, name)
            finish(index, graph.append("Softmax", [argument], [("axis", .integer(-1))], name: name))
        case .normalisation(_, let epsilon):
            let ones = [Float](repeating: 1, count: source.channels)
            finish(index, normalised(index, epsilon, [ones], name))
        case .scaledNormalisation(let factor, let epsilon, let weights):
            let units = weights.multipliers.map { $0.value * output.quantisation.scale }
            let scales = zip(weights.values, units).map { Float(Double($0) * $1 * factor.value) },
                offsets = zip(weights.bias, units).map { Float(Double($0) * $1) }
            finish(index, normalised(index, epsilon, [scales, offsets], name))
        case .rootMeanSquare(let factor, let epsilon):
            let values = row(sources[0]), square = graph.append("Mul", [values, values], name: "\(name)_square")
            let mean = graph.append("ReduceMean", [square], [("axes", .integers([-1]))], name: "\(name)_mean")
            // Zeros stay zeros, and what is not is much more than this.
            let least = max(Float(1e-6 * scale(0) * scale(0)), .leastNormalMagnitude)
            let added = graph.constant([max(Operation.epsilon(epsilon, scale: scale(0)), least)], [1], name: "\(name)_epsilon")
            let root = graph.append("Sqrt", [graph.append("Add", [mean, added], name: "\(name)_sum")], name: "\(name)_root")
            let gain = factor.value * output.quantisation.scale
            finish(index, scaled(graph.append("Div", [values, root], name: name), gain, name))
        case .supportVectors(let support): finish(index, sums(support, index, name))
        case .forest: break // refused before
        }
    }

    // With the scales of the channels, and their offsets if there are any.
    private mutating func normalised(_ index: Int, _ epsilon: Multiplier, _ factors: [[Float]], _ name: String) -> String {
        let source = network.layers[index].sources[0], added = Operation.epsilon(epsilon, scale: tensor(source).quantisation.scale)
        let constants = zip(factors, ["scale", "offset"]).map { graph.constant($0, [$0.count], name: "\(name)_\($1)") }
        return graph.append(
            "LayerNormalization", [row(source)] + constants, [("axis", .integer(-1)), ("epsilon", .float(added))], name: name)
    }

    // A tensor with both axes of positions, whatever their extents.
    private mutating func whole(_ place: Int, _ name: String) -> String {
        let tensor = tensor(place)
        return shaped(row(place), [tensor.height, tensor.width, tensor.channels], from: tensor.extents, name)
    }

    // What is constant, once for every window.
    private mutating func repeated(_ place: Int, _ name: String) -> String {
        let one = whole(place, name), tensor = tensor(place), all = graph.append("Shape", [row(0)], name: "\(name)_shape")
        let windows = graph.append("Slice", [all] + [0, 1].map { graph.constant([$0], name: "\(name)_first") }, name: "\(name)_windows")
        let extents = graph.constant([tensor.height, tensor.width, tensor.channels], name: "\(name)_extents")
        let shape = graph.append("Concat", [windows, extents], [("axis", .integer(0))], name: "\(name)_repeated")
        return graph.append("Expand", [one, shape], name: "\(name)_constant")
    }

    private mutating func operands(_ index: Int) -> [String] { network.layers[index].sources.map { row($0) } }

    // Zero by zero is zero in the core, and no number in float.
    private mutating func quotient(_ index: Int, _ name: String) -> String {
        let operands = operands(index), zero = graph.constant([Float(0)], [], name: "\(name)_zero")
        let least = graph.constant([Float(1e-20)], [], name: "\(name)_least")
        let isZero = graph.append("Equal", [operands[1], zero], name: "\(name)_is_zero")
        let divisor = graph.append("Where", [isZero, least, operands[1]], name: "\(name)_divisor")
        return graph.append("Div", [operands[0], divisor], name: name)
    }

    // Of sigmoid and tanh: the argument by the real number, 1 unless the network scales it.
    private func slope(_ factor: Int, _ shift: Int, _ source: Tensor) -> Double {
        Double(factor) / Double(sign: .plus, exponent: shift, significand: 1) / 12288 / source.quantisation.scale
    }

    // Factors are rounded: what is that near to 1 is 1.
    private mutating func scaled(_ value: String, _ factor: Double, _ name: String) -> String {
        guard (factor - 1).magnitude > 1e-3 else { return value }
        return graph.append("Mul", [value, graph.constant([Float(factor)], [], name: "\(name)_factor")], name: "\(name)_scaled")
    }

    // Within what its integers hold: a network's numbers stop there, whether by a ReLU or by their type.
    private mutating func limited(_ value: String, _ layer: Layer, _ name: String) -> String {
        switch layer.kind {
        case .averagePool, .maxPool:
            return layer.limits == layer.output.type.range ? value : limited(value, layer.output, layer.limits, name)
        case .lstm, .gru, .concatenation, .slice, .gather, .lookup, .sigmoid, .tanh, .softmax, .constant, .forest:
            return value
        case .dense, .convolution, .depthwise, .mean, .add, .subtract, .multiply, .multiplyOnce, .divide, .maximum, .minimum, .rescale,
            .matrixProduct, .matrixProductOnce, .scaledSoftmax, .normalisation, .scaledNormalisation, .rootMeanSquare, .supportVectors:
            return limited(value, layer.output, layer.limits, name)
        }
    }

    mutating func limited(_ value: String, _ tensor: Tensor, _ limits: ClosedRange<Int>, _ name: String) -> String {
        let bounds = [limits.lowerBound, limits.upperBound].map { Float(tensor.quantisation.real(Int16($0))) }
        return graph.append("Clip", [value] + bounds.map { graph.constant([$0], [], name: "\(name)_limit") }, name: "\(name)_clip")
    }

    private mutating func finish(_ index: Int, _ value: String) {
        // The largest of the last numbers is the same without limits, but for what stops at them.
        let layer = network.layers[index], isEnd = index == network.layers.count - 1 && layer.limits == layer.output.type.range
        set(index + 1, isEnd ? value : limited(value, layer, "\(index)"))
    }

    private func real(_ weights: Weights, _ layer: Layer) -> FloatWeights {
        weights.real(source: tensor(layer.sources[0]).quantisation.scale, result: layer.output.quantisation.scale)
    }

    private mutating func dense(_ weights: Weights, _ index: Int, _ name: String) -> String {
        let layer = network.layers[index], source = tensor(layer.sources[0]), real = real(weights, layer)
        // On each row of so many numbers.
        let count = source.count / weights.inputs
        let extents = source.channels == weights.inputs ? source.extents : count > 1 ? [count, weights.inputs] : [weights.inputs]
        let rows = shaped(row(layer.sources[0]), extents, from: source.extents, name)
        let bias = graph.constant(real.bias, [real.outputs], name: "\(name)_bias")
        let product: String
        if extents.count == 1 {
            let matrix = graph.constant(real.values, [real.outputs, real.inputs], name: "\(name)_weight")
            product = graph.append("Gemm", [rows, matrix, bias], [("transB", .integer(1))], name: name)
        } else {
            let turned = (0..<real.inputs).flatMap { input in (0..<real.outputs).map { real.values[$0 * real.inputs + input] } }
            let matrix = graph.constant(turned, [real.inputs, real.outputs], name: "\(name)_weight")
            product = graph.append("Add", [graph.append("MatMul", [rows, matrix], name: "\(name)_product"), bias], name: name)
        }
        return shaped(product, layer.output.extents, from: extents.dropLast() + [real.outputs], name)
    }

    private func attributes(_ window: KernelShape, _ source: Tensor, _ output: Tensor, axes: Int) -> [(String, ONNXGraph.Attribute)] {
        let end = window.behind(source, output)
        return [
            ("kernel_shape", .integers([window.height, window.width].suffix(axes))),
            ("strides", .integers([window.strideHeight, window.strideWidth].suffix(axes))),
            ("dilations", .integers([window.dilationHeight, window.dilationWidth].suffix(axes))),
            ("pads", .integers([window.top, window.left].suffix(axes) + [end.bottom, end.right].suffix(axes))),
        ]
    }

    private func axes(_ window: KernelShape, _ source: Tensor) -> Int { source.height > 1 || window.height > 1 ? 2 : 1 }

    private mutating func convolution(_ weights: Weights, _ window: KernelShape, _ index: Int, _ name: String, isDepthwise: Bool) {
        let layer = network.layers[index], source = tensor(layer.sources[0]), axes = axes(window, source), real = real(weights, layer)
        let size = window.height * window.width, channels = real.inputs / size
        // [outputs][positions][channels], and here the channels first.
        let turned = (0..<real.outputs).flatMap { output in
            (0..<channels).flatMap { channel in (0..<size).map { real.values[(output * size + $0) * channels + channel] } }
        }
        let shape = [real.outputs, channels] + [window.height, window.width].suffix(axes)
        let inputs = [
            column(layer.sources[0], axes: axes), graph.constant(turned, shape, name: "\(name)_weight"),
            graph.constant(real.bias, [real.outputs], name: "\(name)_bias"),
        ]
        let groups = [("group", ONNXGraph.Attribute.integer(isDepthwise ? source.channels : 1))]
        let value = graph.append("Conv", inputs, attributes(window, source, layer.output, axes: axes) + groups, name: name)
        set(index + 1, column: limited(value, layer, "\(index)"), axes: axes)
    }

    private mutating func pool(_ kind: String, _ window: KernelShape, _ index: Int, _ name: String) {
        let layer = network.layers[index], source = tensor(layer.sources[0]), axes = axes(window, source)
        var attributes = attributes(window, source, layer.output, axes: axes)
        // Average pools of this opset know no dilation: those with one were refused.
        if kind == "AveragePool" { attributes.removeAll { $0.0 == "dilations" } }
        let value = graph.append(kind, [column(layer.sources[0], axes: axes)], attributes, name: name)
        set(index + 1, column: limited(value, layer, "\(index)"), axes: axes)
    }

    private mutating func gathered(_ places: [Int32], _ index: Int, _ name: String) -> String {
        let layer = network.layers[index], source = tensor(layer.sources[0])
        var flat = shaped(row(layer.sources[0]), [source.count], from: source.extents, name)
        if places.contains(-1) {
            // One zero behind all others.
            let pads = graph.constant([0, 0, 0, 1], name: "\(name)_pads")
            flat = graph.append("Pad", [flat, pads], name: "\(name)_padded")
        }
        let indices = graph.constant(places.map { $0 < 0 ? source.count : Int($0) }, name: "\(name)_places")
        let picked = graph.append("Gather", [flat, indices], [("axis", .integer(1))], name: name)
        return shaped(picked, layer.output.extents, from: [layer.output.count], name)
    }

    // A table: by the integer that a number is nearest to, or between two entries.
    private mutating func looked(_ table: [Int16], _ index: Int, _ name: String) -> String {
        let layer = network.layers[index], source = tensor(layer.sources[0]), step = source.type == .int8 ? 1.0 : 128.0
        let entries = table.map { Float(layer.output.quantisation.real($0)) }, last = Float(table.count - 1)
        let real = graph.constant(entries, [entries.count], name: "\(name)_table")
        let width = graph.constant([Float(source.quantisation.scale * step)], [], name: "\(name)_step")
        let before = Float(source.type == .int8 ? 128 + source.quantisation.zeroPoint : 256)
        let middle = graph.constant([before], [], name: "\(name)_middle")
        let place = graph.append(
            "Add", [graph.append("Div", [row(layer.sources[0]), width], name: "\(name)_steps"), middle], name: "\(name)_place")
        let bounds = [0, last].map { graph.constant([$0], [], name: "\(name)_end") }
        let inside = graph.append("Clip", [place] + bounds, name: "\(name)_inside")
        func entry(_ graph: inout ONNXGraph, _ whole: String) -> String {
            graph.append(
                "Gather", [real, graph.append("Cast", [whole], [("to", .integer(7))], name: "\(name)_index")], name: "\(name)_entry")
        }
        if source.type == .int8 { return entry(&graph, graph.append("Round", [inside], name: "\(name)_whole")) }
        let below = graph.append("Floor", [inside], name: "\(name)_below"), above = graph.append("Ceil", [inside], name: "\(name)_above")
        let low = entry(&graph, below), high = entry(&graph, above)
        let share = graph.append("Sub", [inside, below], name: "\(name)_share")
        let rise = graph.append("Mul", [graph.append("Sub", [high, low], name: "\(name)_rise"), share], name: "\(name)_part")
        return graph.append("Add", [low, rise], name: name)
    }
}
