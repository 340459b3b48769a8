internal import Support

/// Comparisons and choices between two tensors: how exporters write masks and functions that jump.
extension ONNXBuilder {
    mutating func appendLogic(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        switch kind {
        case .where: try appendSelection(node)
        case .isNaN, .isInf: // what is computed in fixed point never is
            let source = try value(node, 0), numbers = source.constant?.floats ?? [Float](repeating: 0, count: source.count)
            try requireSize(node, source.shape)
            try define(node, filled(.integers(numbers.map { (kind == .isNaN ? $0.isNaN : $0.isInfinite) ? 1 : 0 }), source.shape))
        case .not:
            let given = try value(node, 0)
            guard let source = given.constant else { return try define(node, opposite(given)) }
            try define(node, filled(.integers(source.floats.map { $0 == 0 ? 1 : 0 }), source.shape))
        default: try appendComparison(node, kind)
        }
    }

    private mutating func appendComparison(_ node: ONNXFile.Node, _ kind: ONNXOperator) throws(Fault) {
        if kind == .equal, var choice = try optional(node, 0), choice.isChoice {
            guard let places = try constant(node, 1), places.integers == Array(0..<choice.count), places.shape.last == choice.count else {
                throw refused(node, "it compares what is the largest with something else than all classes")
            }
            choice.isChoice = false
            return try define(node, choice)
        }
        let one = try value(node, 0), other = try value(node, 1)
        guard let left = one.constant, let right = other.constant else { return try define(node, try compared(node, kind, one, other)) }
        guard let shape = Elements.common(left.shape, right.shape) else {
            throw refused(node, "it has not two inputs that fit each other")
        }
        try requireSize(node, shape)
        let a = left.broadcast(to: shape), b = right.broadcast(to: shape)
        func truth(_ a: Double, _ b: Double) -> Bool {
            switch kind {
            case .less: a < b
            case .lessOrEqual: a <= b
            case .greater: a > b
            case .greaterOrEqual: a >= b
            case .and: a != 0 && b != 0
            case .or: a != 0 || b != 0
            default: a == b
            }
        }
        try define(node, filled(.integers(zip(a.doubles, b.doubles).map { truth($0, $1) ? 1 : 0 }), shape))
    }

    // Of what is computed: ones and zeros. Whether two such numbers are the same depends on their last bits.
    private mutating func compared(
        _ node: ONNXFile.Node, _ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue
    ) throws(Fault) -> ONNXValue {
        if let told = try comparedWithZero(node, kind, a, b) { return told }
        switch kind {
        case .greater: return try isGreater(node, a, b)
        case .less: return try isGreater(node, b, a)
        case .greaterOrEqual: return opposite(try isGreater(node, b, a))
        case .lessOrEqual: return opposite(try isGreater(node, a, b))
        case .and, .or:
            var both = try combined(node, kind == .and ? .min : .max, a, b)
            both.isTruth = true
            return both
        case .equal where (a.isTruth || a.constant?.isTruth == true) && (b.isTruth || b.constant?.isTruth == true):
            return opposite(applied(.function(.magnitude, .input), to: try combined(node, .sub, a, b)))
        case .equal where a.constant?.scalar == 0: return opposite(isPositive(applied(.function(.magnitude, .input), to: b)))
        case .equal where b.constant?.scalar == 0: return opposite(isPositive(applied(.function(.magnitude, .input), to: a)))
        default: throw refused(node, "it compares what is computed; which is the larger, and what is zero, can be told")
        }
    }

    /// Fixed point has no infinity: masks can be added to, or chosen beside, numbers that are read so that it does not show.
    func requireFinite(_ node: ONNXFile.Node, _ value: ONNXValue) throws(Fault) {
        guard let numbers = value.constant?.floats, !numbers.allSatisfy(\.isFinite) else { return }
        throw refused(
            node, "it puts infinities beside what is computed, and not before a soft-max, a sigmoid or exp",
            remedy: "Mask with a number of the others' size, or with a factor of ones and zeros behind it.")
    }

    /// Where a product of two tensors is above and below zero: as its factors are, however small it is. Nil for anything else. (A quotient
    /// may be infinite, or none.)
    mutating func signs(_ node: ONNXFile.Node, of name: String) throws(Fault) -> (above: ONNXValue, below: ONNXValue)? {
        guard let maker = makers[name], maker.kind == "Mul", maker.inputs.count == 2,
            let a = captured(maker.inputs[0]), let b = captured(maker.inputs[1]), a.constant == nil, b.constant == nil
        else { return nil }
        let minus = Expression.function(.negative, .input)
        let (up, down) = (isPositive(a), isPositive(applied(minus, to: a)))
        let (otherUp, otherDown) = (isPositive(b), isPositive(applied(minus, to: b)))
        func either(_ one: (ONNXValue, ONNXValue), _ other: (ONNXValue, ONNXValue)) throws(Fault) -> ONNXValue {
            let first = try combined(node, .mul, one.0, one.1), second = try combined(node, .mul, other.0, other.1)
            var either = try combined(node, .add, first, second)
            either.isTruth = true
            return either
        }
        return (try either((up, otherUp), (down, otherDown)), try either((up, otherDown), (down, otherUp)))
    }

    // A comparison with zero by signs; nil of any other.
    private mutating func comparedWithZero(
        _ node: ONNXFile.Node, _ kind: ONNXOperator, _ a: ONNXValue, _ b: ONNXValue
    ) throws(Fault) -> ONNXValue? {
        let isReversed = a.constant?.scalar == 0
        guard isReversed || b.constant?.scalar == 0, let name = node.input(isReversed ? 1 : 0) else { return nil }
        guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(kind), let shape = Elements.common(a.shape, b.shape),
            Elements.count(shape) == (isReversed ? b : a).count, let signs = try signs(node, of: name)
        else { return nil }
        let above = signs.above.reshaped(shape), below = signs.below.reshaped(shape)
        switch kind {
        case .greater: return isReversed ? below : above
        case .less: return isReversed ? above : below
        case .greaterOrEqual: return opposite(isReversed ? above : below)
        default: return opposite(isReversed ? below : above)
        }
    }

    private mutating func isGreater(_ node: ONNXFile.Node, _ a: ONNXValue, _ b: ONNXValue) throws(Fault) -> ONNXValue {
        // The zero may have more axes.
        if b.constant?.scalar == 0, let shape = Elements.common(a.shape, b.shape), Elements.count(shape) == a.count {
            return isPositive(a.reshaped(shape))
        }
        return isPositive(try combined(node, .sub, a, b))
    }

    /// 1 where a number is above zero, else 0, in a layer of its own: between the entries of a table there are straight lines.
    mutating func isPositive(_ value: ONNXValue) -> ONNXValue {
        let (place, order) = materialised(applied(.function(.isPositive, .input), to: value))
        var truth = ONNXValue(place: place, shape: value.shape, order: order)
        truth.isTruth = true
        truth.isShared = true
        return truth
    }

    private mutating func opposite(_ truth: ONNXValue) -> ONNXValue {
        var other = applied(.difference(.constant(1), .input), to: truth)
        other.isTruth = true
        return other
    }

    // One side where the condition holds, the other where it does not, each by ones and zeros.
    private mutating func selection(
        _ node: ONNXFile.Node, _ truth: ONNXValue, _ sides: [ONNXValue]
    ) throws(Fault) -> ONNXValue {
        var sum: ONNXValue?
        let hides = hidesFarBelow(node)
        for (side, isThere) in zip(hides ? sides.map(\.masked) : sides, [truth, opposite(truth)]) {
            if let numbers = side.constant?.floats {
                try requireFinite(node, side)
                if numbers.allSatisfy({ $0 == 0 }) { continue }
            }
            let part = try combined(node, .mul, side, isThere)
            sum = try sum.map { before throws(Fault) in try combined(node, .add, before, part) } ?? part
        }
        guard let sum, let sides = Elements.common(sides[0].shape, sides[1].shape), sum.shape == Elements.common(sides, truth.shape) else {
            throw refused(node, "its inputs do not fit each other, or all that it chooses are zeros")
        }
        return sum
    }

    // Whether it is x but next to nothing where that is zero, and all that reads it divides by it.
    private func isGuard(_ node: ONNXFile.Node) throws(Fault) -> Bool {
        guard let equality = makers[node.inputs[0]], equality.kind == "Equal", equality.inputs.contains(node.inputs[2]),
            let number = equality.inputs.first(where: { $0 != node.inputs[2] }), try known(number)?.scalar == 0,
            let instead = try known(node.inputs[1])
        else { return false }
        return isOnlyDivisor(node) && instead.floats.allSatisfy { Double($0.magnitude) <= ONNXNormalisation.negligible }
    }

    // By a constant condition: one side where that is all, or each by ones and zeros.
    private mutating func appendSelection(_ node: ONNXFile.Node) throws(Fault) {
        guard node.inputs.count == 3 else { throw refused(node, "it has not three inputs") }
        if try isGuard(node) { return try define(node, try value(node, 2)) }
        let sides = [try value(node, 1), try value(node, 2)], given = try value(node, 0)
        guard let condition = given.constant else {
            if given.isTruth { return try define(node, try selection(node, given, sides)) }
            guard makers[node.inputs[0]]?.kind == "Equal", sides.allSatisfy({ $0.constant != nil }) else {
                throw refused(node, "its condition is computed")
            }
            let difference = try combined(node, .sub, sides[0], sides[1])
            return try define(node, try combined(node, .add, try combined(node, .mul, given, difference), sides[1]))
        }
        guard let both = Elements.common(sides[0].shape, sides[1].shape), let shape = Elements.common(condition.shape, both) else {
            throw refused(node, "its inputs do not fit each other")
        }
        try requireSize(node, shape)
        let isChosen = condition.broadcast(to: shape).doubles.map { $0 != 0 }
        if let only = isChosen.first, !isChosen.contains(!only) {
            let side = sides[only ? 0 : 1]
            return try define(node, side.picked(Elements.broadcast(side.shape, to: shape) ?? [], shape: shape))
        }
        if let left = sides[0].constant?.broadcast(to: shape), let right = sides[1].constant?.broadcast(to: shape) {
            return try define(node, filled(left.numbers.chosen(isChosen, else: right.numbers), shape))
        }
        let hides = hidesFarBelow(node)
        var parts: [ONNXValue] = []
        for (index, side) in sides.enumerated() {
            let mask = filled(.floats(isChosen.map { $0 == (index == 0) ? 1 : 0 }), shape), shown = hides ? side.masked : side
            try requireFinite(node, shown)
            parts.append(try combined(node, .mul, shown, mask))
        }
        try define(node, try combined(node, .add, parts[0], parts[1]))
    }
}

extension ONNXConstant {
    /// Repeated to a shape that it is broadcast to.
    fileprivate func broadcast(to wider: [Int]) -> ONNXConstant {
        let value = ONNXValue(self)
        return value.picked(Elements.broadcast(shape, to: wider) ?? [], shape: wider).constant ?? self
    }

    /// Whether it has nothing but ones and zeros.
    fileprivate var isTruth: Bool { doubles.allSatisfy { $0 == 0 || $0 == 1 } }

    // Whole numbers up to 2^53 are exact.
    fileprivate var doubles: [Double] {
        switch numbers {
        case .floats(let values): values.map { Double($0) }
        case .integers(let values): values.map { Double($0) }
        }
    }
}

extension ONNXConstant.Numbers {
    fileprivate func chosen(_ isChosen: [Bool], else other: ONNXConstant.Numbers) -> ONNXConstant.Numbers {
        if case .integers(let left) = self, case .integers(let right) = other {
            return .integers(isChosen.indices.map { isChosen[$0] ? left[$0] : right[$0] })
        }
        let left = ONNXConstant(self, shape: []).floats, right = ONNXConstant(other, shape: []).floats
        return .floats(isChosen.indices.map { isChosen[$0] ? left[$0] : right[$0] })
    }
}
