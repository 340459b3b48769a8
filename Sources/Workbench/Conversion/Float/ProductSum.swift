/// A constant and products of two numbers, each with a factor: what naive Bayes, quadratic discriminants and distances to prototypes are,
/// and spectra and autocorrelations.
struct ProductSum {
    /// An element of a tensor times `scale`, and `offset`.
    struct Line: Hashable {
        var place: Int
        var index: Int
        var scale = 1.0, offset = 0.0

        func scaled(by factor: Double, plus constant: Double = 0) -> Line {
            Line(place: place, index: index, scale: scale * factor, offset: offset * factor + constant)
        }
    }

    struct Term {
        var left: Line
        var right: Line
        var factor: Double

        var isSquare: Bool { left == right }
    }

    var terms: [Term] = []
    var constant = 0.0

    func scaled(by factor: Double, plus moved: Double = 0) -> ProductSum {
        var sum = self
        for index in sum.terms.indices { sum.terms[index].factor *= factor }
        sum.constant = constant * factor + moved
        return sum
    }

    static func + (_ a: ProductSum, _ b: ProductSum) -> ProductSum {
        ProductSum(terms: a.terms + b.terms, constant: a.constant + b.constant)
    }
}

extension ProductSum {
    // Rounding errors of more squares cancel each other out.
    private static let mostSquared = 64

    /// Elements that are sums of a few squares and one constant; nil where one is something else.
    static func squares(_ elements: [ProductTrace]) -> [ProductSum]? {
        let sums = elements.compactMap { element -> ProductSum? in
            guard case .sum(let sum) = element, (2...mostSquared).contains(sum.terms.count), sum.constant.isFinite,
                sum.terms.allSatisfy({ $0.isSquare && $0.factor > 0 && $0.factor.isFinite })
            else { return nil }
            return sum
        }
        guard sums.count == elements.count, let first = sums.first, sums.allSatisfy({ $0.constant == first.constant }) else { return nil }
        return sums
    }
}

/// What an element of a tensor is, as far as that is simple.
enum ProductTrace {
    case line(ProductSum.Line)
    case sum(ProductSum)

    /// Where it is nothing else.
    func constant() -> Double? {
        if case .sum(let sum) = self, sum.terms.isEmpty { sum.constant } else { nil }
    }

    func scaled(by factor: Double, plus moved: Double = 0) -> ProductTrace {
        switch self {
        case .line(let line): .line(line.scaled(by: factor, plus: moved))
        case .sum(let sum): .sum(sum.scaled(by: factor, plus: moved))
        }
    }

    static func sum(_ a: ProductTrace, _ b: ProductTrace) -> ProductTrace? {
        if let constant = a.constant() { return b.scaled(by: 1, plus: constant) }
        if let constant = b.constant() { return a.scaled(by: 1, plus: constant) }
        guard case .sum(let left) = a, case .sum(let right) = b else { return nil }
        return .sum(left + right)
    }

    static func product(_ a: ProductTrace, _ b: ProductTrace) -> ProductTrace? {
        if let constant = a.constant() { return b.scaled(by: constant) }
        if let constant = b.constant() { return a.scaled(by: constant) }
        guard case .line(let left) = a, case .line(let right) = b else { return nil }
        return .sum(ProductSum(terms: [.init(left: left, right: right, factor: 1)]))
    }

    static func quotient(_ a: ProductTrace, _ b: ProductTrace) -> ProductTrace? {
        guard let constant = b.constant(), constant != 0 else { return nil }
        return a.scaled(by: 1 / constant)
    }

    /// a x^2 + b x + c of it.
    func after(_ quadratic: Expression.Quadratic) -> ProductTrace? {
        guard quadratic.square != 0 else { return scaled(by: quadratic.factor, plus: quadratic.offset) }
        guard case .line(let line) = self else { return nil }
        let middle = quadratic.factor / (2 * quadratic.square), moved = line.scaled(by: 1, plus: middle)
        return .sum(
            ProductSum(
                terms: [.init(left: moved, right: moved, factor: quadratic.square)],
                constant: quadratic.offset - middle * middle * quadratic.square))
    }
}

extension Expression {
    /// square x^2 + factor x + offset
    struct Quadratic {
        var square = 0.0, factor = 0.0, offset = 0.0

        static func + (_ a: Quadratic, _ b: Quadratic) -> Quadratic {
            Quadratic(square: a.square + b.square, factor: a.factor + b.factor, offset: a.offset + b.offset)
        }

        func scaled(by factor: Double) -> Quadratic {
            Quadratic(square: square * factor, factor: self.factor * factor, offset: offset * factor)
        }
    }

    /// Nil where it is anything else.
    var quadratic: Quadratic? {
        switch self {
        case .input: return Quadratic(factor: 1)
        case .constant(let value): return Quadratic(offset: value)
        case .curve(.linear(let scale, let offset), let of): return of.quadratic.map { $0.scaled(by: scale) + Quadratic(offset: offset) }
        case .function(.negative, let of): return of.quadratic?.scaled(by: -1)
        case .sum(let a, let b): return pair(a, b).map { $0 + $1 }
        case .difference(let a, let b): return pair(a, b).map { $0 + $1.scaled(by: -1) }
        case .product(let a, let b): return pair(a, b).flatMap(Self.product)
        case .quotient(let a, .constant(let divisor)) where divisor != 0: return a.quadratic?.scaled(by: 1 / divisor)
        case .power(let of, exponent: 2): return of.quadratic.flatMap { Self.product($0, $0) }
        default: return nil
        }
    }

    private func pair(_ a: Expression, _ b: Expression) -> (Quadratic, Quadratic)? {
        guard let left = a.quadratic, let right = b.quadratic else { return nil }
        return (left, right)
    }

    private static func product(_ a: Quadratic, _ b: Quadratic) -> Quadratic? {
        if a.square == 0, a.factor == 0 { return b.scaled(by: a.offset) }
        if b.square == 0, b.factor == 0 { return a.scaled(by: b.offset) }
        guard a.square == 0, b.square == 0 else { return nil }
        return Quadratic(square: a.factor * b.factor, factor: a.factor * b.offset + a.offset * b.factor, offset: a.offset * b.offset)
    }
}
