internal import NeuralNetwork
internal import Support

/// Weighted sums of a kernel's values at a row and each of many vectors, before quantisation.
package struct FloatSupportVectors: Sendable, Equatable {
    package enum Kernel: Sendable, Equatable {
        /// exp(-gamma |x - v|^2)
        case radial
        /// (gamma x . v + offset)^degree
        case polynomial(degree: Int, offset: Double)
        /// tanh(gamma x . v + offset)
        case sigmoid(offset: Double)

        func value(_ row: ArraySlice<Float>, _ vector: ArraySlice<Float>, gamma: Double) -> Double {
            switch self {
            case .radial: Exponential.exp(-gamma * zip(row, vector).reduce(0) { $0 + Double($1.0 - $1.1) * Double($1.0 - $1.1) })
            case .polynomial(let degree, let offset): FloatSupportVectors.power(gamma * Self.product(row, vector) + offset, degree)
            case .sigmoid(let offset): Activation.tanh.value(gamma * Self.product(row, vector) + offset)
            }
        }

        static func product(_ row: ArraySlice<Float>, _ vector: ArraySlice<Float>) -> Double {
            zip(row, vector).reduce(0) { $0 + Double($1.0) * Double($1.1) }
        }
    }

    package var kernel: Kernel
    package var gamma: Double
    /// [vectors][inputs]
    package var vectors: [Float]
    /// Of the kernel's values: [outputs][vectors].
    package var weights: FloatWeights

    var count: Int { weights.inputs }
    var inputs: Int { vectors.count / max(count, 1) }

    private func vector(_ index: Int) -> ArraySlice<Float> { vectors[index * inputs..<(index + 1) * inputs] }

    func fits(_ source: FloatShape, _ shape: FloatShape) -> Bool {
        let parts = [count, source.count, shape.count]
        return parts.allSatisfy((1...4096).contains) && vectors.count == count * source.count && weights.outputs == shape.count
            && weights.values.count == count * shape.count && weights.bias.count == shape.count
    }

    func run(_ row: [Float]) -> [Float] {
        let values = (0..<count).map { kernel.value(row[...], vector($0), gamma: gamma) }
        return (0..<weights.outputs).map { output in
            Float((0..<count).reduce(Double(weights.bias[output])) { $0 + Double(weights.values[output * count + $1]) * values[$1] })
        }
    }

    fileprivate static func power(_ value: Double, _ degree: Int) -> Double {
        Expression.power(.input, exponent: Double(degree)).value(value)
    }
}

/// In integers; see ``SupportVectors``.
extension FloatSupportVectors {
    /// - Throws: `.badData` where its numbers are too far apart.
    func quantised(_ source: Tensor, to output: Quantisation) throws(Fault) -> SupportVectors {
        let scale = source.quantisation.scale, steps = vectors.map { Double($0) / scale }
        let added = (0..<count).map { index in
            switch kernel {
            case .radial: steps[index * inputs..<(index + 1) * inputs].reduce(0) { $0 + $1 * $1 }
            case .polynomial(_, let offset), .sigmoid(let offset): offset / gamma / (scale * scale)
            }
        }
        let reach = reach(source)
        let factor: Double, unit: Double
        switch kernel {
        case .radial, .sigmoid: (factor, unit) = (gamma * scale * scale * 0x1p26, 1)
        case .polynomial(let degree, _): (factor, unit) = (gamma * scale * scale * 0x1p30 / reach, Self.power(reach, degree))
        }
        // Multipliers are 2^-32 at least: where products count for little, the vectors need few bits.
        let least = factor.isNormal ? Int(factor.exponent) + 32 : -1
        let fraction = min(Self.spare(steps, bits: 31), Self.spare(added, bits: 60), least, 15)
        let one = Double(sign: .plus, exponent: fraction, significand: 1), argument = Multiplier(factor / one)
        guard vectors.allSatisfy(\.isFinite), weights.isFinite, fraction >= 0, argument.multiplier > 0, unit.isNormal else {
            throw Fault(
                .badData, "the support vectors' numbers are too far apart for 32 bits",
                remedy: "Scale the features before training, as StandardScaler does.")
        }
        var result = SupportVectors(
            degree: 0, fraction: fraction, vectors: steps.map { Int32(($0 * one).rounded()) },
            added: added.map { Int64(($0 * one).rounded()) }, argument: argument, coefficients: [], bias: [], multipliers: [])
        switch kernel {
        case .radial: break
        case .polynomial(let degree, _): result.degree = degree
        case .sigmoid: result.degree = -1
        }
        for index in 0..<weights.outputs {
            let row = weights.values[index * count..<(index + 1) * count].map { Double($0) * unit }, bias = Double(weights.bias[index])
            let step = Self.step(row, bias)
            result.coefficients += row.map { Int32(($0 / step).rounded()) }
            result.bias.append(Int64((bias / step * 0x1p27).rounded()))
            result.multipliers.append(Multiplier(step * 0x1p-27 * 0x1p16 / output.scale))
        }
        return result
    }

    // By how many bits all may grow within so many.
    private static func spare(_ values: [Double], bits: Int) -> Int {
        let largest = values.reduce(1) { max($0, $1.magnitude) }
        return largest.isFinite ? bits - 1 - Int(largest.exponent) : -1
    }

    // What no product and offset is beyond.
    private func reach(_ source: Tensor) -> Double {
        guard case .polynomial(_, let offset) = kernel else { return 1 }
        let range = source.type.range, most = Double(range.upperBound - range.lowerBound + 1) * source.quantisation.scale
        let largest = (0..<count).reduce(0) { max($0, vector($1).reduce(0) { $0 + Double($1.magnitude) }) }
        return gamma.magnitude * largest * most + offset.magnitude
    }

    // Of coefficients whose magnitudes add up to 2^33 at most and whose bias is within 2^60.
    private static func step(_ row: [Double], _ bias: Double) -> Double {
        let largest = row.reduce(0) { max($0, $1.magnitude) }, sum = row.reduce(0) { $0 + $1.magnitude }
        let step = max(largest / 0x1.fp30, sum / 0x1.fp32, bias.magnitude * 0x1p27 / 0x1.fp59)
        return step > 0 ? step : 1
    }
}
