internal import Support

/// Axes as files write them: from the end where they are negative.
enum ONNXAxes: Equatable {
    /// None of them: all.
    case these([Int])
    /// To the last.
    case from(Int)
}

/// Means and sums over axes.
extension ONNXNormalisation {
    struct Reduction: Equatable {
        /// What it is of.
        var source: String
        var axes: ONNXAxes
    }

    func mean(_ name: String) throws(Fault) -> Reduction? {
        // Behind batch and channels, all that there is.
        if let source = maker(name, "GlobalAveragePool")?.input(0) { return Reduction(source: source, axes: .from(2)) }
        return try reduction(name, "ReduceMean")
    }

    /// One that keeps its axes with an extent of one, by itself or since they are put in again.
    ///
    /// - Parameter wanted: false for one whose axes something else puts in again.
    func reduction(_ name: String, _ kind: String, keeps wanted: Bool = true) throws(Fault) -> Reduction? {
        let restored = maker(name, "Unsqueeze")
        guard let node = maker(restored?.input(0) ?? name, kind), let source = node.input(0), let axes = try axes(node)?.sorted(),
            !axes.isEmpty || node.integer("noop_with_empty_axes") == 0
        else { return nil }
        let keeps = node.integer("keepdims", default: 1) != 0
        if let restored {
            // Of several axes the first ones move the others.
            guard !keeps, axes.count == 1, try self.axes(restored) == axes else { return nil }
        } else if keeps != wanted {
            return nil
        }
        return Reduction(source: source, axes: .these(axes))
    }

    /// What it is over: an attribute, or in newer files the second input; nil where that is computed.
    func axes(_ node: ONNXFile.Node) throws(Fault) -> [Int]? {
        guard let name = node.input(1) else { return try node.integers("axes") ?? [] }
        return try constant(name)?.integers
    }
}
