internal import NeuralNetwork
internal import Support

/// Fourier transforms, as products with matrices of cosines and sines.
extension ONNXBuilder {
    /// Along an axis, of numbers whose last axis is the real part, or real and imaginary part.
    mutating func appendFourier(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), rank = source.shape.count, isInverse = node.integer("inverse") != 0
        let isOneSided = node.integer("onesided") != 0
        let written = try constant(node, 2)?.integers.first ?? node.integer("axis", default: file.opset < 20 ? 1 : -2)
        let axis = try axis(node, written, rank: rank)
        guard source.constant == nil, rank > 2, axis < rank - 1, let parts = source.shape.last, (1...2).contains(parts),
            !(isInverse && isOneSided)
        else { throw refused(node, "its input has the shape \(source.shape), or it is an inverse of one side") }
        let length = try constant(node, 1)?.integers.first ?? source.shape[axis]
        let matrix = try fourier(
            node, read: source.shape[axis], length: length, parts: parts, isInverse: isInverse, isOneSided: isOneSided)
        let order = source.shape.indices.filter { $0 != axis && $0 != rank - 1 } + [axis, rank - 1]
        let turned = source.transposed(order)
        let outer = Array(turned.shape.dropLast(2)), flat = turned.reshaped(outer + [source.shape[axis] * parts])
        let result = try dense(node, flat, matrix).reshaped(outer + [matrix.outputs / 2, 2])
        let back = (0..<rank).map { axis in order.firstIndex(of: axis) ?? axis }
        try define(node, result.transposed(back))
    }

    /// Of windows of signals, [signals, samples] or [signals, samples, 1]: [signals, windows, frequencies, 2].
    mutating func appendShortTimeFourier(_ node: ONNXFile.Node) throws(Fault) {
        let source = try value(node, 0), window = try constant(node, 2)?.floats, shape = source.shape
        let length = try constant(node, 3)?.integers.first ?? window?.count ?? 0
        guard let step = try constant(node, 1)?.integers.first, source.constant == nil, shape.count > 1, shape.count < 4,
            shape.count == 2 || shape[2] == 1, step > 0, (1...shape[1]).contains(length), window.map({ $0.count == length }) ?? true
        else { throw refused(node, "it takes windows of \(length) samples out of the shape \(shape)") }
        var matrix = try fourier(
            node, read: length, length: length, parts: 1, isInverse: false, isOneSided: node.integer("onesided", default: 1) != 0)
        if let window {
            for index in matrix.values.indices { matrix.values[index] *= window[index % length] }
        }
        let count = (shape[1] - length) / step + 1
        try requireSize(node, [shape[0], count, length])
        let picks = Elements.strided([shape[0], count, length], first: 0, steps: [shape[1], step, 1])
        let windows = source.picked(picks, shape: [shape[0], count, length])
        try define(node, try dense(node, windows, matrix).reshaped([shape[0], count, matrix.outputs / 2, 2]))
    }

    // [frequencies][real, imaginary] of [samples][parts]: samples that are missing are zeros.
    private func fourier(
        _ node: ONNXFile.Node, read: Int, length: Int, parts: Int, isInverse: Bool, isOneSided: Bool
    ) throws(Fault) -> FloatWeights {
        guard (1...4096).contains(length) else { throw refused(node, "it is of \(length) samples; 1 to 4096 can be run") }
        let frequencies = isOneSided ? length / 2 + 1 : length, outputs = 2 * frequencies
        guard outputs * read * parts <= Self.mostWeights else { throw refused(node, "it has \(outputs * read * parts) weights") }
        let circle = (0..<length).map { step in
            let angle = Double(step) / Double(length) * (isInverse ? 2 : -2) * Double.pi
            return (cosine: Trigonometry.cosine(angle), sine: Trigonometry.cosine(angle - .pi / 2))
        }
        let size = isInverse ? 1 / Double(length) : 1
        var values: [Float] = []
        values.reserveCapacity(outputs * read * parts)
        for frequency in 0..<frequencies {
            for isImaginary in [false, true] {
                for sample in 0..<read {
                    let turn = circle[sample % length * frequency % length], size = sample < length ? size : 0
                    let both = isImaginary ? [turn.sine, turn.cosine] : [turn.cosine, -turn.sine]
                    values += both.prefix(parts).map { Float(size * $0) }
                }
            }
        }
        return FloatWeights(inputs: read * parts, outputs: outputs, values: values)
    }
}
