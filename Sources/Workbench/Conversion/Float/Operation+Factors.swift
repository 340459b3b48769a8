internal import NeuralNetwork

extension Operation {
    /// ADD as TFLite has it: both at twice the larger scale, with bits to spare.
    static func addition(_ left: Tensor, _ right: Tensor, to output: Quantisation) -> Operation {
        let factors = sumFactors(left, right, to: output)
        return .add(factors.left, factors.right, factors.sum)
    }

    /// SUB, in the same way.
    static func subtraction(_ left: Tensor, _ right: Tensor, to output: Quantisation) -> Operation {
        let factors = sumFactors(left, right, to: output)
        return .subtract(factors.left, factors.right, factors.sum)
    }

    private static func sumFactors(
        _ left: Tensor, _ right: Tensor, to output: Quantisation
    ) -> (left: Multiplier, right: Multiplier, sum: Multiplier) {
        let spare = left.type == .int8 ? 0x1p20 : 0x1p15, twice = 2 * max(left.quantisation.scale, right.quantisation.scale)
        return (
            Multiplier(left.quantisation.scale / twice), Multiplier(right.quantisation.scale / twice),
            Multiplier(twice / (spare * output.scale))
        )
    }

    /// Minus the mean, over the root of the variance and `epsilon`: the C core has the latter in 2^16 of the source's steps squared.
    static func normalisation(_ epsilon: Double, _ source: Tensor, to output: Quantisation) -> Operation {
        .normalisation(Multiplier(1 / output.scale), epsilon: squared(epsilon, source))
    }

    /// Times `gain`, over the root of the mean of the squares and `epsilon`.
    static func rootMeanSquare(_ gain: Double, _ epsilon: Double, _ source: Tensor, to output: Quantisation) -> Operation {
        .rootMeanSquare(Multiplier(gain / output.scale), epsilon: squared(epsilon, source))
    }

    /// What is added to the variance of numbers, or to the mean of their squares.
    static func squared(_ epsilon: Double, _ source: Tensor) -> Multiplier {
        let scale = source.quantisation.scale
        return Multiplier(epsilon / (scale * scale) / 0x1p16)
    }

    /// The epsilon of ``normalisation(_:epsilon:)`` and ``rootMeanSquare(_:epsilon:)`` of numbers with this scale, as it was in float.
    static func epsilon(_ squared: Multiplier, scale: Double) -> Float { Float(squared.value * 0x1p16 * scale * scale) }

    /// sigmoid or tanh of int16 numbers with this scale.
    static func interpolated(isSigmoid: Bool, _ scale: Double) -> Operation {
        let (factor, shift) = interpolationFactor(scale)
        return isSigmoid ? .sigmoid(factor: factor, shift: shift) : .tanh(factor: factor, shift: shift)
    }

    // From an int16 scale to the 1/12288 of the interpolated curves, as TFLite finds it.
    private static func interpolationFactor(_ scale: Double) -> (factor: Int, shift: Int) {
        let exact = scale * 12288
        if exact == exact.rounded(), exact <= 32767, exact >= 3, scale.significand == 1 { return (Int(exact), 0) }
        var multiplier = exact, shift = 0
        while multiplier <= 32767.0 / 2, shift <= 30 {
            shift += 1
            multiplier *= 2
        }
        return (Int(min(multiplier, 32767)), shift)
    }
}
