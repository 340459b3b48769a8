internal import NeuralNetwork
internal import Support

/// What converters leave to be computed of shapes where the batch is open: with a batch of one all of it is known.
///
/// Source: `TFLiteConverter.from_keras_model` writes Flatten, Reshape and Dense on rows as SHAPE, arithmetic of its numbers and a RESHAPE,
/// of which the file then knows no shape; neither does it of the pieces of a dilated convolution, which are its batch.
extension TFLiteFile {
    /// Of a shape, or of what is made of some.
    private static let mostNumbers = 64
    /// More than a tensor has elements: what is further away means the end, and sums of some stay within 32 bits.
    static let furthest = 1 << 24

    /// Drops operators that compute with shapes alone; `integersOfShapes` has what they gave. Tensors get the shapes that follow.
    mutating func resolveShapes() throws(Fault) {
        var kept: [Operator] = [], corrected: Set<Int> = []
        for operation in operators {
            if let output = operation.outputs.first, operation.outputs.count == 1, output >= 0, let numbers = try numbers(operation) {
                integersOfShapes[output] = numbers
                continue
            }
            kept.append(operation)
            if let (output, shape) = try newShape(operation, corrected), tensors[output].shape != shape, Self.isBounded(shape) {
                tensors[output].shape = shape
                corrected.insert(output)
            }
        }
        operators = kept
    }

    // What an operator makes of shapes; nil where it is none that does, or reads something else.
    private func numbers(_ operation: Operator) throws(Fault) -> [Int]? {
        guard let first = operation.inputs.first, first >= 0 else { return nil }
        if operation.name == "SHAPE" { return tensors[first].shape }
        guard operation.inputs.contains(where: { integersOfShapes[$0] != nil }) else { return nil }
        var inputs: [[Int]] = []
        for index in operation.inputs {
            guard let known = try known(index) else { return nil }
            inputs.append(known)
        }
        let result: [Int]?
        switch operation.name {
        case "CAST", "SQUEEZE", "EXPAND_DIMS", "RESHAPE": result = inputs[0]
        case "CONCATENATION", "PACK": result = inputs.flatMap { $0 }
        case "GATHER": result = inputs.count == 2 ? picked(inputs[0], inputs[1]) : nil
        case "REDUCE_PROD": result = [inputs[0].reduce(1, Self.product)]
        case "MUL": result = combined(inputs, Self.product)
        case "ADD": result = combined(inputs) { min($0 + $1, Self.furthest) }
        case "STRIDED_SLICE": result = try part(operation, inputs)
        default: result = nil
        }
        return result.flatMap { $0.count <= Self.mostNumbers ? $0 : nil }
    }

    private func known(_ index: Int) throws(Fault) -> [Int]? {
        guard index >= 0 else { return nil }
        if let numbers = integersOfShapes[index] { return numbers }
        let tensor = tensors[index]
        return !tensor.data.isEmpty && tensor.count <= Self.mostNumbers ? try integers(tensor) : nil
    }

    /// A constant of whole numbers, what is further away than ``furthest`` as that; nil for one of other numbers.
    func integers(_ tensor: Tensor) throws(Fault) -> [Int]? {
        func bounded(_ value: Int) -> Int { min(max(value, -Self.furthest), Self.furthest) }
        switch tensor.kind {
        case .int32: return try constant(tensor, as: Int32.self).map { bounded(Int($0)) }
        case .int64: return try constant(tensor, as: Int64.self).map { bounded(Int(clamping: $0)) }
        default: return nil
        }
    }

    /// What no tensor has is the furthest.
    static func product(_ left: Int, _ right: Int) -> Int {
        Int(min(max(Int64(left) * Int64(right), Int64(-furthest)), Int64(furthest)))
    }

    private func picked(_ numbers: [Int], _ places: [Int]) -> [Int]? {
        places.allSatisfy(numbers.indices.contains) ? places.map { numbers[$0] } : nil
    }

    private func combined(_ inputs: [[Int]], _ apply: (Int, Int) -> Int) -> [Int]? {
        guard inputs.count == 2, let count = inputs.map(\.count).max(), inputs.allSatisfy({ $0.count == count || $0.count == 1 })
        else { return nil }
        return (0..<count).map { apply(inputs[0][inputs[0].count == 1 ? 0 : $0], inputs[1][inputs[1].count == 1 ? 0 : $0]) }
    }

    // Of a list, one after the other. Options: 0 and 1 masks of what begins and ends where the list does, 4 of what becomes a scalar.
    private func part(_ operation: Operator, _ inputs: [[Int]]) throws(Fault) -> [Int]? {
        guard inputs.count == 4, inputs[1...].allSatisfy({ $0.count == 1 }), inputs[3] == [1] else { return nil }
        let count = inputs[0].count
        func option(_ field: Int) throws(Fault) -> Bool { try operation.options?.number(field, default: Int32(0)) ?? 0 == 1 }
        func place(_ value: Int) -> Int { min(max(value < 0 ? value + count : value, 0), count) }
        let first = try option(0) ? 0 : place(inputs[1][0])
        var end = try option(1) ? count : place(inputs[2][0])
        if try option(4) { end = min(first + 1, count) }
        return first < end ? Array(inputs[0][first..<end]) : nil
    }

    // The shape of what an operator gives where the file does not know it: what is reshaped by computed numbers, and what comes of that.
    private func newShape(_ operation: Operator, _ corrected: Set<Int>) throws(Fault) -> (output: Int, shape: [Int])? {
        guard let source = operation.inputs.first(where: { corrected.contains($0) }) ?? operation.inputs.first, source >= 0,
            let output = operation.outputs.first, output >= 0
        else { return nil }
        let from = tensors[source], isCorrected = corrected.contains(source)
        if operation.name == "SPACE_TO_BATCH_ND" { return try inPieces(operation).map { (output, $0) } }
        if operation.name == "RESHAPE", operation.inputs.count > 1, isCorrected || integersOfShapes[operation.inputs[1]] != nil,
            var target = try known(operation.inputs[1])
        {
            let rest = target.filter { $0 > 0 }.reduce(1, Self.product)
            if let open = target.firstIndex(of: -1), rest > 0, from.count % rest == 0 { target[open] = from.count / rest }
            return target.allSatisfy({ $0 > 0 }) && target.reduce(1, Self.product) == from.count ? (output, target) : nil
        }
        guard isCorrected else { return nil }
        switch TFLiteOperator(rawValue: operation.name) {
        case .fullyConnected:
            guard operation.inputs.count > 1, operation.inputs[1] >= 0, let inputs = tensors[operation.inputs[1]].shape.last,
                let outputs = tensors[operation.inputs[1]].shape.first, inputs > 0, from.count % inputs == 0
            else { return nil }
            return (output, [from.count / inputs, outputs])
        case .add, .sub, .mul, .div, .maximum, .minimum, .relu, .relu6, .tanh, .logistic, .leakyRelu, .elu, .gelu, .hardSwish, .quantize,
            .dequantize, .prelu, .abs, .exp, .log, .sqrt, .rsqrt, .square, .neg, .softmax:
            return (output, from.shape)
        case .conv2d, .depthwiseConv2d, .averagePool2d, .maxPool2d, .expandDims, .squeeze:
            let shape = tensors[output].shape
            return shape.first == 1 ? (output, Array(from.shape.prefix(1)) + shape.dropFirst()) : nil
        default: return nil
        }
    }

    // [batch, positions, rest] as [batch x blocks, positions of a block, rest].
    private func inPieces(_ operation: Operator) throws(Fault) -> [Int]? {
        guard operation.inputs.count == 3, operation.inputs[0] >= 0, let block = try known(operation.inputs[1]),
            let pads = try known(operation.inputs[2])
        else {
            return nil
        }
        var shape = tensors[operation.inputs[0]].shape
        guard block.count < shape.count, pads.count == 2 * block.count, block.allSatisfy({ $0 > 0 }) else { return nil }
        for (axis, size) in block.enumerated() {
            let padded = shape[axis + 1] + pads[2 * axis] + pads[2 * axis + 1]
            guard padded > 0, padded % size == 0 else { return nil }
            shape[axis + 1] = padded / size
        }
        shape[0] = block.reduce(shape[0], Self.product)
        return shape
    }
}
