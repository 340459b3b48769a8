internal import Support

/// `If` with a condition that the shapes decide, as PyTorch writes `squeeze` of an axis whose extent it does not know.
extension ONNXBuilder {
    mutating func appendBranch(_ node: ONNXFile.Node) throws(Fault) {
        guard let condition = try constant(node, 0)?.scalar, let branch = try node.graph(condition == 0 ? "else_branch" : "then_branch"),
            branch.outputs.count == node.outputs.count
        else { throw refused(node, "it has no condition of one number, or no branch for it") }
        for inner in branch.nodes {
            guard let kind = ONNXOperator(rawValue: inner.kind), Self.movements.contains(kind) else {
                throw refused(node, "its branch computes (\(inner.kind)); what only moves numbers can be run there")
            }
            try append(inner, kind, endsIn: false)
        }
        for (index, name) in branch.outputs.enumerated() {
            guard let value = captured(name) else { throw refused(node, "its branch does not give \"\(name)\"") }
            try define(node, value, output: index)
        }
    }

    private static let movements: Set<ONNXOperator> = [
        .cast, .constant, .expand, .flatten, .gather, .identity, .reshape, .shape, .slice, .squeeze, .transpose, .unsqueeze,
    ]
}
