/// Weighted sums of a kernel's values at a row and each of many vectors, as a support vector machine has them. See `gw_support_vectors`
/// for the arithmetic.
package struct SupportVectors: Sendable, Equatable {
    /// 0: exp(-argument |x - v|^2); -1: tanh(argument (x . v + added)); d: (argument (x . v + added))^d.
    package var degree: Int
    /// Fraction bits of the vectors, in the source's scale: 0 ... 15.
    package var fraction: Int
    /// [vectors][elements of the source]
    package var vectors: [Int32]
    /// [vectors]: of degree 0 their squares.
    package var added: [Int64]
    package var argument: Multiplier
    /// [elements of the output][vectors]
    package var coefficients: [Int32]
    /// [elements of the output], Q27 as the sums.
    package var bias: [Int64]
    /// [elements of the output]
    package var multipliers: [Multiplier]

    package init(
        degree: Int, fraction: Int, vectors: [Int32], added: [Int64], argument: Multiplier, coefficients: [Int32], bias: [Int64],
        multipliers: [Multiplier]
    ) {
        (self.degree, self.fraction, self.vectors, self.added, self.argument) = (degree, fraction, vectors, added, argument)
        (self.coefficients, self.bias, self.multipliers) = (coefficients, bias, multipliers)
    }

    package var count: Int { added.count }
    package var inputs: Int { vectors.count / max(count, 1) }
    package var outputs: Int { bias.count }

    /// Bytes in the file.
    var bytes: Int { 4 * (vectors.count + coefficients.count) + 8 * count + 13 * outputs }
}
