internal import NeuralNetwork
internal import Support

/// What a network takes, and how a window's numbers lie in it.
struct ONNXInput {
    var name: String
    /// As the file has it, with the batch of one and open extents filled in.
    var shape: [Int]
    var graphShape: FloatShape
    /// As the file has it, where it leaves axes beside the batch open.
    var open: [Int]?
    /// For each element, in ONNX's order, the number of the window's.
    var order: [Int32]
    /// Whether it is a row of raw samples, which lie as the network makes a window of them.
    var isRow: Bool

    /// - Parameters:
    ///   - kind: raw windows are x, y, z of each sample, whichever axis the file has first.
    ///   - steps: for an extent that the file leaves open.
    init(_ file: ONNXFile, kind: NetworkInput, steps: Int) throws(Fault) {
        guard let input = file.inputs.first, file.inputs.count == 1, input.isFloat else {
            guard file.inputs.count != 1 else {
                if file.inputs[0].isBrief {
                    throw file.bad("its input \(file.inputs[0].name) is of bfloat16", remedy: "Export it in float32: model.float().")
                }
                throw file.bad(
                    "its input \(file.inputs[0].name) is of integers; one of floats can be run",
                    remedy: "Export it with floats as its example input.")
            }
            throw file.bad(
                "it has \(file.inputs.count) inputs (\(file.inputs.map(\.name).joined(separator: ", "))); one, of floats, can be run",
                remedy: """
                    States begin at zero, and have to be constants; put columns together into one input. Where the converter made inputs \
                    of constants (Keras' Normalization), make initializers of them, or convert to TFLite.
                    """)
        }
        guard file.batch <= 1 else {
            throw file.bad(
                "it takes \(file.batch) windows at once: the first axis of its input and output",
                remedy: "Export it with one window, torch.zeros(1, ...), or with that axis left open (dynamic_axes).")
        }
        guard input.shape.allSatisfy({ $0 >= 0 }) else { throw file.bad("its input \(input.name) has the shape \(input.shape)") }
        name = input.name
        open = input.shape.enumerated().contains { $1 == 0 && $0 > 0 && input.shape.count > 2 } ? input.shape : nil
        shape = input.shape.enumerated().map { $1 > 0 ? $1 : $0 == 0 || input.shape.count < 3 ? 1 : steps }
        let count = ONNXConstant.count(shape) ?? 0
        guard (1...Tensor.mostElements).contains(count), !input.shape.isEmpty else {
            throw file.bad("its input \(name) has the shape \(input.shape)")
        }
        try kind.requireThreeSignals(shape, path: file.path)
        let extents = shape.filter { $0 > 1 }
        order = (0..<Int32(clamping: count)).map { $0 }
        graphShape = FloatShape(channels: count)
        isRow = kind == .raw && extents.count == 1
        guard kind == .raw, let order = Self.order(ofWindow: shape) else { return }
        self.order = order
        if extents.count == 2 { graphShape = FloatShape(width: count / 3, channels: 3) }
    }

    /// For each element of a window of raw samples, its number where x, y, z of each sample follow each other; nil where no axis of
    /// several is that of x, y and z. The other axes are samples, one after the other.
    static func order(ofWindow shape: [Int]) -> [Int32]? {
        let extents = shape.filter { $0 > 1 }
        guard extents.count > 1, let signals = extents.lastIndex(of: 3) else { return nil }
        let strides = Elements.strides(extents.enumerated().map { $0 == signals ? 1 : $1 })
        return Elements.indices(extents) { index in
            let sample = index.indices.reduce(0) { $0 + ($1 == signals ? 0 : index[$1] * strides[$1]) }
            return sample * 3 + index[signals]
        }
    }
}
