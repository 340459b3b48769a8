internal import Support

/// A function of one number, put together of others: GELU, swish and their like come so out of files that have no operator for them.
package indirect enum Expression: Sendable, Equatable {
    case input
    case constant(Double)
    case curve(Activation, Expression)
    case function(Function, Expression)
    case sum(Expression, Expression)
    case difference(Expression, Expression)
    case product(Expression, Expression)
    case quotient(Expression, Expression)
    case maximum(Expression, Expression)
    case minimum(Expression, Expression)
    case power(Expression, exponent: Double)
    /// The entry of that number, the first or last where there is none.
    case entry([Float], Expression)

    package enum Function: Sendable {
        case exp, log, squareRoot, erf, magnitude, negative, floor, ceiling, sign, isPositive
        case sine, cosine, tangent, arcsine, arccosine, arctangent
        /// Halves to even.
        case round
    }

    package func value(_ x: Double) -> Double {
        switch self {
        case .input: x
        case .constant(let value): value
        case .curve(let curve, let inner): curve.value(inner.value(x))
        case .function(let function, let inner): function.value(inner.value(x))
        case .sum(let a, let b): a.value(x) + b.value(x)
        case .difference(let a, let b): a.value(x) - b.value(x)
        case .product(let a, let b): a.value(x) * b.value(x)
        case .quotient(let a, let b): a.value(x) / b.value(x)
        case .maximum(let a, let b): max(a.value(x), b.value(x))
        case .minimum(let a, let b): min(a.value(x), b.value(x))
        case .power(let base, let exponent): Self.power(base.value(x), exponent)
        case .entry(let table, let place): Double(table[Int(max(0, min(place.value(x), Double(table.count - 1))))])
        }
    }

    /// With `inner` in the place of the number.
    package func after(_ inner: Expression) -> Expression {
        func put(_ expression: Expression) -> Expression { expression.after(inner) }
        return switch self {
        case .input: inner
        case .constant: self
        case .curve(let curve, let of): .curve(curve, put(of))
        case .function(let function, let of): .function(function, put(of))
        case .sum(let a, let b): .sum(put(a), put(b))
        case .difference(let a, let b): .difference(put(a), put(b))
        case .product(let a, let b): .product(put(a), put(b))
        case .quotient(let a, let b): .quotient(put(a), put(b))
        case .maximum(let a, let b): .maximum(put(a), put(b))
        case .minimum(let a, let b): .minimum(put(a), put(b))
        case .power(let base, let exponent): .power(put(base), exponent: exponent)
        case .entry(let table, let place): .entry(table, put(place))
        }
    }

    /// How many parts it has: what is put into itself again and again would grow without bounds.
    package var parts: Int {
        switch self {
        case .input, .constant: 1
        case .curve(_, let of), .function(_, let of), .power(let of, _), .entry(_, let of): 1 + of.parts
        case .sum(let a, let b), .difference(let a, let b), .product(let a, let b), .quotient(let a, let b), .maximum(let a, let b),
            .minimum(let a, let b):
            1 + a.parts + b.parts
        }
    }

    /// Whether it gives whole numbers.
    package var isWhole: Bool {
        switch self {
        case .function(.floor, _), .function(.ceiling, _), .function(.round, _): true
        default: false
        }
    }

    /// The curve that it is: one with a kernel of its own where it is nothing else.
    package var activation: Activation {
        switch self {
        case .curve(let curve, .input): curve
        case .maximum(.input, .constant(0)), .maximum(.constant(0), .input): .relu
        case .function(.isPositive, .input): .step
        default: .expression(self)
        }
    }

    /// ``Activation/limits``.
    var limits: ClosedRange<Double>? {
        switch self {
        case .input: return -.infinity ... .infinity
        case .curve(let curve, .input): return curve.limits
        case .maximum(let of, .constant(let least)), .maximum(.constant(let least), let of):
            guard !least.isNaN, let inner = of.limits else { return nil }
            return max(inner.lowerBound, least)...max(inner.upperBound, least)
        case .minimum(let of, .constant(let most)), .minimum(.constant(let most), let of):
            guard !most.isNaN, let inner = of.limits else { return nil }
            return min(inner.lowerBound, most)...min(inner.upperBound, most)
        default: return nil
        }
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double {
        if exponent == exponent.rounded(), exponent.magnitude <= 8 {
            let power = (0..<Int(exponent.magnitude)).reduce(1.0) { product, _ in product * base }
            return exponent < 0 ? 1 / power : power
        }
        if exponent == 0.5 { return base.squareRoot() }
        if exponent == -0.5 { return 1 / base.squareRoot() }
        // Of less than nothing there is none.
        return base > 0 ? Exponential.exp(exponent * Exponential.log(base)) : base < 0 ? .nan : exponent < 0 ? .infinity : 0
    }
}

extension Activation {
    /// The same as a function of one number.
    var expression: Expression { if case .expression(let own) = self { own } else { .curve(self, .input) } }

    /// x min(max(x + 3, 0), 6) / 6
    static let hardSwish = Activation.expression(.product(.input, .curve(.hardSigmoid(scale: 1.0 / 6, offset: 0.5), .input)))

    /// x times the normal distribution's share below x, or its approximation by tanh.
    static func gelu(isExact: Bool) -> Activation {
        let half = Expression.product(.constant(0.5), .input)
        guard !isExact else {
            return .expression(.product(half, .sum(.constant(1), .function(.erf, .product(.constant(0.5.squareRoot()), .input)))))
        }
        let inner = Expression.sum(.input, .product(.constant(0.044715), .power(.input, exponent: 3)))
        return .expression(.product(half, .sum(.constant(1), .curve(.tanh, .product(.constant(0.7978845608028654), inner)))))
    }
}

extension Expression.Function {
    fileprivate func value(_ x: Double) -> Double {
        switch self {
        case .exp: Exponential.exp(min(x, 80))
        case .log: x > 0 ? Exponential.log(x) : -.infinity
        case .squareRoot: x.squareRoot()
        case .erf: Self.erf(x)
        case .magnitude: x.magnitude
        case .negative: -x
        case .floor: x.rounded(.down)
        case .ceiling: x.rounded(.up)
        case .round: x.rounded(.toNearestOrEven)
        case .sign: x > 0 ? 1 : x < 0 ? -1 : 0
        case .isPositive: x > 0 ? 1 : 0
        case .sine: Trigonometry.cosine(x - .pi / 2)
        case .cosine: Trigonometry.cosine(x)
        case .tangent: Trigonometry.cosine(x - .pi / 2) / Trigonometry.cosine(x)
        case .arcsine: Trigonometry.arcsine(x)
        case .arccosine: .pi / 2 - Trigonometry.arcsine(x)
        case .arctangent: Trigonometry.arctangent(x)
        }
    }

    // Within 1.5e-7. Source: Abramowitz and Stegun, 7.1.26.
    private static func erf(_ x: Double) -> Double {
        let t = 1 / (1 + 0.3275911 * x.magnitude)
        let sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
        let value = 1 - sum * Exponential.exp(-x * x)
        return x < 0 ? -value : value
    }
}

extension Expression {
    /// What it is the sigmoid of, however that is written; nil where it is none.
    var sigmoidArgument: Expression? {
        if case .curve(.sigmoid, let inner) = self { return inner }
        func logit(_ x: Double) -> Double { Exponential.log(value(x) / (1 - value(x))) }
        let offset = logit(0), scale = logit(1) - offset
        guard offset.isFinite, scale.isFinite, scale != 0 else { return nil }
        let isOne = stride(from: -12.0, through: 12, by: 0.5).allSatisfy { step in
            let x = (step - offset) / scale
            return (value(x) - Activation.sigmoid.value(step)).magnitude < 1e-6
        }
        return isOne ? .sum(.product(.constant(scale), .input), .constant(offset)) : nil
    }
}
