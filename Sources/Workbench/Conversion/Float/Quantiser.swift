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
    /// How many times as large as what calibration data showed numbers between int16 layers can be.
    package var headroom: Double

    package init(bits: Int = 8, activations: IntegerType? = nil, balance: UnitBalance = .both, headroom: Double = 1) {
        self.bits = bits
        self.balance = balance
        self.headroom = headroom
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
    /// The quantised network: its input and layers, and which of its tensors holds each of the graph's (nil: none does).
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

    let graph: FloatGraph
    let places: [Calibration]
    let moments: [Reading: SecondMoments]
    let options: QuantiserOptions
    /// Whether the file has all scales.
    let keepsScales: Bool
    var layers: [Layer] = []
    var tensors: [Int?]
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
        let joined = ParallelConvolutions(quantiser.layers)
        let tensors = quantiser.tensors.map { tensor in tensor.flatMap { joined.tensors[$0] } }
        return Result(input: quantiser.input, layers: joined.layers, tensors: tensors, graph: graph)
    }

    private init(_ graph: FloatGraph, _ places: [Calibration], _ moments: [Reading: SecondMoments], _ options: QuantiserOptions) {
        (self.graph, self.places, self.moments, self.options) = (graph, places, moments, options)
        keepsScales = !graph.quantisations.isEmpty
        let shape = graph.input
        input = Tensor(
            options.activations, height: shape.height, width: shape.width, channels: shape.channels,
            quantisation: graph.quantisations[0] ?? Self.input(graph, places[0], options))
        tensors = [Int?](repeating: nil, count: graph.layers.count + 1)
        tensors[0] = 0
    }

    // Trees compare: steps that are a power of two keep what comes in Q3.12 as it is.
    private static func input(_ graph: FloatGraph, _ seen: Calibration, _ options: QuantiserOptions) -> Quantisation {
        var range = seen.range
        let forests = graph.forests(on: 0)
        guard options.activations == .int16, !forests.isEmpty else {
            return Quantisation(covering: range, type: options.activations)
        }
        // Something has to be above the largest threshold.
        let reach = 1.001 * forests.compactMap(\.limits).reduce(1) { max($0, -$1.lowerBound, $1.upperBound) }
        range = graph.isForTreesAlone ? -reach...reach : min(range.lowerBound, -reach)...max(range.upperBound, reach)
        let exact = Quantisation(covering: range, type: .int16).scale, power = exact.exponent + (exact.significand > 1 ? 1 : 0)
        let exponent = min(max(power, -12), graph.comparesRanks ? 0 : Int.max)
        return Quantisation(scale: Double(sign: .plus, exponent: exponent, significand: 1), zeroPoint: 0)
    }

    func tensor(_ index: Int) -> Tensor { index == 0 ? input : layers[index - 1].output }

    func result(_ shape: FloatShape, _ quantisation: Quantisation) -> Tensor {
        Tensor(options.activations, height: shape.height, width: shape.width, channels: shape.channels, quantisation: quantisation)
    }

    func seen(_ index: Int) -> Quantisation {
        graph.quantisations[index] ?? Quantisation(covering: places[index].range, type: options.activations)
    }

    // Appends the quantised layer of float layer `index`; a ReLU, or other limits, that alone reads it becomes its limits.
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
        case .depthwise(let weights, _) where keepsScales && options.activations == .int8 && graph.channelScale(layer) != nil:
            appendScale(weights, place, source, sources, layer.shape)
        case .depthwise(let weights, let sliding):
            let end = fused(place)
            finish(
                place, sources, end, shape: layer.shape,
                .depthwise(
                    quantised(
                        weights, source, channelMeans(layer, weights), nil, end.quantisation, convolutionRounding,
                        bits: weights.inputs == 1 ? min(options.bits, 8) : options.bits), // one weight has no more than one step
                    sliding))
        case .lstm(let lstm): append(lstm, place, sources, source, layer.shape, cells)
        case .gru(let gru): append(gru, place, sources, source, layer.shape)
        case .averagePool(let window) where keepsScales && graph.quantisations[place].map { $0 != source.quantisation } ?? false:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, meanRoundedOnce(source, end.quantisation, over: window))
        case .averagePool(let sliding): finish(place, sources, same, shape: layer.shape, .averagePool(sliding))
        case .maxPool(let sliding): finish(place, sources, same, shape: layer.shape, .maxPool(sliding))
        case .slice(let first): finish(place, sources, same, shape: layer.shape, .slice(first: first))
        case .reshape: finish(place, sources, same, shape: layer.shape, .rescale(Multiplier(1)))
        case .mean:
            let end = fused(place)
            if keepsScales {
                let all = KernelShape(height: 1, width: source.positions)
                finish(place, [lined(sources[0])], end, shape: layer.shape, meanRoundedOnce(source, end.quantisation, over: all))
            } else {
                finish(place, sources, end, shape: layer.shape, .mean(Multiplier(source.quantisation.scale / end.quantisation.scale)))
            }
        case .add:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .addition(source, tensor(sources[1]), to: end.quantisation))
        case .concatenation(let axis):
            let common = seen(place), alike = sources.map { rescaled($0, to: common) }
            finish(place, alike, (common, options.activations.range, nil), shape: layer.shape, .concatenation(axis: axis))
        case .curve(let curve): try append(curve, place, sources, source, layer.shape)
        case .gather(let places): finish(place, sources, same, shape: layer.shape, .gather(places))
        case .constant(let values):
            let output = result(layer.shape, graph.quantisations[place] ?? (keepsScales ? .exact(values) : nil) ?? seen(place))
            finish(
                place, sources, (output.quantisation, output.type.range, nil), shape: layer.shape,
                .constant(values.map { output.quantised(Double($0)) }))
        case .divide:
            let end = fused(place), scale = source.quantisation.scale / tensor(sources[1]).quantisation.scale
            finish(place, sources, end, shape: layer.shape, .divide(Multiplier(scale / end.quantisation.scale)))
        case .subtract:
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .subtraction(source, tensor(sources[1]), to: end.quantisation))
        case .multiply, .matrixProduct:
            let end = fused(place), scale = source.quantisation.scale * tensor(sources[1]).quantisation.scale
            let factor = Multiplier(scale / end.quantisation.scale), isWhole = layer.operation == .matrixProduct
            let once = isWhole ? Operation.matrixProductOnce(factor) : .multiplyOnce(factor)
            let product = isWhole ? Operation.matrixProduct(factor) : .multiply(factor)
            finish(place, sources, end, shape: layer.shape, keepsScales && options.activations == .int8 ? once : product)
        case .forest(let forest):
            // Rows that were not seen may reach any leaves.
            let open = graph.quantisations[place] ?? Quantisation(covering: forest.sums, type: options.activations)
            let output: Quantisation = graph.output == .independent ? .probability(options.activations) : open
            finish(
                place, sources, (output, options.activations.range, nil), shape: layer.shape,
                .forest(forest.quantised(source, to: output)))
        case .supportVectors(let support):
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .supportVectors(try support.quantised(source, to: end.quantisation)))
        case .maximum, .minimum:
            let common = seen(place), alike = sources.map { rescaled($0, to: common) }
            finish(
                place, alike, (common, options.activations.range, nil), shape: layer.shape,
                layer.operation == .maximum ? .maximum : .minimum)
        case .normalisation(let epsilon):
            if keepsScales, let scale = graph.channelScale(behind: place) { return appendNormalisation(epsilon, sources, scale) }
            let end = fused(place)
            finish(place, sources, end, shape: layer.shape, .normalisation(Double(epsilon), source, to: end.quantisation))
        case .rootMeanSquare(let gain, let epsilon):
            let end = fused(place)
            finish(
                place, sources, end, shape: layer.shape, .rootMeanSquare(Double(gain), Double(epsilon), source, to: end.quantisation))
        case .softmax:
            let own = Quantisation.probability(options.activations), output = graph.quantisations[place] ?? own,
                factor = source.softmaxMultiplier
            finish(
                place, sources, (output, options.activations.range, nil), shape: layer.shape,
                output == own ? .softmax(factor) : .scaledSoftmax(factor, output: Multiplier(1 / (256 * output.scale))))
        }
    }

    // What came with its scales was made for a runtime that rounds once.
    var convolutionRounding: Rounding { keepsScales ? .once : .ofConvolution(on: options.activations) }

    typealias Fused = (quantisation: Quantisation, limits: ClosedRange<Int>, curve: Int?)

    // The output of place `index`, behind the ReLU, or other limits, that alone reads it.
    func fused(_ index: Int) -> Fused {
        guard graph.quantisations[index] == nil, let limiter = graph.limiter(of: index),
            let limits = result(graph.shape(limiter.place), seen(limiter.place)).limits(of: limiter.curve)
        else {
            return (seen(index), options.activations.range, nil)
        }
        return (seen(limiter.place), limits, limiter.place)
    }

    mutating func finish(_ place: Int, _ sources: [Int], _ fused: Fused, shape: FloatShape, _ operation: Operation) {
        layers.append(Layer(operation, sources: sources, output: result(shape, fused.quantisation), limits: fused.limits))
        tensors[fused.curve ?? place] = layers.count
        if fused.curve == nil { tensors[place] = layers.count }
    }

    // A tensor at the scale of another.
    private mutating func rescaled(_ index: Int, to quantisation: Quantisation) -> Int {
        var tensor = tensor(index)
        guard tensor.quantisation != quantisation else { return index }
        let multiplier = Multiplier(tensor.quantisation.scale / quantisation.scale)
        // A rescaling rounds twice, as TFLite's: where another runtime's integers are to come out, a table rounds as that one.
        let table = keepsScales && tensor.type == .int8 ? tensor.quantisation.table(to: quantisation) : nil
        tensor.quantisation = quantisation
        layers.append(Layer(table.map { .lookup($0) } ?? .rescale(multiplier), sources: [index], output: tensor))
        return layers.count
    }
}
