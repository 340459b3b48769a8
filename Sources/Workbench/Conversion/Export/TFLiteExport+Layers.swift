internal import NeuralNetwork

extension TFLiteExport {
    private enum Padding { case same, valid, explicit }

    /// What a layer is that LiteRT cannot run; nil where it can.
    func refusal(_ index: Int) -> String? {
        let layer = network.layers[index], kind = layer.kind.rawValue, source = tensor(layer.sources[0])
        guard layer.output.type == source.type || layer.kind == .rescale else { return "\(kind) of two types" }
        let isOpen = layer.limits == layer.output.type.range
        switch layer.operation {
        case .dense(let weights), .convolution(let weights, _), .depthwise(let weights, _):
            if weights.type == .int16 { return "\(kind) \(Self.ofBits)" }
            return limit(layer) == nil ? "\(kind) with limits" : nil
        case .lstm: return isOpen && layer.sources.count == 1 ? nil : "\(kind) with limits"
        case .averagePool(let window), .maxPool(let window):
            guard window.dilationHeight == 1, window.dilationWidth == 1 else { return "\(kind) with dilation" }
            return isOpen && padding(window, source, layer.output) != .explicit ? nil : "\(kind) with other padding than TFLite's"
        case .add, .subtract: return limit(layer) == nil ? "\(kind) with limits" : nil
        case .multiply(let factor), .multiplyOnce(let factor):
            return limit(layer) != nil && isNone(factor, scales(layer), layer) ? nil : "\(kind) by a factor, or with limits"
        // QUANTIZE changes the scale and no number; other operators have no factor either.
        case .rescale(let factor), .mean(let factor):
            return isOpen && isNone(factor, source.quantisation.scale, layer) ? nil : "\(kind) by a factor"
        case .matrixProduct(let factor), .matrixProductOnce(let factor):
            return isOpen && isNone(factor, scales(layer), layer) ? nil : "\(kind) by a factor"
        case .softmax(let factor): return factor == source.softmaxMultiplier ? nil : "\(kind) by a factor"
        case .concatenation, .slice, .maximum, .minimum, .sigmoid, .tanh, .gather, .constant: return isOpen ? nil : "\(kind) with limits"
        case .gru, .lookup, .divide, .scaledSoftmax, .forest, .normalisation, .scaledNormalisation, .rootMeanSquare, .supportVectors:
            return kind
        }
    }

    private func scales(_ layer: Layer) -> Double { layer.sources.reduce(1) { $0 * tensor($1).quantisation.scale } }

    // Whether a factor is that of the scales alone.
    private func isNone(_ factor: Multiplier, _ scale: Double, _ layer: Layer) -> Bool {
        (factor.value * layer.output.quantisation.scale / scale - 1).magnitude < 1e-3
    }

    private func limit(_ layer: Layer) -> TFLiteGraph.Operator.Limit? {
        switch layer.limits {
        case layer.output.type.range: TFLiteGraph.Operator.Limit.none
        case layer.output.limits(of: .relu): .relu
        case layer.output.limits(of: .relu6): .relu6
        default: nil
        }
    }

    private func padding(_ window: KernelShape, _ source: Tensor, _ output: Tensor) -> Padding {
        func along(_ size: Int, _ stride: Int, _ dilation: Int, _ before: Int, _ length: Int, _ count: Int) -> [Padding] {
            let reach = (size - 1) * dilation + 1, all = max(0, (count - 1) * stride + reach - length)
            var kinds: [Padding] = []
            if before == 0, length >= reach, count == (length - reach) / stride + 1 { kinds.append(.valid) }
            if count == (length + stride - 1) / stride, before == all / 2 { kinds.append(.same) }
            return kinds
        }
        let vertical = along(
            window.height, window.strideHeight, window.dilationHeight, window.top, source.height, output.height)
        let horizontal = along(window.width, window.strideWidth, window.dilationWidth, window.left, source.width, output.width)
        return vertical.first { horizontal.contains($0) } ?? .explicit
    }

    mutating func append(_ index: Int) {
        let layer = network.layers[index], output = layer.output, name = "\(index)_\(layer.kind.rawValue)", type = output.type
        let sources = layer.sources.map { places[$0] ?? 0 }, source = tensor(layer.sources[0])
        func simple(_ operation: TFLiteGraph.Operator, _ inputs: [Int], _ shape: [Int]? = nil) {
            let shape = shape ?? Self.shape(output), result = graph.integers(name, shape, like: output)
            graph.append(operation, inputs, [result])
            places[index + 1] = reshaped(result, shape, Self.shape(output), like: output, name)
        }
        func flat(_ shape: [Int]) -> Int { reshaped(sources[0], Self.shape(source), shape, like: source, name) }
        let limit = limit(layer) ?? .none
        switch layer.operation {
        case .dense(let weights):
            let rows = source.channels == weights.inputs ? Self.shape(source) : [source.count / weights.inputs, weights.inputs]
            let parameters = parameters(weights, layer, [weights.outputs, weights.inputs], axis: 0, name)
            simple(
                .dense(type, limit, keepsRows: true), [flat(rows)] + parameters, Array(rows.dropLast()) + [weights.outputs])
        case .convolution(let weights, let window):
            let channels = weights.inputs / (window.height * window.width)
            let parameters = parameters(weights, layer, [weights.outputs, window.height, window.width, channels], axis: 0, name)
            let (padded, isSame) = padded(index, window, name)
            simple(.convolution(type, window, isSame: isSame, limit), [padded] + parameters, Self.whole(output))
        case .depthwise(let weights, let window):
            let parameters = parameters(weights, layer, [1, window.height, window.width, weights.outputs], axis: 3, name)
            let (padded, isSame) = padded(index, window, name)
            simple(.depthwise(type, window, isSame: isSame, limit), [padded] + parameters, Self.whole(output))
        case .lstm(let lstm): append(lstm, index, name)
        case .averagePool(let window), .maxPool(let window):
            let isSame = padding(window, source, output) == .same
            simple(
                .pool(type, isAverage: layer.kind == .averagePool, window, isSame: isSame), [flat(Self.whole(source))], Self.whole(output))
        case .mean:
            let axes = graph.constant([1, 2], name: "\(name)_axes")
            simple(.mean(type), [flat(Self.whole(source)), axes], [1, output.channels])
        case .add: simple(.add(type, limit), sources)
        case .subtract: simple(.subtract(type, limit), sources)
        case .multiply, .multiplyOnce: simple(.multiply(type, limit), sources)
        case .maximum, .minimum: simple(.extremum(type, isMaximum: layer.kind == .maximum), sources)
        case .concatenation(let axis):
            simple(.concatenation(type, axis: axis + 1), layer.sources.map { whole($0, name) }, Self.whole(output))
        case .slice(let first):
            let begin = graph.constant([0, Int32(first), 0], name: "\(name)_begin"),
                size = graph.constant([1, Int32(output.positions), Int32(output.channels)], name: "\(name)_size")
            simple(.slice(type), [flat([1, source.positions, source.channels]), begin, size], [1, output.positions, output.channels])
        case .sigmoid: simple(.sigmoid(type), sources)
        case .tanh: simple(.tanh(type), sources)
        case .rescale: simple(.quantize, [flat(Self.shape(output))])
        case .softmax: simple(.softmax(type), sources)
        case .gather(let elements):
            var from = flat([1, source.count])
            if elements.contains(-1) {
                // One zero behind all others.
                let pads = graph.constant([0, 0, 0, 1], [2, 2], name: "\(name)_pads"),
                    padded = graph.integers("\(name)_padded", [1, source.count + 1], like: source)
                graph.append(.pad(type), [from, pads], [padded])
                from = padded
            }
            let indices = graph.constant(elements.map { $0 < 0 ? Int32(source.count) : $0 }, name: "\(name)_elements")
            simple(.gather(type), [from, indices], [1, output.count])
        case .constant(let values): places[index + 1] = graph.constant(values, Self.shape(output), like: output, name: name)
        case .matrixProduct, .matrixProductOnce:
            simple(.matrixProduct(type), layer.sources.map { whole($0, name) }, Self.whole(output))
        case .gru, .lookup, .divide, .scaledSoftmax, .forest, .normalisation, .scaledNormalisation, .rootMeanSquare, .supportVectors:
            break // refused before
        }
    }

    private static func whole(_ tensor: Tensor) -> [Int] { [1, tensor.height, tensor.width, tensor.channels] }

    private mutating func whole(_ place: Int, _ name: String) -> Int {
        let tensor = tensor(place)
        return reshaped(places[place] ?? 0, Self.shape(tensor), Self.whole(tensor), like: tensor, name)
    }

    // Weights with a scale for each output, and biases at theirs.
    private mutating func parameters(_ weights: Weights, _ layer: Layer, _ shape: [Int], axis: Int, _ name: String) -> [Int] {
        let source = tensor(layer.sources[0]),
            scales = weights.multipliers.map { multiplier in
                // An output of zero weights may have no factor; TFLite's scales are positive.
                max(multiplier.value * layer.output.quantisation.scale / source.quantisation.scale, 1e-12)
            }
        let narrow = weights.values.map { Int8(clamping: $0) }
        let values = axis == 3 ? TFLiteFile.channelsLast(narrow, weights.outputs) : narrow
        let sums = scales.map { $0 * source.quantisation.scale }
        let weight = graph.weights(values, shape, .int8, scales: scales, axis: axis, name: "\(name)_weight")
        let bias =
            source.type == .int8
            ? graph.weights(
                weights.bias.map { Int32(clamping: $0) }, [weights.outputs], .int32, scales: sums, axis: 0, name: "\(name)_bias")
            : graph.weights(weights.bias, [weights.outputs], .int64, scales: sums, axis: 0, name: "\(name)_bias")
        return [weight, bias]
    }

    // What a convolution reads, and whether TFLite's own padding does: an operator pads otherwise.
    private mutating func padded(_ index: Int, _ window: KernelShape, _ name: String) -> (place: Int, isSame: Bool) {
        let layer = network.layers[index], source = tensor(layer.sources[0]), output = layer.output
        let whole = whole(layer.sources[0], name)
        switch padding(window, source, output) {
        case .same: return (whole, true)
        case .valid: return (whole, false)
        case .explicit:
            let (bottom, right) = window.behind(source, output)
            let pads = graph.constant(
                [0, 0, window.top, bottom, window.left, right, 0, 0].map { Int32($0) }, [4, 2], name: "\(name)_pads")
            let shape = [1, source.height + window.top + bottom, source.width + window.left + right, source.channels]
            let result = graph.integers("\(name)_padded", shape, like: source)
            graph.append(.pad(source.type), [whole, pads], [result])
            return (result, false)
        }
    }

    // Floats between integers. The gates are input, forget, cell, output, as here.
    private mutating func append(_ lstm: LSTM, _ index: Int, _ name: String) {
        let layer = network.layers[index], source = tensor(layer.sources[0]), output = layer.output, units = lstm.units
        let shape = [1, source.positions, source.channels]
        let read = lstm.weights.real(source: source.quantisation.scale, result: 0x1p-12),
            kept = lstm.recurrent.real(source: output.quantisation.scale, result: 0x1p-12)
        let steps = reshaped(places[layer.sources[0]] ?? 0, Self.shape(source), shape, like: source, name)
        let given = graph.floats("\(name)_input", shape)
        graph.append(.dequantize(source.type), [steps], [given])
        func rows(_ weights: FloatWeights, _ what: String) -> [Int] {
            (0..<4).map { gate in
                let size = units * weights.inputs
                return graph.constant(
                    floats: Array(weights.values[gate * size..<(gate + 1) * size]), [units, weights.inputs], name: "\(name)_\(what)_\(gate)"
                )
            }
        }
        let biases = (0..<4).map { gate in
            graph.constant(floats: Array(read.bias[gate * units..<(gate + 1) * units]), [units], name: "\(name)_bias_\(gate)")
        }
        let states = [graph.state("\(name)_h", [1, units]), graph.state("\(name)_c", [1, units])]
        // Left out: peepholes, a projection, layer normalisation.
        let none = [Int](repeating: -1, count: 4)
        var inputs: [Int] = [given]
        for some in [rows(read, "weight"), rows(kept, "recurrent"), Array(none[..<3]), biases, Array(none[..<2]), states, none] {
            inputs += some
        }
        let result = graph.floats("\(name)_output", [1, source.positions, units])
        graph.append(.lstm(cellClip: Float(lstm.cellClip) / Float(1 << lstm.cellFraction)), inputs, [result])
        let integers = graph.integers(name, [1, source.positions, units], like: output)
        graph.append(.quantize, [result], [integers])
        places[index + 1] = reshaped(integers, [1, source.positions, units], Self.shape(output), like: output, name)
    }
}
