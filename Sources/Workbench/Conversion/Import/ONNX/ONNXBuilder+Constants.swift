internal import NeuralNetwork
internal import Support

/// What is known before anything runs: shapes, and numbers that are made of them.
extension ONNXBuilder {
    mutating func appendConstant(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        switch kind {
        case .constant:
            guard let constant = try file.literal(node) else { throw refused(node, "it has no value that can be read") }
            try define(node, ONNXValue(constant))
        case .shape:
            let shape = try value(node, 0).shape, last = node.has("end") ? node.integer("end") : shape.count
            func place(_ value: Int) -> Int { min(max(value < 0 ? value + shape.count : value, 0), shape.count) }
            let first = place(node.integer("start")), part = Array(shape[min(first, place(last))..<place(last)])
            try define(node, ONNXValue(ONNXConstant(.integers(part.map(Int64.init)), shape: [part.count])))
        case .constantOfShape:
            guard let shape = try constant(node, 0)?.integers, let count = ONNXConstant.count(shape), count <= Tensor.mostElements
            else {
                throw refused(node, "its shape is missing or too large")
            }
            let found = try node.tensor("value")
            let one = try found.map { message throws(Fault) in try file.constant(message, "value") }
            switch one?.numbers {
            case .integers(let values): try define(node, filled(.integers([Int64](repeating: values.first ?? 0, count: count)), shape))
            case .floats(let values): try define(node, filled(.floats([Float](repeating: values.first ?? 0, count: count)), shape))
            case nil: try define(node, filled(.floats([Float](repeating: 0, count: count)), shape))
            }
        case .range:
            guard let start = try constant(node, 0)?.integers.first, let end = try constant(node, 1)?.integers.first,
                let step = try constant(node, 2)?.integers.first, step != 0, (-1 << 16...1 << 16).contains(start),
                (-1 << 16...1 << 16).contains(end)
            else { throw refused(node, "its limits are missing or too large") }
            let numbers = stride(from: start, to: end, by: step).map { Int64($0) }
            try define(node, filled(.integers(numbers), [numbers.count]))
        case .reduceProd:
            guard let factors = try constant(node, 0)?.integers, let product = ONNXConstant.count(factors) else {
                throw refused(node, "its factors are computed, or too large")
            }
            try define(node, filled(.integers([Int64(product)]), node.integer("keepdims", default: 1) != 0 ? [1] : []))
        case .trilu: try appendTriangle(node)
        default: throw refused(node, "it has no constant")
        }
    }

    // A mask of attention, or what is computed with zeros on the other side of the diagonal.
    private mutating func appendTriangle(_ node: ONNXFile.Node) throws(Fault) {
        let whole = try value(node, 0)
        guard whole.shape.count >= 2 else { throw refused(node, "its input is no matrix") }
        let rows = whole.shape[whole.shape.count - 2], columns = whole.shape[whole.shape.count - 1]
        let diagonal = try constant(node, 1)?.integers.first ?? 0, isUpper = node.integer("upper", default: 1) != 0
        func keeps(_ at: Int) -> Bool {
            let (row, column) = (at / max(columns, 1) % max(rows, 1), at % max(columns, 1))
            // Far diagonals are those beyond the matrix.
            let distance = Int64(column - row), limit = Int64(max(-1 << 20, min(1 << 20, diagonal)))
            return isUpper ? distance >= limit : distance <= limit
        }
        try define(node, whole.picked((0..<whole.count).map { keeps($0) ? Int32($0) : -1 }, shape: whole.shape))
    }

    func filled(_ numbers: ONNXConstant.Numbers, _ shape: [Int]) -> ONNXValue { ONNXValue(ONNXConstant(numbers, shape: shape)) }
}
