internal import Support

/// What is known before anything runs: shapes, and numbers that are made of them.
extension ONNXBuilder {
    mutating func appendConstant(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        switch kind {
        case .constant: try define(node, ONNXValue(try literal(node)))
        case .shape:
            let shape = try value(node, 0).shape, last = node.has("end") ? node.integer("end") : shape.count
            func place(_ value: Int) -> Int { min(max(value < 0 ? value + shape.count : value, 0), shape.count) }
            let first = place(node.integer("start")), part = Array(shape[min(first, place(last))..<place(last)])
            try define(node, ONNXValue(ONNXConstant(.integers(part.map(Int64.init)), shape: [part.count])))
        case .constantOfShape:
            guard let shape = try constant(node, 0)?.integers, let count = ONNXConstant.count(shape), count <= Self.mostOfTensor
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
        case .where where try isComputed(node): try appendSelection(node)
        default: try appendChoice(node, kind)
        }
    }

    // A mask of attention.
    private mutating func appendTriangle(_ node: ONNXFile.Node) throws(Fault) {
        guard let whole = try constant(node, 0), whole.shape.count >= 2 else { throw refused(node, "its input is no constant matrix") }
        let rows = whole.shape[whole.shape.count - 2], columns = whole.shape[whole.shape.count - 1]
        let diagonal = try constant(node, 1)?.integers.first ?? 0, isUpper = node.integer("upper", default: 1) != 0
        func keeps(_ at: Int) -> Bool {
            let (row, column) = (at / max(columns, 1) % max(rows, 1), at % max(columns, 1))
            // Far diagonals are those beyond the matrix.
            let distance = Int64(column - row), limit = Int64(max(-1 << 20, min(1 << 20, diagonal)))
            return isUpper ? distance >= limit : distance <= limit
        }
        switch whole.numbers {
        case .integers(let numbers):
            try define(node, filled(.integers(numbers.indices.map { keeps($0) ? numbers[$0] : 0 }), whole.shape))
        case .floats(let numbers): try define(node, filled(.floats(numbers.indices.map { keeps($0) ? numbers[$0] : 0 }), whole.shape))
        }
    }

    private func isComputed(_ node: ONNXFile.Node) throws(Fault) -> Bool {
        for position in node.inputs.indices { if try value(node, position).constant == nil { return true } }
        return false
    }

    // Where of a constant condition, as masks of attention are: each side by ones and zeros.
    private mutating func appendSelection(_ node: ONNXFile.Node) throws(Fault) {
        guard let condition = try constant(node, 0), node.inputs.count == 3 else { throw refused(node, "its condition is computed") }
        var sides: [ONNXValue] = []
        let hides = isBeforeSoftmax(node)
        for position in 1...2 {
            let chosen = condition.floats.map { Float(($0 != 0) == (position == 1) ? 1 : 0) }
            let mask = filled(.floats(chosen), condition.shape)
            let side = try value(node, position)
            sides.append(try combined(node, .mul, hides ? side.masked : side, mask))
        }
        try define(node, try combined(node, .add, sides[0], sides[1]))
    }

    // Equal and Where, of shapes.
    private mutating func appendChoice(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        var inputs: [ONNXConstant] = []
        for position in node.inputs.indices {
            guard let one = try constant(node, position) else { throw refused(node, "its input \(position) is missing") }
            inputs.append(one)
        }
        var shape: [Int] = []
        for input in inputs {
            guard let common = Elements.common(shape, input.shape) else { throw refused(node, "its inputs do not fit each other") }
            shape = common
        }
        guard inputs.count == (kind == .equal ? 2 : 3), ONNXConstant.count(shape) != nil else {
            throw refused(node, "it has \(inputs.count) inputs")
        }
        let numbers = inputs.map { input in
            (Elements.broadcast(input.shape, to: shape) ?? []).map { input.floats[Int($0)] }
        }
        let result = numbers[0].indices.map {
            kind == .equal ? (numbers[0][$0] == numbers[1][$0] ? 1 : 0) : numbers[numbers[0][$0] != 0 ? 1 : 2][$0]
        }
        let isWhole = inputs.dropFirst(kind == .equal ? 0 : 1).allSatisfy { if case .integers = $0.numbers { true } else { false } }
        try define(node, filled(isWhole ? .integers(result.map { Int64($0) }) : .floats(result), shape))
    }

    private func filled(_ numbers: ONNXConstant.Numbers, _ shape: [Int]) -> ONNXValue { ONNXValue(ONNXConstant(numbers, shape: shape)) }

    private func literal(_ node: ONNXFile.Node) throws(Fault) -> ONNXConstant {
        if let tensor = try node.tensor("value") { return try file.constant(tensor, node.outputs.first ?? "") }
        if node.has("value_float") { return ONNXConstant(.floats([Float(node.float("value_float"))]), shape: []) }
        if node.has("value_int") { return ONNXConstant(.integers([Int64(node.integer("value_int"))]), shape: []) }
        if node.has("value_floats") {
            let numbers = node.floats("value_floats")
            return ONNXConstant(.floats(numbers), shape: [numbers.count])
        }
        if let numbers = try node.integers("value_ints") { return ONNXConstant(.integers(numbers.map(Int64.init)), shape: [numbers.count]) }
        throw refused(node, "it has no value that can be read")
    }
}
