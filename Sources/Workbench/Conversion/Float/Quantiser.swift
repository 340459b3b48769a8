package import NeuralNetwork
package import Support

/// What the units between two dense layers are scaled for.
package enum UnitBalance: Sendable, CaseIterable {
    /// A unit's peak and the weights that read it become equally large: both have to be rounded.
    case both
    /// The heaviest weights that read each unit become equally large: int16 has steps enough for any peak.
    case weights
    /// They stay as they are.
    case none
}

/// How a network of floats becomes integers.
package struct QuantiserOptions: Sendable {
    /// k of the weights, 2 ... 16.
    package var bits: Int
    /// Of the numbers between the layers; weights of more than 8 bits need int16.
    package var activations: IntegerType
    package var balance: UnitBalance

    package init(bits: Int = 8, activations: IntegerType? = nil, balance: UnitBalance = .both) {
        self.bits = bits
        self.balance = balance
        self.activations = bits > 8 ? .int16 : activations ?? .int8
    }
}

/// Float layers to integer arithmetic, after training: symmetric k-bit weights with one scale per output, activations whose ranges
/// were seen on calibration data. What rounding a weight changes is taken up by the weights after it and the bias
/// (``ErrorFeedback``), or, where nothing is known of how inputs go together, by the bias for the mean input. Units between two dense
/// layers are first brought to like ranges, since they share a scale.
///
/// Source: TFLite's quantisation specification; k as in the paper; biases and ranges as in Nagel et al., "Data-free
/// quantization through weight equalization and bias correction", ICCV 2019.
package struct Quantiser {
    /// The quantised network: its input and layers, and which of its tensors holds each of the graph's (nil: fused away).
    package struct Result {
        package var input: Tensor
        package var layers: [Layer]
        package var tensors: [Int?]
        /// What was quantised: the graph with its units brought to like ranges.
        package var graph: FloatGraph
    }

    /// A tensor as weights read it: in rows of so many numbers, or of what lies under a window.
    package struct Reading: Hashable, Sendable {
        package var tensor: Int
        package var width: Int
        package var window: KernelShape?

        /// The widest rows whose moments are worth their cost.
        static let widest = 1024
    }

    private let graph: FloatGraph
    private let places: [Calibration]
    private let moments: [Reading: SecondMoments]
    private let options: QuantiserOptions
    private var layers: [Layer] = []
    private var tensors: [Int?]
    private let input: Tensor

    /// - Parameters:
    ///   - places: what calibration saw of the input and of each layer's output.
    ///   - cells: of LSTM cells, by layer.
    /// - Throws: `.badData` when a curve cannot be run at this width.
    package static func quantise(
        _ graph: FloatGraph, _ places: [Calibration], cells: [Int: Calibration] = [:], moments: [Reading: SecondMoments] = [:],
        _ options: QuantiserOptions
    ) throws(Fault) -> Result {
        precondition((2...16).contains(options.bits) && places.count == graph.layers.count + 1)
        let (graph, places, moments) = Equalisation.equalised(graph, places, moments, options.balance)
        var quantiser = Quantiser(graph, places, moments, options)
        for index in graph.layers.indices where quantiser.tensors[index + 1] == nil { try quantiser.append(index, cells[index]) }
        return Result(input: quantiser.input, layers: quantiser.layers, tensors: quantiser.tensors, graph: graph)
    }

    private init(_ graph: FloatGraph, _ places: [Calibration], _ moments: [Reading: SecondMoments], _ options: QuantiserOptions) {
        (self.graph, self.places, self.moments, self.options) = (graph, places, moments, options)
        let shape = graph.input
        input = Tensor(
            options.activations, height: shape.height, width: shape.width, channels: shape.channels,
            quantisation: Self.input(graph, places[0], options))
        tensors = [Int?](repeating: nil, count: graph.layers.count + 1)
        tensors[0] = 0
    }

    // Trees compare: steps that are a power of two keep what comes in Q3.12 as it is.
    private static func input(_ graph: FloatGraph, _ seen: Calibration, _ options: QuantiserOptions) -> Quantisation {
        var range = seen.range
        let forests = graph.layers.compactMap { layer in
            if case .forest(let forest) = layer.operation, layer.sources == [0] { forest } else { nil }
        }
        guard options.activations == .int16, forests.count == 1, let limits = forests[0].limits else {
            return Quantisation(covering: range, type: options.activations)
        }
        range = min(range.lowerBound, limits.lowerBound)...max(range.upperBound, limits.upperBound)
        let exact = Quantisation(covering: range, type: .int16).scale, power = exact.exponent + (exact.significand > 1 ? 1 : 0)
        return Quantisation(scale: Double(sign: .plus, exponent: max(power, -12), significand: 1), zeroPoint: 0)
    }

    private func tensor(_ index: Int) -> Tensor { index == 0 ? input : layers[index - 1].output }

    private func result(_ shape: FloatShape, _ quantisation: Quantisation) -> Tensor {
        Tensor(options.activations, height: shape.height, width: shape.width, channels: shape.channels, quantisation: quantisation)
    }

    private func seen(_ index: Int) -> Quantisation { Quantisation(covering: places[index].range, type: options.activations) }

    // Appends the quantised layer of float layer `index`; a ReLU that alone reads it becomes its limits.
    private mutating func append(_ index: Int, _ cells: Calibration?) throws(Fault) {
        let layer = graph.layers[index], sources = layer.sources.map { tensors[$0] ?? 0 }, source = tensor(sources[0])
        let place = index + 1, same: Fused = (source.quantisation, source.type.range, nil)
        switch layer.operation {
        case .dense(let weights):
            let end = fused(place)
            finish(
                place, sources, end, shape: layer.shape,
                .dense(quantised(weights, source, means(layer, weights), feedback(layer.sources[0], weights), end.quantisation, .once)))
        case .convolution(let weights, let sliding):
            let end = fused(place),
                feedback = feedback(layer.sources[0], weights, sliding),
                quantised = quantised(weights, source, means(layer, weights), feedback, end.quantisation, convolutionRounding)
            finish(place, sources, end, shape: layer.shape, .convolution(quantised, sliding))
        case .depthwise(let weights, let sliding):
            // One weight a channel has no more than one step.
            guard options.bits <= 8 || weights.inputs == 1 else {
                throw Fault(.badData, "a depthwise convolution can have weights of at most 8 bits", remedy: "Use --bits 8 or fewer.")
            }
            let end = fused(place)
            finish(
                place, sources, end, shape: layer.shape,
                .depthwise(
                    quantised(
                        weights, source, channelMeans(layer, weights), nil, end.quantisation, convolutionRounding,
                        bits: min(options.bits, 8)),
                    sliding))
        case .lstm(let lstm): append(lstm, place, sources, source, layer.shape, cells)
        case .gru(let gru): append(gru, place, sources, source, layer.shape)
        case .averagePool(let sliding): finish(place, sources, same, shape: layer.shape, .averagePool(sliding))
        case .maxPool(let sliding): finish(place, sources, same, shape: layer.shape, .maxPool(sliding))
        case .slice(let first): finish(place, sources, same, shape: layer.shape, .slice(first: first))
        case .reshape: finish(place, sources, same, shape: layer.shape, .rescale(Multiplier(1)))
        case .mean:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .mean(Multiplier(source.quantisation.scale / end.quantisation.scale)))
        case .add:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .addition(source, tensor(sources[1]), to: end.quantisation))
        case .concatenation(let axis):
            let common = seen(place), alike = sources.map { rescaled($0, to: common) }
            finish(place, alike, (common, options.activations.range, nil), shape: layer.shape, .concatenation(axis: axis))
        case .curve(let curve): try append(curve, place, sources, source, layer.shape)
        case .gather(let places): finish(place, sources, same, shape: layer.shape, .gather(places))
        case .constant(let values):
            let output = result(layer.shape, seen(place))
            finish(
                place, sources, (output.quantisation, output.type.range, nil), shape: layer.shape,
                .constant(values.map { output.quantised(Double($0)) }))
        case .subtract:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .subtraction(source, tensor(sources[1]), to: end.quantisation))
        case .multiply, .matrixProduct:
            let end = fused(place), scale = source.quantisation.scale * tensor(sources[1]).quantisation.scale
            let factor = Multiplier(scale / end.quantisation.scale)
            finish(place, sources, end, shape: layer.shape, layer.operation == .multiply ? .multiply(factor) : .matrixProduct(factor))
        case .forest(let forest):
            let output: Quantisation = graph.output == .independent ? .probability(options.activations) : seen(place)
            finish(
                place, sources, (output, options.activations.range, nil), shape: layer.shape,
                .forest(forest.quantised(source, to: output)))
        case .maximum, .minimum:
            let common = seen(place), alike = sources.map { rescaled($0, to: common) }
            finish(
                place, alike, (common, options.activations.range, nil), shape: layer.shape,
                layer.operation == .maximum ? .maximum : .minimum)
        case .softmax:
            let factor = Multiplier(source.quantisation.scale * (source.type == .int8 ? 1 : 6553.5))
            finish(
                place, sources, (.probability(options.activations), options.activations.range, nil), shape: layer.shape, .softmax(factor))
        }
    }

    private var convolutionRounding: Rounding { .ofConvolution(on: options.activations) }

    private typealias Fused = (quantisation: Quantisation, limits: ClosedRange<Int>, curve: Int?)

    // The output of place `index`, behind the ReLU that alone reads it.
    private func fused(_ index: Int) -> Fused {
        guard let reader = graph.onlyReader(of: index), case .curve(let curve) = graph.layers[reader - 1].operation,
            curve == .relu || curve == .relu6
        else {
            return (seen(index), options.activations.range, nil)
        }
        let quantisation = seen(reader)
        return (quantisation, result(graph.shape(reader), quantisation).limits(of: curve), reader)
    }

    private mutating func finish(_ place: Int, _ sources: [Int], _ fused: Fused, shape: FloatShape, _ operation: Operation) {
        layers.append(Layer(operation, sources: sources, output: result(shape, fused.quantisation), limits: fused.limits))
        tensors[fused.curve ?? place] = layers.count
        if fused.curve == nil { tensors[place] = layers.count }
    }

    /// What a row of weights reads, on average, element by element.
    private typealias Means = (_ row: Int) -> [Double]

    // Every row reads the same.
    private func means(_ layer: FloatLayer, _ weights: FloatWeights) -> Means {
        let all = sharedMeans(layer, weights)
        return { _ in all }
    }

    // Every row reads one channel.
    private func channelMeans(_ layer: FloatLayer, _ weights: FloatWeights) -> Means {
        let channels = graph.shape(layer.sources[0]).channels, values = places[layer.sources[0]].means
        let positions = Double(max(values.count / channels, 1)), each = max(weights.outputs / channels, 1)
        var sums = [Double](repeating: 0, count: channels)
        for (index, value) in values.enumerated() { sums[index % channels] += value }
        return { row in [Double](repeating: sums[min(row / each, channels - 1)] / positions, count: weights.inputs) }
    }

    private func sharedMeans(_ layer: FloatLayer, _ weights: FloatWeights) -> [Double] {
        let values = places[layer.sources[0]].means, channels = graph.shape(layer.sources[0]).channels
        if case .dense = layer.operation, values.count == weights.inputs { return values }
        var sums = [Double](repeating: 0, count: channels)
        for (index, value) in values.enumerated() { sums[index % channels] += value }
        let positions = Double(max(values.count / channels, 1))
        return (0..<weights.inputs).map { sums[$0 % channels] / positions }
    }

    private func feedback(_ tensor: Int, _ weights: FloatWeights, _ window: KernelShape? = nil) -> ErrorFeedback? {
        ErrorFeedback(moments[Reading(tensor: tensor, width: weights.inputs, window: window)])
    }

    private func quantised(
        _ weights: FloatWeights, _ source: Tensor, _ means: Means?, _ feedback: ErrorFeedback?, _ output: Quantisation,
        _ rounding: Rounding, bits: Int? = nil
    ) -> Weights {
        let bits = bits ?? options.bits, limit = Double((1 << (bits - 1)) - 1)
        var result = Weights(
            type: bits > 8 ? .int16 : .int8, inputs: weights.inputs, outputs: weights.outputs, values: [], bias: [],
            multipliers: [], rounding: rounding)
        for row in 0..<weights.outputs {
            let values = weights.values[row * weights.inputs..<(row + 1) * weights.inputs]
            let peak = Double(values.reduce(0) { max($0, $1.magnitude) }), largest = peak > 0 ? peak / limit : 1
            let (step, rounded, change) =
                feedback?.rounded(values, largest: largest, limit: limit) ?? Self.rounded(values, step: largest, limit: limit, means?(row))
            result.append(rounded, step: step, bias: Double(weights.bias[row]) + change, from: source, to: output)
        }
        return result
    }

    // Each weight by itself; the bias takes up the change for the mean input.
    private static func rounded(_ weights: ArraySlice<Float>, step: Double, limit: Double, _ means: [Double]?) -> ErrorFeedback.Row {
        let values = weights.map { max(-limit, min(limit, (Double($0) / step).rounded())) }
        return (step, values, means.map { zip(zip(weights, values), $0).reduce(0) { $0 + (Double($1.0.0) - $1.0.1 * step) * $1.1 } } ?? 0)
    }

    // Gates are Q3.12; the cell is as fine as its largest value allows.
    private mutating func append(
        _ lstm: FloatLSTM, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape, _ cells: Calibration?
    ) {
        let gates = Quantisation(scale: 0x1p-12, zeroPoint: 0), rounding = convolutionRounding, output = seen(place)
        let largest = max(cells?.peaks.max() ?? 8, 1e-3), fraction = max(8, min(15, 14 - Int(largest.exponent)))
        let hidden = result(FloatShape(channels: lstm.units), output), from = graph.layers[place - 1].sources[0]
        let inputMeans = means(FloatLayer(.lstm(lstm), sources: [from], shape: shape), lstm.weights)
        var quantised = LSTM(
            weights: quantised(lstm.weights, source, inputMeans, feedback(from, lstm.weights), gates, rounding),
            recurrent: quantised(lstm.recurrent, hidden, nil, feedback(place, lstm.recurrent), gates, rounding), cellFraction: fraction,
            cellClip: lstm.cellClip > 0 ? Int(min(32767, (lstm.cellClip * Double(1 << fraction)).rounded())) : 0,
            multiplier: Multiplier(0x1p-30 / output.scale))
        moveBias(&quantised)
        finish(place, sources, (output, options.activations.range, nil), shape: shape, .lstm(quantised))
    }

    // What the candidate reads, r h, has no moments of its own: the recurrent weights are rounded one by one.
    private mutating func append(_ gru: FloatGRU, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape) {
        let gates = Quantisation(scale: 0x1p-12, zeroPoint: 0), rounding = convolutionRounding, output = seen(place),
            from = graph.layers[place - 1].sources[0]
        let hidden = result(FloatShape(channels: gru.units), output), inputMeans = means(graph.layers[place - 1], gru.weights)
        let quantised = GRU(
            weights: quantised(gru.weights, source, inputMeans, feedback(from, gru.weights), gates, rounding),
            recurrent: quantised(gru.recurrent, hidden, nil, nil, gates, rounding), multiplier: Multiplier(0x1p-30 / output.scale),
            resetAfter: gru.resetAfter)
        finish(place, sources, (output, options.activations.range, nil), shape: shape, .gru(quantised))
    }

    // The biases of the recurrent weights, which TFLite does not have, to those of the input's.
    private func moveBias(_ lstm: inout LSTM) {
        for row in lstm.recurrent.bias.indices {
            let gate = Double(lstm.recurrent.bias[row]) * lstm.recurrent.multipliers[row].value, unit = lstm.weights.multipliers[row].value
            if unit > 0 { lstm.weights.bias[row] += Int64((gate / unit).rounded()) }
            lstm.recurrent.bias[row] = 0
        }
    }

    private mutating func append(_ curve: Activation, _ place: Int, _ sources: [Int], _ source: Tensor, _ shape: FloatShape) throws(Fault) {
        let output = curve.fixedQuantisation(options.activations) ?? seen(place), range = options.activations.range
        if options.activations == .int8 {
            finish(place, sources, (output, range, nil), shape: shape, .lookup(curve.table(from: source.quantisation, to: output)))
            return
        }
        switch curve {
        case .relu, .relu6:
            let limits = result(shape, output).limits(of: curve)
            finish(place, sources, (output, limits, nil), shape: shape, .rescale(Multiplier(source.quantisation.scale / output.scale)))
        case .sigmoid, .tanh:
            finish(
                place, sources, (output, range, nil), shape: shape, .interpolated(isSigmoid: curve == .sigmoid, source.quantisation.scale))
        case .thresholdedReLU:
            throw Fault(
                .badData, "the curve \(curve), which jumps, can be run between int8 layers only",
                remedy: "Use --bits 8 or fewer and --activations int8.")
        default:
            finish(place, sources, (output, range, nil), shape: shape, .lookup(curve.wideTable(from: source.quantisation, to: output)))
        }
    }

    // A tensor at the scale of another.
    private mutating func rescaled(_ index: Int, to quantisation: Quantisation) -> Int {
        var tensor = tensor(index)
        guard tensor.quantisation != quantisation else { return index }
        let multiplier = Multiplier(tensor.quantisation.scale / quantisation.scale)
        tensor.quantisation = quantisation
        layers.append(Layer(.rescale(multiplier), sources: [index], output: tensor))
        return layers.count
    }
}

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
