internal import NeuralNetwork
internal import Support

/// An activation function, before it becomes a table or limits.
package enum Activation: Sendable, Equatable {
    case relu, relu6, sigmoid, tanh, softsign, softplus
    /// 1 above zero, else 0.
    case step
    case linear(scale: Double, offset: Double)
    /// min(max(scale x + offset, 0), 1)
    case hardSigmoid(scale: Double, offset: Double)
    case leakyReLU(slope: Double)
    /// x above the threshold, 0 below.
    case thresholdedReLU(threshold: Double)
    case elu(scale: Double)
    /// scale tanh(slope x)
    case scaledTanh(scale: Double, slope: Double)
    /// Anything that is made of one number.
    case expression(Expression)

    package func value(_ x: Double) -> Double {
        switch self {
        case .relu: max(x, 0)
        case .relu6: min(max(x, 0), 6)
        case .sigmoid: 1 / (1 + Exponential.exp(-x))
        case .tanh: Self.tanh(x)
        case .softsign: x / (1 + x.magnitude)
        case .step: x > 0 ? 1 : 0
        case .softplus: max(x, 0) + Exponential.log(1 + Exponential.exp(-x.magnitude))
        case .linear(let scale, let offset): scale * x + offset
        case .hardSigmoid(let scale, let offset): min(max(scale * x + offset, 0), 1)
        case .leakyReLU(let slope): x < 0 ? slope * x : x
        case .thresholdedReLU(let threshold): x > threshold ? x : 0
        case .elu(let scale): x < 0 ? scale * (Exponential.exp(x) - 1) : x
        case .scaledTanh(let scale, let slope): scale * Self.tanh(slope * x)
        case .expression(let expression): expression.value(x)
        }
    }

    /// Four at once, each to the bit as by itself.
    package func values(_ x: SIMD4<Double>) -> SIMD4<Double> {
        switch self {
        case .sigmoid: return 1 / (1 + Exponential.exp(-x))
        case .tanh:
            let isBelow = x .< 0, e = Exponential.exp(-2 * x.replacing(with: -x, where: isBelow)), t = (1 - e) / (1 + e)
            return t.replacing(with: t * -1, where: isBelow) // -t is 0 - t here, and 0 has a sign
        default: return SIMD4(value(x[0]), value(x[1]), value(x[2]), value(x[3]))
        }
    }

    private static func tanh(_ x: Double) -> Double {
        let e = Exponential.exp(-2 * x.magnitude), t = (1 - e) / (1 + e)
        return x < 0 ? -t : t
    }

    /// The 256 entries of its table between two int8 quantisations: halves away from zero.
    func table(from input: Quantisation, to output: Quantisation) -> [Int16] {
        let tensor = Tensor(.int8, channels: 1, quantisation: output)
        return (-128...127).map { tensor.quantised(value(Double($0 - input.zeroPoint) * input.scale)) }
    }

    /// The 513 entries of its table between two int16 quantisations, as TFLite spaces them.
    func wideTable(from input: Quantisation, to output: Quantisation) -> [Int16] {
        let tensor = Tensor(.int16, channels: 1, quantisation: output)
        return (-256...256).map { tensor.quantised(value(Double($0 * 128) * input.scale)) }
    }

    /// The numbers that it leaves as they are, where it moves all others to the nearest of these.
    var limits: ClosedRange<Double>? {
        switch self {
        case .relu: 0 ... .infinity
        case .relu6: 0...6
        case .expression(let expression): expression.limits
        default: nil
        }
    }

    /// The quantisation of its results where it is fixed, by TFLite or since they are 0 and 1.
    func fixedQuantisation(_ type: IntegerType) -> Quantisation? {
        switch self {
        case .sigmoid: .probability(type)
        case .tanh: Quantisation(scale: type == .int8 ? 0x1p-7 : 0x1p-15, zeroPoint: 0)
        case .step: Quantisation(scale: type == .int8 ? 0x1p-6 : 0x1p-14, zeroPoint: 0)
        default: nil
        }
    }
}

extension Activation {
    /// min(max(x, -1), 1)
    static let reluBetweenOnes = Activation.expression(.minimum(.maximum(.input, .constant(-1)), .constant(1)))
}

extension Tensor {
    /// What a function that only limits numbers leaves of its integers, as TFLite limits them: of a ReLU those from zero on, of others
    /// those to the nearest steps. Nil for any other function.
    func limits(of activation: Activation) -> ClosedRange<Int>? {
        activation.limits.map { steps(in: $0) }
    }

    /// Its integers between two numbers, each to the nearest.
    func steps(in limits: ClosedRange<Double>) -> ClosedRange<Int> {
        let range = type.range
        func step(nearest value: Double) -> Int {
            let steps = (Float(value) / Float(quantisation.scale)).rounded(.toNearestOrAwayFromZero) + Float(quantisation.zeroPoint)
            // Zero by a scale that is none in single precision is no number.
            return steps.isNaN ? quantisation.zeroPoint : Int(min(max(steps, Float(range.lowerBound)), Float(range.upperBound)))
        }
        return step(nearest: limits.lowerBound)...step(nearest: limits.upperBound)
    }
}
