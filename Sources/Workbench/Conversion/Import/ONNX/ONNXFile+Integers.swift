/// Operators on quantised integers (`QuantFormat.QOperator`), each written as the float operator that it stands for, between
/// DequantizeLinear and QuantizeLinear: what those become is run on integers again.
extension ONNXFile.Node {
    /// This one, or those that it stands for. What would be something else then stays, and is named as what cannot be run: channels last, a
    /// factor, results without a zero point, which are of a type that the operator does not say.
    var expanded: [ONNXFile.Node] {
        guard let (kind, scale) = Self.floating[self.kind], inputs.count <= Self.mostInputs, integer("channels_last") == 0,
            float("alpha", default: 1) == 1 || kind == "LeakyRelu", input(scale) == nil || input(scale + 1) != nil
        else { return [self] }
        var nodes = Expansion(self)
        switch self.kind {
        case "QLinearConcat":
            let operands = stride(from: 2, to: inputs.count, by: 3).map { nodes.dequantised(from: $0) }
            nodes.finish(kind, operands, scale)
        case "QLinearConv":
            var operands = [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: 0)]
            if input(8) != nil { operands.append(nodes.sum(at: 8, scales: (1, 4))) }
            nodes.finish(kind, operands, scale)
        case "QGemm":
            var operands = [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: integer("transB") == 0 ? 1 : 0)]
            if input(6) != nil { operands.append(nodes.sum(at: 6, scales: (1, 4))) }
            nodes.finish(kind, operands, scale)
        case "QLinearMatMul": nodes.finish(kind, [nodes.dequantised(from: 0), nodes.dequantised(from: 3, axis: -1)], scale)
        case "QLinearAdd", "QLinearMul": nodes.finish(kind, [nodes.dequantised(from: 0), nodes.dequantised(from: 3)], scale)
        default: nodes.finish(kind, [nodes.dequantised(from: 0)], scale)
        }
        return nodes.made
    }

    private static let mostInputs = 4096

    // The float operator, and which input is the result's scale, behind which its zero point stands.
    private static let floating = [
        "QLinearConv": ("Conv", 6), "QGemm": ("Gemm", 7), "QLinearMatMul": ("MatMul", 6), "QLinearAdd": ("Add", 6),
        "QLinearMul": ("Mul", 6),
        "QLinearConcat": ("Concat", 0), "QLinearLeakyRelu": ("LeakyRelu", 3), "QLinearSigmoid": ("Sigmoid", 3),
        "QLinearSoftmax": ("Softmax", 3), "QLinearAveragePool": ("AveragePool", 3), "QLinearGlobalAveragePool": ("GlobalAveragePool", 3),
        "QLinearReduceMean": ("ReduceMean", 3),
    ]

    private struct Expansion {
        private let node: ONNXFile.Node
        private(set) var made: [ONNXFile.Node] = []

        init(_ node: ONNXFile.Node) { self.node = node }

        // No exporter's names begin with a control character.
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
        mutating func finish(_ kind: String, _ operands: [String], _ scale: Int) {
            guard let step = node.input(scale) else {
                return made.append(node.replaced(kind, operands, node.outputs, keepsAttributes: true))
            }
            let name = "\u{1}\(node.index) \(made.count)"
            made.append(node.replaced(kind, operands, [name], keepsAttributes: true))
            made.append(node.replaced("QuantizeLinear", [name, step, node.input(scale + 1) ?? ""], node.outputs))
        }
    }
}
