internal import NeuralNetwork
internal import Support

/// What a layer's normalisation and pools of other kinds need, out of the core's layers and with LiteRT's bits.
extension TFLiteIntegers {
    /// (a - b)^2: both on twice the larger scale with seven bits to spare, in 16 bits, which their difference fits into as well.
    mutating func appendSquaredDifference(_ reader: TFLiteOperationReader, _ sources: [Int], _ result: Tensor) throws(Fault) {
        guard result.type == .int8 else { throw reader.refused("it is of int16; convert the model to int8, or in float") }
        let scales = sources.map { tensor($0).quantisation.scale }, twice = 2 * max(scales[0], scales[1])
        var wide = result
        (wide.type, wide.quantisation) = (.int16, Quantisation(scale: twice / 128, zeroPoint: 0))
        let places = zip(sources, scales).map { source, scale in
            layers.append(Layer(.rescale(Multiplier(128)), sources: [source], output: wide))
            layers.append(Layer(.rescale(Multiplier(scale / twice)), sources: [layers.count], output: wide))
            return layers.count
        }
        layers.append(Layer(.subtraction(wide, wide, to: wide.quantisation), sources: places, output: wide))
        let factor = Multiplier(twice * twice / (0x1p14 * result.quantisation.scale))
        layers.append(Layer(.multiply(factor), sources: [layers.count, layers.count], output: result))
    }

    /// Rounded once, as LiteRT's optimised kernel does it in float; its reference kernel adds other numbers (2.1).
    mutating func appendSum(_ source: Int, positions: Int, _ result: Tensor) {
        let input = tensor(source), factor = Multiplier(input.quantisation.scale / result.quantisation.scale)
        let weights = Weights.sum(positions: positions, channels: result.channels, times: factor)
        let window = KernelShape(height: 1, width: positions)
        layers.append(Layer(.depthwise(weights, window), sources: [source], output: result))
    }

    /// Arithmetic in floats between integers, of one number and of constants alone: an expression of that number.
    func combined(
        _ kind: TFLiteArithmetic, _ curve: Activation?, _ reader: TFLiteOperationReader, of place: Int
    ) throws(Fault) -> Expression {
        func operand(_ index: Int) throws(Fault) -> Expression {
            if let (other, expression) = floats[index], other == place, file.tensors[index].count == tensor(place).count {
                return expression
            }
            guard file.tensors[index].count == 1, !file.tensors[index].data.isEmpty, let value = try file.floats(file.tensors[index]).first
            else { throw reader.refused("it computes in float; convert the whole model with integer quantisation") }
            return .constant(Double(value))
        }
        let a = try operand(reader.sources[0]), b = try operand(reader.sources[1]), result: Expression
        switch kind {
        case .add: result = .sum(a, b)
        case .subtract: result = .difference(a, b)
        case .multiply: result = .product(a, b)
        case .divide: result = .quotient(a, b)
        case .maximum: result = .maximum(a, b)
        case .minimum: result = .minimum(a, b)
        case .squaredDifference: result = .power(.difference(a, b), exponent: 2)
        }
        // A file could put a result into itself again and again.
        guard result.parts <= 200 else { throw reader.refused("what it computes in float has too many parts") }
        return curve.map { .curve($0, result) } ?? result
    }

    /// The least of each channel over positions, halves against halves; an odd one is in both.
    mutating func appendMinimum(_ source: Int, positions: Int, _ result: Tensor) {
        var rest = positions, from = source
        repeat {
            let half = (rest + 1) / 2
            let parts = [0, rest - half].map { first in
                let elements = (first * result.channels..<(first + half) * result.channels).map { Int32($0) }
                return gathered(elements, from, 1, half, result.channels)
            }
            var output = result
            (output.height, output.width) = (1, half)
            layers.append(Layer(.minimum, sources: parts, output: output))
            (rest, from) = (half, layers.count)
        } while rest > 1
    }
}
