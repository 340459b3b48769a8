/// Operators on quantised integers (`QuantFormat.QOperator`), each written as the float operator that it stands for, between
/// DequantizeLinear and QuantizeLinear: what those become is run on integers again.
extension ONNXFile.Node {
    /// This one, or those that it stands for.
    var expanded: [ONNXFile.Node] {
        guard let kind = Self.floating[self.kind], integer("channels_last") == 0 else { return [self] }
        var nodes = Expansion(self)
        switch self.kind {
        case "QLinearConcat":
            let operands = stride(from: 2, to: inputs.count, by: 3).map { nodes.dequantised(from: $0) }
            nodes.finish(kind, operands, scale: 0)
        case "QLinearConv":
            var operands = [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: 0)]
            if input(8) != nil { operands.append(nodes.sum(at: 8, scales: (1, 4))) }
            nodes.finish(kind, operands, scale: 6)
        case "QGemm":
            var operands = [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: integer("transB") == 0 ? 1 : 0)]
            if input(6) != nil { operands.append(nodes.sum(at: 6, scales: (1, 4))) }
            nodes.finish(kind, operands, scale: 7)
        case "QLinearMatMul": nodes.finish(kind, [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: -1)], scale: 6)
        case "QLinearAdd", "QLinearMul": nodes.finish(kind, [nodes.dequantised(from: 0), nodes.dequantised(from: 3)], scale: 6)
        default: nodes.finish(kind, [nodes.dequantised(from: 0)], scale: 3)
        }
        return nodes.made
    }

    private static let floating = [
        "QLinearConv": "Conv", "QGemm": "Gemm", "QLinearMatMul": "MatMul", "QLinearAdd": "Add", "QLinearMul": "Mul",
        "QLinearConcat": "Concat", "QLinearLeakyRelu": "LeakyRelu", "QLinearSigmoid": "Sigmoid", "QLinearSoftmax": "Softmax",
        "QLinearAveragePool": "AveragePool", "QLinearGlobalAveragePool": "GlobalAveragePool", "QLinearReduceMean": "ReduceMean",
    ]

    private struct Expansion {
        private let node: ONNXFile.Node
        private(set) var made: [ONNXFile.Node] = []

        init(_ node: ONNXFile.Node) { self.node = node }

        // No name of a file's begins with a control character.
        private mutating func append(_ kind: String, _ inputs: [String], axis: Int? = nil) -> String {
            let name = "\u{1}\(node.index) \(made.count)"
            made.append(node.replaced(kind, inputs, [name], axis: axis))
            return name
        }

        /// An operand, behind which its scale and its zero point stand.
        mutating func dequantised(from first: Int, axis: Int? = nil) -> String {
            append("DequantizeLinear", (first..<first + 3).map { node.input($0) ?? "" }, axis: axis)
        }

        /// What is added to a layer's sums, at the product of two scales.
        mutating func sum(at position: Int, scales: (Int, Int)) -> String {
            let scale = append("Mul", [node.input(scales.0) ?? "", node.input(scales.1) ?? ""])
            return append("DequantizeLinear", [node.input(position) ?? "", scale], axis: 0)
        }

        /// The operator itself; without a scale it gives floats.
        mutating func finish(_ kind: String, _ operands: [String], scale: Int) {
            guard let step = node.input(scale) else {
                return made.append(node.replaced(kind, operands, node.outputs, keepsAttributes: true))
            }
            let name = "\u{1}\(node.index) \(made.count)"
            made.append(node.replaced(kind, operands, [name], keepsAttributes: true))
            made.append(node.replaced("QuantizeLinear", [name, step, node.input(scale + 1) ?? ""], node.outputs))
        }
    }
}
