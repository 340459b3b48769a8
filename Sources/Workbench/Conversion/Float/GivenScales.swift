internal import NeuralNetwork
internal import Support

/// Networks whose file quantises all of their tensors and weights: what comes out of each layer is rounded once, to the file's own steps.
extension FloatGraph {
    /// Whether nothing is left to calibrate: every layer that needs a scale has one of the file's, and every weight is one of 255 steps.
    var isQuantised: Bool { placeToCalibrate == nil }

    /// The first place that is left to calibrate; 0: the input.
    var placeToCalibrate: Int? {
        if quantisations[0] == nil { return 0 }
        return layers.indices.first { !isQuantised(layers[$0], at: $0 + 1) }.map { $0 + 1 }
    }

    /// Why ``placeToCalibrate`` is left.
    func obstacle(at place: Int) -> String {
        guard place > 0 else { return "is not quantised before anything else reads it" }
        switch layers[place - 1].operation {
        case .dense, .convolution, .depthwise:
            return hasScale(place) ? "has weights that are of no 255 steps around zero" : Self.withoutScale
        case .divide, .supportVectors: return "divides in float"
        default: return Self.withoutScale
        }
    }

    private static let withoutScale = "gives numbers for which the file has no scale"

    private func isQuantised(_ layer: FloatLayer, at place: Int) -> Bool {
        switch layer.operation {
        case .dense(let weights), .convolution(let weights, _), .depthwise(let weights, _):
            hasScale(place) && (0..<weights.outputs).allSatisfy { weights.step(ofRow: $0) != nil }
        case .mean, .add, .subtract, .multiply, .matrixProduct, .rootMeanSquare: hasScale(place)
        case .normalisation: hasScale(place) || channelScale(behind: place) != nil
        case .concatenation, .maximum, .minimum: quantisations[place] != nil
        case .curve(let curve):
            quantisations[place] != nil || curve.fixedQuantisation(.int8) != nil || curve.limits != nil && scale(of: place) != nil
        case .constant(let values): quantisations[place] != nil || Quantisation.exact(values) != nil
        case .softmax: quantisations[place].map { $0.scale >= Quantisation.finestProbability } ?? false
        case .averagePool, .maxPool, .slice, .reshape, .gather, .lstm, .gru, .forest: takesScale(place)
        case .divide, .supportVectors: false // other runtimes work in float
        }
    }

    /// What a tensor is quantised to: as the file has it, or as what it is read from; nil where that is open.
    func scale(of place: Int) -> Quantisation? {
        if let own = quantisations[place] { return own }
        guard place > 0 else { return nil }
        if case .softmax = layers[place - 1].operation { return .probability(.int8) }
        // Limits alone leave the others' steps as they are.
        if case .curve(let curve) = layers[place - 1].operation, curve.limits != nil { return scale(of: layers[place - 1].sources[0]) }
        return takesScale(place) ? scale(of: layers[place - 1].sources[0]) : nil
    }

    /// Whether a layer's numbers have the scale of what it reads.
    func takesScale(_ place: Int) -> Bool {
        guard place > 0 else { return false }
        switch layers[place - 1].operation {
        case .averagePool, .maxPool, .slice, .reshape, .gather: return true
        default: return false
        }
    }

    /// The place whose numbers a place has, moved and nothing else.
    func origin(ofNumbers place: Int) -> Int {
        guard place > 0 else { return place }
        switch layers[place - 1].operation {
        case .slice, .reshape, .gather: return origin(ofNumbers: layers[place - 1].sources[0])
        default: return place
        }
    }

    /// Whether a layer averages windows that all lie within what it reads.
    func averagesWhole(_ place: Int) -> Bool {
        guard place > 0, case .averagePool(let window) = layers[place - 1].operation else { return false }
        let source = shape(layers[place - 1].sources[0]), result = layers[place - 1].shape
        func isWithin(_ size: Int, _ stride: Int, _ dilation: Int, _ count: Int, _ length: Int) -> Bool {
            (count - 1) * stride + (size - 1) * dilation < length
        }
        return window.top == 0 && window.left == 0
            && isWithin(window.height, window.strideHeight, window.dilationHeight, result.height, source.height)
            && isWithin(window.width, window.strideWidth, window.dilationWidth, result.width, source.width)
    }

    // Its own, or that of the limits which alone read it.
    private func hasScale(_ place: Int) -> Bool {
        if quantisations[place] != nil { return true }
        return limiter(of: place).map { quantisations[$0.place] != nil } ?? false
    }

    /// The network in 8-bit integers, with the file's own scales.
    ///
    /// - Throws: `.badData` when a layer cannot be run; `.usage` when the options do not fit.
    func quantised(_ naming: ImportOptions, path: String) throws(Fault) -> Network {
        let places = (0...layers.count).map { index in
            let zeros = [Double](repeating: 0, count: shape(index).count)
            return Calibration(range: 0...0, means: zeros, peaks: zeros)
        }
        let result = try Quantiser.quantise(self, places, QuantiserOptions(bits: 8, activations: .int8, balance: .none))
        let isWide = result.layers.contains { $0.weights.contains { $0.type == .int16 } }
        return try Network(input: result.input, layers: result.layers, output: output, bits: isWide ? 16 : 8, options: naming, path: path)
    }
}

extension FloatWeights {
    /// The finest step of which a row's weights are multiples, at most 127 of them; nil where they are of none.
    ///
    /// The finest one, so that the bias, a multiple of the file's own step, is one of this as well.
    func step(ofRow row: Int) -> Double? {
        let values = values[row * inputs..<(row + 1) * inputs]
        return Double(values.reduce(0) { max($0, $1.magnitude) }).step(of: values, most: 127)
    }
}

extension Quantisation {
    /// Of a soft-max that the core can run.
    static let finestProbability = 0x1p-23

    /// One that holds constants as they are; nil where they are of no 255 steps.
    static func exact(_ values: [Float]) -> Quantisation? {
        let low = Double(min(values.min() ?? 0, 0)), high = Double(max(values.max() ?? 0, 0))
        guard let step = (high - low).step(of: values[...], most: 255) else { return nil }
        return Quantisation(scale: step, zeroPoint: Int((-128 - low / step).rounded()))
    }
}

extension Double {
    // The finest step of which this and all of some numbers are multiples, at most so many of them; 1 for nothing but zeros.
    fileprivate func step(of values: ArraySlice<Float>, most: Int) -> Double? {
        guard self > 0, isFinite else { return self == 0 ? 1 : nil }
        for count in stride(from: most, through: 1, by: -1) {
            let step = self / Double(count)
            // Floats of products are off by 2^-24 of themselves.
            let areMultiples = values.allSatisfy { value in
                let steps = Double(value) / step
                return (steps - steps.rounded()).magnitude < 1e-4
            }
            if areMultiples { return step }
        }
        return nil
    }
}

extension Quantisation {
    /// A function of int8 numbers between DequantizeLinear and QuantizeLinear, or these alone: in single precision, halves to even.
    func table(to output: Quantisation, of function: (Double) -> Double = { $0 }) -> [Int16] {
        (-128...127).map { integer in
            let real = Float(function(Double(Float(integer - zeroPoint) * Float(scale))))
            let steps = (real / Float(output.scale)).rounded(.toNearestOrEven) + Float(output.zeroPoint)
            return Int16(steps.isNaN ? Float(output.zeroPoint) : max(-128, min(127, steps)))
        }
    }
}
