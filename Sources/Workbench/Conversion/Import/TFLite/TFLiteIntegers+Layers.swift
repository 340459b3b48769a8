internal import NeuralNetwork
internal import Support

/// Operators that become several of the core's layers, with the same bits.
extension TFLiteIntegers {
    /// A layer that holds what a constant operand has; nil when it is none.
    mutating func constant(_ index: Int, _ reader: TFLiteOperationReader) throws(Fault) -> Int? {
        guard index >= 0, !file.tensors[index].data.isEmpty else { return nil }
        let tensor = file.tensors[index]
        guard let output = Self.tensor(tensor) else {
            throw reader.refused("its constant \(tensor.name) is not int8 or int16 with one scale")
        }
        let values =
            output.type == .int8 ? try file.constant(tensor, as: Int8.self).map(Int16.init) : try file.constant(tensor, as: Int16.self)
        layers.append(Layer(.constant(values), sources: [0], output: output))
        places[index] = layers.count
        return layers.count
    }

    /// Elements of a tensor in another shape.
    mutating func gathered(_ elements: [Int32], _ reader: TFLiteOperationReader, _ source: Int, _ to: Int) throws(Fault) -> Int {
        guard let result = Self.tensor(file.tensors[to]), result.count == elements.count else {
            throw reader.refused("its output is not int8 or int16 with one scale, or has another size")
        }
        try requireOneScale(reader, [source], result)
        return gathered(elements, source, result.height, result.width, result.channels)
    }

    mutating func gathered(_ elements: [Int32], _ source: Int, _ height: Int, _ width: Int, _ channels: Int) -> Int {
        var output = tensor(source)
        let isWhole = output.count == elements.count && Elements.areInOrder(elements)
        if isWhole { return shaped(source, FloatShape(height: height, width: width, channels: channels)) }
        if source > 0, case .constant(let values) = layers[source - 1].operation {
            (output.height, output.width, output.channels) = (height, width, channels)
            let zero = Int16(clamping: output.quantisation.zeroPoint)
            let spread = elements.map { $0 < 0 ? zero : values[Int($0)] }
            layers.append(Layer(.constant(spread), sources: [0], output: output))
            return layers.count
        }
        let first = Elements.firstPosition(elements, channels: output.channels == channels ? channels : 0)
        (output.height, output.width, output.channels) = (height, width, channels)
        layers.append(Layer(first.map { .slice(first: $0) } ?? .gather(elements), sources: [source], output: output))
        return layers.count
    }

    // One operand in the result's shape.
    private mutating func spread(_ source: Int, _ index: Int, _ to: Int, _ reader: TFLiteOperationReader) throws(Fault) -> Int {
        let shape = file.tensors[to].shape, extents = file.tensors[to].extents
        guard let elements = Elements.broadcast(file.tensors[index].shape, to: shape) else {
            throw reader.refused("the shape \(file.tensors[index].shape) does not fit \(shape)")
        }
        return gathered(elements, source, extents.height, extents.width, extents.channels)
    }

    mutating func append(
        _ kind: TFLiteArithmetic, _ curve: Activation?, _ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor
    ) throws(Fault) {
        guard sources.count == 2 else { throw reader.refused("it has not two inputs") }
        var wide: [Int] = []
        for (source, index) in zip(sources, reader.sources) { wide.append(try spread(source, index, reader.operation.outputs[0], reader)) }
        let left = tensor(wide[0]), right = tensor(wide[1])
        guard left.type == result.type, right.type == result.type else {
            throw reader.refused("its inputs are not of the type of its output")
        }
        let operation: Operation
        switch kind {
        case .add: operation = .addition(left, right, to: result.quantisation)
        case .subtract: operation = .subtraction(left, right, to: result.quantisation)
        case .multiply:
            operation = .multiply(.product(left, right, result))
        case .maximum, .minimum:
            try requireOneScale(reader, wide, result)
            operation = kind == .maximum ? .maximum : .minimum
        case .squaredDifference: return try appendSquaredDifference(reader, wide, result)
        case .divide:
            guard result.type == .int8 else { throw reader.refused("it is of int16; convert the model to int8, or in float") }
            operation = .divide(.ratio(left, right, result))
        }
        layers.append(Layer(operation, sources: wide, output: result, limits: curve.flatMap(result.limits)))
    }

    mutating func append(
        _ kind: TFLiteReduction, _ reader: TFLiteOperationReader, _ source: Int, _ order: [Int32], positions: Int, _ result: Tensor
    ) throws(Fault) {
        // As they lie, all positions are taken together, whatever their height and width.
        let isInOrder = tensor(source).channels == result.count && Elements.areInOrder(order)
        let isMean = if case .mean = kind { true } else { false }
        let from = isInOrder && isMean ? source : gathered(order, source, 1, positions, result.count), input = tensor(from)
        var output = result
        (output.height, output.width, output.channels) = (1, 1, result.count)
        switch kind {
        case .mean:
            layers.append(Layer(.mean(Multiplier(input.quantisation.scale / result.quantisation.scale)), sources: [from], output: output))
        case .maximum:
            try requireOneScale(reader, [from], result)
            layers.append(Layer(.maxPool(KernelShape(height: 1, width: positions)), sources: [from], output: output))
        case .minimum:
            try requireOneScale(reader, [from], result)
            appendMinimum(from, positions: positions, output)
        case .sum:
            // With one scale LiteRT adds the bytes themselves, whose sum leaves eight bits.
            guard input.quantisation != result.quantisation, input.type == .int8 else {
                throw reader.refused("it is of int16, or its input and output have one scale; convert the model in float, or as ONNX")
            }
            appendSum(from, positions: positions, output)
        }
    }

    // Four at a time.
    mutating func appendConcatenation(_ sources: [Int], outer: Int, inner: Int, _ result: Tensor) {
        let joining = TFLiteJoining(sources.map { FloatShape(tensor($0)) }, outer: outer, inner: inner)
        var rest = sources.map { shaped($0, joining.source(FloatShape(tensor($0)))) }
        repeat {
            let some = Array(rest.prefix(4)), shape = joining.output(some.map { FloatShape(tensor($0)) })
            var output = result
            (output.height, output.width, output.channels) = (shape.height, shape.width, shape.channels)
            layers.append(Layer(.concatenation(axis: joining.axis), sources: some, output: output))
            rest = [layers.count] + rest.dropFirst(4)
        } while rest.count > 1
    }

    mutating func appendMatrixProduct(
        _ reader: TFLiteOperationReader, _ sources: [Int], turnsLeft: Bool, turnsRight: Bool, _ result: Tensor
    ) throws(Fault) {
        func rows(_ source: Int, _ index: Int, turned: Bool) throws(Fault) -> (place: Int, shape: [Int]) {
            let shape = file.tensors[index].shape, rank = shape.count
            guard rank >= 2 else { throw reader.refused("it multiplies vectors") }
            let matrices = Elements.count(Array(shape.dropLast(2))),
                axes = Array(0..<rank - 2) + (turned ? [rank - 1, rank - 2] : [rank - 2, rank - 1])
            let last = axes.suffix(2).map { shape[$0] }
            return (gathered(Elements.transposed(shape, axes), source, matrices, last[0], last[1]), [matrices] + last)
        }
        let left = try rows(sources[0], reader.sources[0], turned: turnsLeft),
            right = try rows(sources[1], reader.sources[1], turned: turnsRight)
        guard left.shape[0] == right.shape[0], left.shape[2] == right.shape[2],
            left.shape[0] * left.shape[1] * right.shape[1] == result.count
        else {
            throw reader.refused("matrices of \(left.shape) and \(right.shape) do not go together")
        }
        var output = result
        (output.height, output.width, output.channels) = (left.shape[0], left.shape[1], right.shape[1])
        let factor = Multiplier(tensor(left.place).quantisation.scale * tensor(right.place).quantisation.scale / result.quantisation.scale)
        layers.append(Layer(.matrixProduct(factor), sources: [left.place, right.place], output: output))
    }

    // What lies above zero and what lies below, each with its factor; one of both is always zero, so that their sum is exact.
    mutating func appendPReLU(_ reader: TFLiteOperationReader, _ source: Int, _ slope: Int, _ result: Tensor) throws(Fault) {
        let shape = FloatShape(height: result.height, width: result.width, channels: result.channels), from = shaped(source, shape)
        let input = tensor(from)
        guard let known = try constant(slope, reader) else { throw reader.refused("its slope is computed") }
        let slopes = try spread(known, slope, reader.operation.outputs[0], reader)
        let below = negative(from)
        layers.append(Layer(.multiply(.product(input, tensor(slopes), result)), sources: [below, slopes], output: result))
        appendSum(
            from, below: layers.count, result, Multiplier(tensor(from).quantisation.scale / result.quantisation.scale))
    }

    mutating func appendLeakyReLU(_ source: Int, _ slope: Double, _ result: Tensor) {
        let from = shaped(source, FloatShape(height: result.height, width: result.width, channels: result.channels))
        // LiteRT takes scales and slope together in float.
        let scale = Float(tensor(from).quantisation.scale), to = Float(result.quantisation.scale), below = negative(from)
        layers.append(Layer(.rescale(Multiplier(Double(scale * Float(slope) / to))), sources: [below], output: result))
        appendSum(from, below: layers.count, result, Multiplier(Double(scale / to)))
    }

    private mutating func negative(_ source: Int) -> Int {
        let input = tensor(source)
        layers.append(
            Layer(
                .rescale(Multiplier(1)), sources: [source], output: input,
                limits: input.type.range.lowerBound...input.quantisation.zeroPoint))
        return layers.count
    }

    private mutating func appendSum(_ source: Int, below: Int, _ result: Tensor, _ factor: Multiplier) {
        let zero = result.quantisation.zeroPoint
        layers.append(
            Layer(
                .rescale(factor), sources: [source], output: result, limits: zero...result.type.range.upperBound))
        layers.append(Layer(.addition(result, result, to: result.quantisation), sources: [layers.count, below], output: result))
    }
}

extension Multiplier {
    /// LiteRT takes the scales of MUL and PRELU together in float.
    fileprivate static func ratio(_ left: Tensor, _ right: Tensor, _ result: Tensor) -> Multiplier {
        Multiplier(Double(Float(left.quantisation.scale) / (Float(right.quantisation.scale) * Float(result.quantisation.scale))))
    }

    fileprivate static func product(_ left: Tensor, _ right: Tensor, _ result: Tensor) -> Multiplier {
        Multiplier(Double(Float(left.quantisation.scale) * Float(right.quantisation.scale) / Float(result.quantisation.scale)))
    }
}

extension FloatShape {
    fileprivate init(_ tensor: Tensor) { self.init(height: tensor.height, width: tensor.width, channels: tensor.channels) }
}
