internal import Support

/// Padding, which is where an element is taken from.
extension ONNXBuilder {
    mutating func pad(_ node: ONNXFile.Node, _ source: ONNXValue) throws(Fault) {
        let rank = source.shape.count
        // Of integers that stand for numbers zero is their zero point.
        let zero = Double(step(before: node.input(0) ?? "")?.zeroPoint ?? 0)
        guard let mode = Padding(rawValue: node.text("mode") ?? "constant") else {
            throw refused(node, "its mode is \(node.text("mode") ?? "")")
        }
        let filling = try constant(node, 2)?.scalar ?? node.float("value")
        guard mode != .constant || filling == zero else { throw refused(node, "it pads with something else than zero") }
        guard let written = try list(node, 1, "pads") else { throw refused(node, "its padding is missing") }
        var pads = [Int](repeating: 0, count: 2 * rank)
        if let axes = try constant(node, 3)?.integers {
            guard written.count == 2 * axes.count else { throw refused(node, "it has \(written.count) paddings for \(axes.count) axes") }
            for (index, one) in axes.enumerated() {
                let at = try axis(node, one, rank: rank)
                (pads[at], pads[at + rank]) = (written[index], written[index + axes.count])
            }
        } else {
            guard written.count == 2 * rank else { throw refused(node, "it has \(written.count) paddings for \(rank) axes") }
            pads = written
        }
        guard pads.allSatisfy({ (mode == .constant ? -4096...4096 : 0...4096).contains($0) }) else {
            throw refused(node, "it pads by \(pads)")
        }
        guard mode != .reflect || source.shape.indices.allSatisfy({ max(pads[$0], pads[$0 + rank]) < max(source.shape[$0], 1) }) else {
            throw refused(node, "it reflects more than there is: \(pads) of \(source.shape)")
        }
        let shape = source.shape.indices.map { max(0, source.shape[$0] + pads[$0] + pads[$0 + rank]) }
        try requireSize(node, shape)
        let strides = Elements.strides(source.shape)
        let picks = Elements.indices(shape) { index in
            var at = 0
            for axis in source.shape.indices {
                guard let place = mode.place(index[axis] - pads[axis], of: source.shape[axis]) else { return -1 }
                at += place * strides[axis]
            }
            return at
        }
        // Zero is added behind the curve.
        var padded = source
        if source.constant == nil {
            let (place, order) = materialised(source)
            padded = ONNXValue(place: place, shape: source.shape, order: order)
            padded.isShared = source.isShared
        }
        try define(node, padded.picked(picks, shape: shape))
    }

    // What stands where an axis has ended.
    private enum Padding: String {
        case constant, reflect, edge, wrap

        // nil: zero. Padding may be longer than the axis.
        func place(_ index: Int, of count: Int) -> Int? {
            if (0..<count).contains(index) { return index }
            guard count > 0 else { return nil }
            func rest(_ value: Int, _ by: Int) -> Int { (value % by + by) % by }
            switch self {
            case .constant: return nil
            case .edge: return index < 0 ? 0 : count - 1
            case .wrap: return rest(index, count)
            case .reflect:
                guard count > 1 else { return 0 }
                let folded = rest(index, 2 * count - 2)
                return folded < count ? folded : 2 * count - 2 - folded
            }
        }
    }
}
