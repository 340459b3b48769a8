internal import NeuralNetwork
internal import Support

/// Operators that move numbers about, and those that compute with shapes.
extension ONNXBuilder {
    mutating func appendMovement(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        let source = try value(node, 0), shape = source.shape
        switch kind {
        case .reshape:
            guard let wanted = try constant(node, 1)?.integers else { throw refused(node, "its shape is missing") }
            try reshape(node, source, wanted.enumerated().map { $1 == 0 && shape.indices.contains($0) ? shape[$0] : $1 })
        case .flatten:
            let axis = node.integer("axis", default: 1), at = axis < 0 ? axis + shape.count : axis
            guard (0...shape.count).contains(at) else { throw refused(node, "it has no axis \(axis)") }
            try reshape(node, source, [Elements.count(Array(shape[..<at])), Elements.count(Array(shape[at...]))])
        case .squeeze:
            var axes: Set<Int> = []
            for written in try list(node, 1, "axes") ?? shape.indices.filter({ shape[$0] == 1 }) {
                axes.insert(try axis(node, written, rank: shape.count))
            }
            try reshape(node, source, shape.indices.filter { !axes.contains($0) }.map { shape[$0] })
        case .unsqueeze:
            guard let written = try list(node, 1, "axes") else { throw refused(node, "its axes are missing") }
            let rank = shape.count + written.count
            var axes: Set<Int> = []
            for one in written { axes.insert(try axis(node, one, rank: rank)) }
            var rest = shape[...]
            try reshape(node, source, (0..<rank).map { axes.contains($0) ? 1 : rest.popFirst() ?? 1 })
        case .transpose:
            let axes = try node.integers("perm") ?? Array(shape.indices.reversed())
            guard axes.sorted() == Array(shape.indices) else { throw refused(node, "it orders the axes as \(axes)") }
            try define(node, source.transposed(axes))
        case .expand:
            guard let wanted = try constant(node, 1)?.integers, let wide = Elements.common(shape, wanted) else {
                throw refused(node, "its shape is missing, or does not fit")
            }
            try broadcast(node, source, wide)
        case .tile:
            guard let times = try constant(node, 1)?.integers, times.count == shape.count, times.allSatisfy({ (1...4096).contains($0) })
            else { throw refused(node, "its repeats are missing, or not 1 to 4096 for each axis") }
            let wide = zip(shape, times).map { $0 * $1 }, strides = Elements.strides(shape)
            try requireSize(node, wide)
            let picks = Elements.indices(wide) { index in shape.indices.reduce(0) { $0 + index[$1] % shape[$1] * strides[$1] } }
            try define(node, source.picked(picks, shape: wide))
        case .slice: try slice(node, source)
        case .reverseSequence: try reverse(node, source)
        case .split: try split(node, source)
        case .gather: try gather(node, source, axis: try axis(node, node.integer("axis"), rank: shape.count))
        case .gatherND: try gatherElements(node, source)
        case .arrayFeatureExtractor: // columns of a row
            guard !shape.isEmpty, source.constant == nil else { throw refused(node, "it reads a constant, or a single number") }
            try gather(node, source, axis: shape.count - 1)
        case .pad: try pad(node, source)
        default: try concatenate(node)
        }
    }

    /// A tensor as large as the core can have.
    func requireSize(_ node: ONNXFile.Node, _ shape: [Int]) throws(Fault) {
        guard let count = ONNXConstant.count(shape), count <= Tensor.mostElements else {
            throw refused(node, "it gives the shape \(shape); \(Tensor.mostElements) numbers at most can be held")
        }
    }

    private mutating func reshape(_ node: ONNXFile.Node, _ source: ONNXValue, _ wanted: [Int]) throws(Fault) {
        var shape = wanted
        if let open = shape.firstIndex(of: -1) {
            let known = ONNXConstant.count(shape.map { $0 == -1 ? 1 : $0 }) ?? 0
            guard known > 0, source.count % known == 0 else { throw refused(node, "\(source.shape) does not become \(wanted)") }
            shape[open] = source.count / known
        }
        guard ONNXConstant.count(shape) == source.count else {
            throw refused(node, "\(source.shape) does not become \(wanted): the batch has to be one")
        }
        var result = source.reshaped(shape)
        if isRow, case .computed(0, .input) = source.content, source.order == ONNXValue(place: 0, shape: source.shape).order,
            let order = ONNXInput.order(ofWindow: shape)
        {
            result.order = order
        }
        try define(node, result)
    }

    private mutating func broadcast(_ node: ONNXFile.Node, _ source: ONNXValue, _ shape: [Int]) throws(Fault) {
        try requireSize(node, shape)
        guard let picks = Elements.broadcast(source.shape, to: shape) else { throw refused(node, "\(source.shape) does not fit \(shape)") }
        try define(node, source.picked(picks, shape: shape))
    }

    private mutating func slice(_ node: ONNXFile.Node, _ source: ONNXValue) throws(Fault) {
        let starts = try list(node, 1, "starts") ?? []
        let ends = try list(node, 2, "ends") ?? []
        let axes = try list(node, 3, "axes") ?? Array(starts.indices)
        let steps = try constant(node, 4)?.integers ?? [Int](repeating: 1, count: starts.count)
        guard ends.count == starts.count, axes.count == starts.count, steps.count == starts.count else {
            throw refused(node, "it has \(starts.count) starts and \(ends.count) ends")
        }
        var shape = source.shape, first = [Int](repeating: 0, count: shape.count), step = [Int](repeating: 1, count: shape.count)
        for (index, written) in axes.enumerated() {
            let axis = try axis(node, written, rank: shape.count), extent = source.shape[axis]
            // A longer step takes one element, too.
            let by = min(max(steps[index], -extent - 1), extent + 1)
            guard by != 0 else { throw refused(node, "its step is \(by)") }
            func place(_ value: Int) -> Int { value < 0 ? max(value, -extent - 1) + extent : min(value, extent) }
            let range =
                by > 0 ? (max(place(starts[index]), 0), place(ends[index])) : (min(place(starts[index]), extent - 1), place(ends[index]))
            (first[axis], step[axis]) = (range.0, by)
            shape[axis] = max(0, (range.1 - range.0 + by - by.signum()) / by)
        }
        try define(node, picked(source, shape, first, step))
    }

    // Every `step` element from `first` on, along each axis.
    private func picked(_ source: ONNXValue, _ shape: [Int], _ first: [Int], _ step: [Int]) -> ONNXValue {
        let strides = Elements.strides(source.shape)
        let start = zip(first, strides).reduce(0) { $0 + $1.0 * $1.1 }
        let picks = Elements.strided(shape, first: start, steps: zip(step, strides).map { $0 * $1 })
        return source.picked(picks, shape: shape)
    }

    // The one sequence of the batch, whole.
    private mutating func reverse(_ node: ONNXFile.Node, _ source: ONNXValue) throws(Fault) {
        let time = node.integer("time_axis"), batch = node.integer("batch_axis", default: 1)
        guard (0...1).contains(time), batch == 1 - time, source.shape.count >= 2, source.shape[batch] == 1,
            try constant(node, 1)?.integers == [source.shape[time]]
        else { throw refused(node, "it turns a part of a sequence, or more than one") }
        var first = [Int](repeating: 0, count: source.shape.count), step = [Int](repeating: 1, count: source.shape.count)
        (first[time], step[time]) = (source.shape[time] - 1, -1)
        try define(node, picked(source, source.shape, first, step))
    }

    private mutating func split(_ node: ONNXFile.Node, _ source: ONNXValue) throws(Fault) {
        let axis = try axis(node, node.integer("axis"), rank: source.shape.count), extent = source.shape[axis], parts = node.outputs.count
        let each = parts > 0 ? (extent + parts - 1) / parts : 0
        let sizes =
            try list(node, 1, "split")
            ?? (0..<parts).map { min(each, max(0, extent - $0 * each)) }
        guard sizes.count == parts, sizes.allSatisfy({ (0...extent).contains($0) }), sizes.reduce(0, +) == extent else {
            throw refused(node, "\(extent) elements are not split into \(sizes)")
        }
        var start = 0, shape = source.shape
        for (index, size) in sizes.enumerated() {
            var first = [Int](repeating: 0, count: shape.count)
            (first[axis], shape[axis]) = (start, size)
            if !node.outputs[index].isEmpty {
                try define(node, picked(source, shape, first, [Int](repeating: 1, count: shape.count)), output: index)
            }
            start += size
        }
    }

    private mutating func gather(_ node: ONNXFile.Node, _ source: ONNXValue, axis: Int) throws(Fault) {
        // A table that is looked up, as this program's own export writes one.
        if let table = source.constant?.floats, !table.isEmpty, source.shape.count == 1, let place = try optional(node, 1), place.isWhole {
            return try define(node, place.followed(by: .entry(table, .input)))
        }
        guard var indices = try constant(node, 1) else { throw refused(node, "its indices are missing") }
        // Columns may be written as a row of their own.
        if node.kind == "ArrayFeatureExtractor" { indices.shape = [indices.numbers.count] }
        let extent = source.shape[axis]
        let places = indices.integers.map { $0 < 0 ? $0 + extent : $0 }, strides = Elements.strides(source.shape)
        guard places.allSatisfy({ (0..<extent).contains($0) }) else { throw refused(node, "an index lies outside of \(extent)") }
        let shape = Array(source.shape[..<axis]) + indices.shape + Array(source.shape[(axis + 1)...]), rank = indices.shape.count
        try requireSize(node, shape)
        let inner = Elements.strides(indices.shape)
        let picks = Elements.indices(shape) { index in
            let at = zip(index[axis..<axis + rank], inner).reduce(0) { $0 + $1.0 * $1.1 }
            let before = (0..<axis).reduce(0) { $0 + index[$1] * strides[$1] }
            let behind = (axis + 1..<source.shape.count).reduce(0) { $0 + index[$1 - 1 + rank] * strides[$1] }
            return before + places[at] * strides[axis] + behind
        }
        try define(node, source.picked(picks, shape: shape))
    }

    // What lies at places that are named by the first axes together.
    private mutating func gatherElements(_ node: ONNXFile.Node, _ source: ONNXValue) throws(Fault) {
        guard let indices = try constant(node, 1), let depth = indices.shape.last, (1...source.shape.count).contains(depth),
            node.integer("batch_dims") == 0
        else { throw refused(node, "its indices are missing, or of a part of the axes for each batch") }
        let strides = Elements.strides(source.shape), inner = Elements.count(Array(source.shape[depth...])), numbers = indices.integers
        var starts: [Int] = []
        for first in stride(from: 0, to: numbers.count, by: depth) {
            var start = 0
            for axis in 0..<depth {
                let extent = source.shape[axis], place = numbers[first + axis] < 0 ? numbers[first + axis] + extent : numbers[first + axis]
                guard (0..<extent).contains(place) else { throw refused(node, "an index lies outside of \(extent)") }
                start += place * strides[axis]
            }
            starts.append(start)
        }
        let shape = Array(indices.shape.dropLast()) + Array(source.shape[depth...])
        try requireSize(node, shape)
        let picks = starts.flatMap { start in (0..<inner).map { Int32(clamping: start + $0) } }
        try define(node, source.picked(picks, shape: shape))
    }

    private mutating func concatenate(_ node: ONNXFile.Node) throws(Fault) {
        var parts: [ONNXValue] = []
        for position in node.inputs.indices { parts.append(try value(node, position)) }
        let rank = parts[0].shape.count, axis = try axis(node, node.integer("axis"), rank: rank)
        func outside(_ shape: [Int]) -> [Int] { shape.indices.filter { $0 != axis }.map { shape[$0] } }
        guard parts.allSatisfy({ $0.shape.count == rank && outside($0.shape) == outside(parts[0].shape) }) else {
            throw refused(node, "its inputs have the shapes \(parts.map(\.shape))")
        }
        try define(node, try joined(node, parts.filter { $0.count > 0 || parts.count == 1 }, axis))
    }

    /// Values along an axis, up to four by each layer.
    private static let mostJoined = 1024

    mutating func joined(_ node: ONNXFile.Node, _ parts: [ONNXValue], _ axis: Int) throws(Fault) -> ONNXValue {
        guard let first = parts.first else { throw refused(node, "it joins nothing") }
        if parts.count == 1 { return first }
        guard parts.count <= Self.mostJoined else { throw refused(node, "it joins \(parts.count) tensors; \(Self.mostJoined) at most") }
        var shape = first.shape
        shape[axis] = parts.reduce(0) { $0 + $1.shape[axis] }
        try requireSize(node, shape)
        let constants = parts.compactMap(\.constant)
        if constants.count == parts.count {
            let outer = Elements.count(Array(shape[..<axis])),
                isWhole = constants.allSatisfy { if case .integers = $0.numbers { true } else { false } }
            func rows<Number>(_ numbers: [[Number]]) -> [Number] {
                (0..<outer).flatMap { row in numbers.flatMap { $0[row * ($0.count / outer)..<(row + 1) * ($0.count / outer)] } }
            }
            let numbers: ONNXConstant.Numbers =
                isWhole ? .integers(rows(constants.map { $0.integers.map(Int64.init) })) : .floats(rows(constants.map(\.floats)))
            return ONNXValue(ONNXConstant(numbers, shape: shape))
        }
        if parts.count > 4 {
            let head = try joined(node, Array(parts.prefix(4)), axis)
            return try joined(node, [head] + parts.dropFirst(4), axis)
        }
        // Channels stay the innermost where all of them have it so; the axis becomes the last.
        let axes = shape.indices.filter { $0 != axis } + [axis]
        let rows = Elements.count(shape) / shape[axis]
        let sources = parts.map { arranged($0, axes: axes, FloatShape(rows: rows, channels: $0.shape[axis])) }
        let place = append(.concatenation(axis: 2), sources, FloatShape(rows: rows, channels: shape[axis]))
        return value(place, shape: shape, axes: axes)
    }
}
