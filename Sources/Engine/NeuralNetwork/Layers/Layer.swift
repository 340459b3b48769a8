/// A layer: what it does, to what, and what comes out.
package struct Layer: Sendable, Equatable {
    package var operation: Operation
    /// 0: the network's input; n: the output of layer n - 1.
    package var sources: [Int]
    package var output: Tensor
    /// Of the output's integers; a ReLU begins at the zero point.
    package var limits: ClosedRange<Int>

    package init(_ operation: Operation, sources: [Int], output: Tensor, limits: ClosedRange<Int>? = nil) {
        self.operation = operation
        self.sources = sources
        self.output = output
        self.limits = limits ?? output.type.range
    }

    package var kind: LayerKind { operation.kind }

    /// The weights from the input and from the hidden state.
    package var weights: [Weights] { operation.fields.weights }

    /// Multiply-accumulates of one inference, given what the layer reads.
    func operations(_ source: Tensor) -> Int {
        if [.matrixProduct, .matrixProductOnce].contains(kind) { return output.count * source.channels }
        if case .supportVectors(let support) = operation { return support.count * (support.inputs + support.outputs) }
        if operation.isRecurrent { return source.positions * weights.reduce(0) { $0 + $1.values.count } }
        return weights.first.map { output.count * $0.inputs } ?? 0
    }

    package var hasWeights: Bool { !weights.isEmpty }

    /// What its limits stand for: "relu", "relu6", or "" where the whole type may come out.
    package var activation: String {
        let zero = output.quantisation.zeroPoint
        let sums: Bool
        switch operation {
        case .add, .subtract, .multiply, .multiplyOnce, .divide: sums = true
        default: sums = hasWeights
        }
        guard sums, limits.lowerBound == zero else { return "" }
        return limits.upperBound == output.type.range.upperBound ? "relu" : "relu6"
    }
}
