internal import NeuralNetwork
internal import Support

/// Functions of one number.
extension Quantiser {
    mutating func append(_ curve: Activation, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape) throws(Fault) {
        let given = graph.quantisations[place] ?? curve.fixedQuantisation(options.activations)
        if given == nil, result(shape, source.quantisation).type == source.type {
            if sources[0] > 0, let limits = result(shape, source.quantisation).limits(of: curve), let held = held(by: sources[0]),
                limits.contains(held.lowerBound), limits.contains(held.upperBound)
            {
                tensors[place] = sources[0] // nothing is beyond the limits
                return
            }
            if let scaling = curve.scaling, let scaled = source.quantisation.scaled(by: scaling.factor) {
                let limits = result(shape, source.quantisation).steps(in: scaling.limits)
                finish(place, sources, (scaled, limits, nil), shape: shape, .rescale(Multiplier(1)))
                return
            }
        }
        let output = given ?? (keepsScales && curve.limits != nil ? source.quantisation : seen(place)), range = options.activations.range
        if options.activations == .int8 {
            let table =
                keepsScales
                ? source.quantisation.table(to: output) { curve.value($0) } : curve.table(from: source.quantisation, to: output)
            finish(place, sources, (output, range, nil), shape: shape, .lookup(table))
            return
        }
        if let limits = result(shape, output).limits(of: curve) {
            finish(place, sources, (output, limits, nil), shape: shape, .rescale(Multiplier(source.quantisation.scale / output.scale)))
            return
        }
        switch curve {
        case .sigmoid, .tanh:
            finish(
                place, sources, (output, range, nil), shape: shape, .interpolated(isSigmoid: curve == .sigmoid, source.quantisation.scale))
        case .step:
            // The smallest number above zero reaches the limit.
            let one = Int(max(1, min(1 / output.scale, Double(range.upperBound))))
            finish(place, sources, (output, 0...one, nil), shape: shape, .rescale(Multiplier(Double(one))))
        case .thresholdedReLU:
            throw Fault(
                .badData, "the curve \(curve), which jumps, can be run between int8 layers only",
                remedy: "Use --bits 8 or fewer and --activations int8.")
        case _ where isSteep(curve, source, output, places[graph.layers[place - 1].sources[0]].range):
            appendInTwo(curve, place, sources[0], source, shape, output)
        default:
            finish(place, sources, (output, range, nil), shape: shape, .lookup(curve.wideTable(from: source.quantisation, to: output)))
        }
    }

    // What a tensor's integers can be: behind a soft-max, or limits, not all of their type.
    private func held(by tensor: Int) -> ClosedRange<Int>? {
        guard tensor > 0 else { return nil }
        let layer = layers[tensor - 1]
        if case .softmax = layer.operation, layer.output.type == .int16 { return 0...layer.limits.upperBound }
        let isMoved: Bool
        if case .gather(let places) = layer.operation {
            isMoved = !places.contains(-1)
        } else {
            isMoved = layer.operation == .rescale(Multiplier(1))
        }
        guard isMoved, layer.limits == layer.output.type.range else { return layer.limits }
        return held(by: layer.sources[0]) ?? layer.limits
    }

    // Of 32,767 steps, those near zero that get a table of their own: 4 from one entry to the next instead of 128.
    private static let near = 1024, finer = 32
    // Steps of the result by which straight lines between entries may miss it.
    private static let tolerated = 32.0

    // Whether a table has too few entries near zero, as of roots and logarithms, and numbers come near.
    private func isSteep(_ curve: Activation, _ source: Tensor, _ output: Quantisation, _ seen: ClosedRange<Double>) -> Bool {
        let step = source.quantisation.scale, end = Double(Self.near) * step, largest = 32767 * output.scale
        let sides = [seen.upperBound > 0 ? 1.0 : nil, seen.lowerBound < 0 ? -1.0 : nil].compactMap { $0 }
        guard seen.lowerBound < end, seen.upperBound > -end, sides.allSatisfy({ curve.value($0 * end).magnitude <= largest }) else {
            return false
        }
        func value(_ steps: Int, _ side: Double) -> Double {
            let value = curve.value(side * Double(steps) * step)
            return value.isFinite ? min(max(value, -largest), largest) : largest
        }
        return sides.contains { side in
            stride(from: 0, to: Self.near, by: 128).contains { first in
                let left = value(first, side), right = value(first + 128, side)
                return stride(from: 4, to: 128, by: 4).contains { part in
                    let straight = left + (right - left) * Double(part) / 128
                    return (straight - value(first + part, side)).magnitude > Self.tolerated * output.scale
                }
            }
        }
    }

    // f(x) is what f gives of x where that is near zero, else of the end of that, plus what f changes from there to x.
    private mutating func appendInTwo(
        _ curve: Activation, _ place: Int, _ from: Int, _ source: Tensor, _ shape: FloatShape, _ output: Quantisation
    ) {
        let step = source.quantisation.scale, end = Expression.constant(Double(Self.near) * step)
        func append(_ operation: Operation, _ from: Int, _ quantisation: Quantisation) -> Int {
            layers.append(Layer(operation, sources: [from], output: result(shape, quantisation)))
            return layers.count
        }
        let enlarged = Quantisation(scale: step / Double(Self.finer), zeroPoint: 0)
        let near = append(.rescale(Multiplier(Double(Self.finer))), from, enlarged)
        let first = append(.lookup(curve.wideTable(from: enlarged, to: output)), near, output)
        let nearest = Expression.maximum(.minimum(.input, end), .difference(.constant(0), end))
        let change = Activation.expression(.difference(.curve(curve, .input), .curve(curve, nearest)))
        // Twice as far as the result: a difference of two such.
        let wide = Quantisation(scale: 2 * output.scale, zeroPoint: 0)
        let second = append(.lookup(change.wideTable(from: source.quantisation, to: wide)), from, wide)
        finish(
            place, [first, second], (output, options.activations.range, nil), shape: shape,
            .addition(tensor(first), tensor(second), to: output))
    }
}

extension Quantisation {
    // Larger and smaller factors choose between numbers, as masks do: what they give has a range of its own.
    private static let factors = 1.0 / 4096...4096

    // What the same integers stand for when they are multiplied.
    fileprivate func scaled(by factor: Double) -> Quantisation? {
        guard Self.factors.contains(factor), Self.scales.contains(scale * factor) else { return nil }
        var scaled = self
        scaled.scale *= factor
        return scaled
    }
}

extension Activation {
    // The number above zero that this multiplies by, and the limits of what it multiplies; nil of any other function.
    fileprivate var scaling: (factor: Double, limits: ClosedRange<Double>)? {
        switch self {
        case .linear(let factor, 0): (factor, -.infinity ... .infinity)
        case .expression(let expression): expression.scaling
        default: nil
        }
    }
}

extension Expression {
    fileprivate var scaling: (factor: Double, limits: ClosedRange<Double>)? {
        if let line { return line.offset == 0 ? (line.factor, -.infinity ... .infinity) : nil }
        switch self {
        case .product(let inner, .constant(let factor)), .product(.constant(let factor), let inner):
            return inner.limits.map { (factor, $0) }
        case .quotient(let inner, .constant(let divisor)) where divisor != 0: return inner.limits.map { (1 / divisor, $0) }
        default: return nil
        }
    }
}
