internal import NeuralNetwork
internal import Support

/// Operators of float networks that become several layers.
extension TFLiteFloats {
    private mutating func append(_ operation: FloatOperation, _ sources: [Int], _ shape: FloatShape) -> Int {
        graph.layers.append(FloatLayer(operation, sources: sources, shape: shape))
        return graph.layers.count
    }

    /// A layer that holds what a constant operand has; nil when it is none.
    mutating func constant(_ index: Int) throws(Fault) -> Int? {
        let from = constants[index] ?? index
        guard from >= 0, !file.tensors[from].data.isEmpty else { return nil }
        let values = try file.floats(file.tensors[from])
        guard values.allSatisfy(\.isFinite) else {
            throw file.buffer.bad("tensor \(file.tensors[from].name) has a number that is not finite")
        }
        places[index] = append(.constant(values), [0], file.tensors[from].extents)
        return places[index]
    }

    /// Elements of a tensor in another shape.
    mutating func gathered(_ elements: [Int32], _ source: Int, _ shape: FloatShape) -> Int {
        let from = graph.shape(source)
        if elements.count == from.count, Elements.areInOrder(elements) {
            return shaped(source, shape)
        }
        let first = Elements.firstPosition(elements, channels: from.channels == shape.channels ? shape.channels : 0)
        return append(first.map { .slice(first: $0) } ?? .gather(elements), [source], shape)
    }

    private mutating func spread(_ source: Int, _ index: Int, _ to: Int, _ reader: TFLiteOperationReader) throws(Fault) -> Int {
        guard let elements = Elements.broadcast(file.tensors[index].shape, to: file.tensors[to].shape) else {
            throw reader.refused("the shape \(file.tensors[index].shape) does not fit \(file.tensors[to].shape)")
        }
        return gathered(elements, source, file.tensors[to].extents)
    }

    mutating func append(
        _ kind: TFLiteArithmetic, _ curve: Activation?, _ reader: TFLiteOperationReader, _ sources: [Int], _ to: Int
    ) throws(Fault) -> Int {
        guard sources.count == 2 else { throw reader.refused("it has not two inputs") }
        var wide: [Int] = []
        for (source, index) in zip(sources, reader.sources) { wide.append(try spread(source, index, to, reader)) }
        let shape = file.tensors[to].extents
        var result: Int
        switch kind {
        case .add: result = append(.add, wide, shape)
        case .subtract: result = append(.subtract, wide, shape)
        case .multiply: result = append(.multiply, wide, shape)
        case .maximum: result = append(.maximum, wide, shape)
        case .minimum: result = append(.minimum, wide, shape)
        case .divide: result = append(.divide, wide, shape)
        case .squaredDifference:
            result = append(.curve(.expression(.power(.input, exponent: 2))), [append(.subtract, wide, shape)], shape)
        }
        if let curve { result = append(.curve(curve), [result], shape) }
        return result
    }

    mutating func append(_ kind: TFLiteReduction, _ source: Int, _ order: [Int32], positions: Int, _ result: FloatShape) -> Int {
        let shape = FloatShape(channels: result.count), from = graph.shape(source)
        let isInOrder = from.channels == result.count && Elements.areInOrder(order)
        let rows = FloatShape(width: positions, channels: result.count), window = KernelShape(height: 1, width: positions)
        switch kind {
        case .mean: return append(.mean, [isInOrder ? source : gathered(order, source, rows)], shape)
        case .maximum: return append(.maxPool(window), [gathered(order, source, rows)], shape)
        case .minimum:
            let turned = append(.curve(.expression(.function(.negative, .input))), [gathered(order, source, rows)], rows)
            return append(.curve(.expression(.function(.negative, .input))), [append(.maxPool(window), [turned], shape)], shape)
        case .sum:
            let mean = append(.mean, [gathered(order, source, rows)], shape)
            return append(.curve(.linear(scale: Double(positions), offset: 0)), [mean], shape)
        }
    }

    mutating func appendConcatenation(_ sources: [Int], outer: Int, inner: Int) -> Int {
        let joining = TFLiteJoining(sources.map { graph.shape($0) }, outer: outer, inner: inner)
        var rest = sources.map { shaped($0, joining.source(graph.shape($0))) }
        repeat {
            let some = Array(rest.prefix(4))
            rest = [append(.concatenation(axis: joining.axis), some, joining.output(some.map { graph.shape($0) }))] + rest.dropFirst(4)
        } while rest.count > 1
        return rest[0]
    }

    mutating func appendMatrixProduct(
        _ reader: TFLiteOperationReader, _ sources: [Int], turnsLeft: Bool, turnsRight: Bool, _ result: FloatShape
    ) throws(Fault) -> Int {
        func rows(_ source: Int, _ index: Int, turned: Bool) throws(Fault) -> Int {
            let shape = file.tensors[index].shape, rank = shape.count
            guard rank >= 2 else { throw reader.refused("it multiplies vectors") }
            let axes = Array(0..<rank - 2) + (turned ? [rank - 1, rank - 2] : [rank - 2, rank - 1]), last = axes.suffix(2).map { shape[$0] }
            let extents = FloatShape(height: Elements.count(Array(shape.dropLast(2))), width: last[0], channels: last[1])
            return gathered(Elements.transposed(shape, axes), source, extents)
        }
        let left = try rows(sources[0], reader.sources[0], turned: turnsLeft),
            right = try rows(sources[1], reader.sources[1], turned: turnsRight)
        let (a, b) = (graph.shape(left), graph.shape(right))
        guard a.height == b.height, a.channels == b.channels, a.height * a.width * b.width == result.count else {
            throw reader.refused("its matrices do not go together")
        }
        return append(.matrixProduct, [left, right], FloatShape(height: a.height, width: a.width, channels: b.width))
    }

    mutating func appendPReLU(_ reader: TFLiteOperationReader, _ source: Int, _ slope: Int, _ to: Int) throws(Fault) -> Int {
        let shape = file.tensors[to].extents, from = shaped(source, shape)
        guard let known = try constant(slope) else { throw reader.refused("its slope is computed") }
        let slopes = try spread(known, slope, to, reader)
        let below = append(.curve(.expression(.minimum(.input, .constant(0)))), [from], shape)
        return append(.add, [append(.curve(.relu), [from], shape), append(.multiply, [below, slopes], shape)], shape)
    }
}
