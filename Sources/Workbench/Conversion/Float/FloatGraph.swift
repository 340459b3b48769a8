package import NeuralNetwork
package import Support

/// Height, width and channels of a tensor of floats.
package struct FloatShape: Sendable, Equatable {
    package var height = 1
    package var width = 1
    package var channels: Int

    package init(height: Int = 1, width: Int = 1, channels: Int) {
        self.height = height
        self.width = width
        self.channels = channels
    }

    /// So many rows of channels, in lines of one length where one line would be longer than the core's tensors can be.
    init(rows: Int, channels: Int) {
        let most = 4096 // GW_EXTENT_MAX
        let lines = rows <= most ? 1 : (2...most).first { rows.isMultiple(of: $0) && rows / $0 <= most } ?? 1
        self.init(height: lines, width: rows / lines, channels: channels)
    }

    package var positions: Int { height * width }
    package var count: Int { positions * channels }

    /// Elements of parts that make this shape along an axis: 0 height, 1 width, 2 channels.
    func joined<Element>(_ parts: [[Element]], along axis: Int) -> [Element] {
        let outer = axis == 0 ? 1 : axis == 1 ? height : positions
        return (0..<outer).flatMap { row in parts.flatMap { $0[row * ($0.count / outer)..<(row + 1) * ($0.count / outer)] } }
    }

    /// Row and column of each position.
    var places: [(row: Int, column: Int)] { (0..<height).flatMap { row in (0..<width).map { (row, $0) } } }
}

/// A layer of floats: what it does, to what (0: the input; n: the output of layer n - 1), and what shape comes out.
package struct FloatLayer: Sendable, Equatable {
    package var operation: FloatOperation
    package var sources: [Int]
    package var shape: FloatShape

    package init(_ operation: FloatOperation, sources: [Int], shape: FloatShape) {
        self.operation = operation
        self.sources = sources
        self.shape = shape
    }
}

/// A network before quantisation, as importers and the trainer give it.
package struct FloatGraph: Sendable, Equatable {
    package var input: FloatShape
    package var layers: [FloatLayer]
    package var output: NetworkOutput
    /// What layers remember from one input to the next, where the file settles that.
    package var state: NetworkState?
    /// What the file itself quantises tensors to (0: the input; n: the output of layer n - 1), in int8: all that there is to choose, or
    /// nothing.
    package var quantisations: [Int: Quantisation] = [:]
    /// Why its file's own steps cannot be kept; nil where there are none, or they are.
    package var obstacleToScales: String?
    /// Whether its trees read how many of their thresholds are less, so that the input's steps are at most 1.
    package var comparesRanks = false
    /// Whether its decisions are sums of terms that cancel each other out, as those of support vectors: 8 bits lose too much of them.
    package var needsWideWeights = false
    /// Whether trees compare what they read with thresholds, on steps that are exact.
    package var hasForests: Bool { layers.contains(where: \.isForest) }

    package init(input: FloatShape, layers: [FloatLayer] = [], output: NetworkOutput = .softmax) {
        self.input = input
        self.layers = layers
        self.output = output
    }

    package func shape(_ index: Int) -> FloatShape { layers.indices.contains(index - 1) ? layers[index - 1].shape : input }
    package var last: FloatShape { shape(layers.count) }

    /// Appends a layer on the latest one.
    package mutating func append(_ operation: FloatOperation, _ shape: FloatShape) {
        layers.append(FloatLayer(operation, sources: [layers.count], shape: shape))
    }

    /// Appends a dense layer on the latest one, on all of its numbers.
    package mutating func appendDense(_ weights: FloatWeights) { append(.dense(weights), FloatShape(channels: weights.outputs)) }

    /// Appends a curve on the latest layer.
    package mutating func appendCurve(_ curve: Activation) { append(.curve(curve), last) }

    /// What dense, recurrent and convolutional layers multiply by weights, where that is not too wide.
    var readings: [Quantiser.Reading] {
        layers.enumerated().flatMap { index, layer -> [Quantiser.Reading] in
            switch layer.operation {
            case .dense(let weights): [Quantiser.Reading(tensor: layer.sources[0], width: weights.inputs)]
            case .lstm(let lstm):
                [
                    Quantiser.Reading(tensor: layer.sources[0], width: lstm.weights.inputs),
                    Quantiser.Reading(tensor: index + 1, width: lstm.units),
                ]
            case .gru(let gru): [Quantiser.Reading(tensor: layer.sources[0], width: gru.weights.inputs)]
            case .convolution(let weights, let window):
                [Quantiser.Reading(tensor: layer.sources[0], width: weights.inputs, window: window)]
            default: []
            }
        }.filter { $0.width <= Quantiser.Reading.widest }
    }

    /// How many products of numbers an inference takes.
    package var products: Int64 {
        layers.reduce(0) { sum, layer in
            let positions = layer.shape.positions
            func all(_ weights: Int, times: Int) -> Int64 { sum + Int64(weights) * Int64(times) }
            return switch layer.operation {
            case .dense(let weights): all(weights.values.count, times: shape(layer.sources[0]).count / max(weights.inputs, 1))
            case .convolution(let weights, _), .depthwise(let weights, _): all(weights.values.count, times: positions)
            case .lstm(let lstm): all(lstm.weights.values.count + lstm.recurrent.values.count, times: positions)
            case .gru(let gru): all(gru.weights.values.count + gru.recurrent.values.count, times: positions)
            case .supportVectors(let support): all(support.vectors.count + support.weights.values.count, times: 1)
            case .matrixProduct: all(layer.shape.count, times: shape(layer.sources[0]).channels)
            default: sum
            }
        }
    }

    /// The trees that read tensor `index`.
    package func forests(on index: Int) -> [FloatForest] {
        layers.compactMap { layer in
            if case .forest(let forest) = layer.operation, layer.sources == [index] { forest } else { nil }
        }
    }

    /// Whether nothing but trees reads the input.
    package var isForTreesAlone: Bool { hasForests && layers.allSatisfy { !$0.sources.contains(0) || $0.isForest || $0.isConstant } }

    /// The weights of a layer that scales and moves each channel by itself and does nothing else; nil for any other.
    func channelScale(_ layer: FloatLayer) -> FloatWeights? {
        guard case .depthwise(let weights, let window) = layer.operation, weights.inputs == 1, window.height == 1, window.width == 1,
            window.top == 0, window.left == 0, shape(layer.sources[0]) == layer.shape
        else { return nil }
        return weights
    }

    /// The only layer (from 1) that reads tensor `index`, or nil.
    func onlyReader(of index: Int) -> Int? {
        let readers = layers.indices.filter { layers[$0].sources.contains(index) }
        return readers.count == 1 && index < layers.count ? readers[0] + 1 : nil
    }

    /// The place behind the layer that alone reads a place, where that only limits its numbers.
    func limiter(of index: Int) -> (place: Int, curve: Activation, limits: ClosedRange<Double>)? {
        guard let reader = onlyReader(of: index), case .curve(let curve) = layers[reader - 1].operation, let limits = curve.limits
        else { return nil }
        return (reader, curve, limits)
    }

    /// - Throws: `.badData` where an inference takes more than a board is to compute: known before anything is quantised.
    package func requireAffordable() throws(Fault) {
        guard products <= CompiledNetwork.mostWork else { throw CompiledNetwork.tooMuch(products) }
    }

    /// Every layer reads what is there, in the sizes that it needs: what an importer put together can be run.
    ///
    /// - Throws: `.badData` naming the layer.
    package func requireFitting(path: String) throws(Fault) {
        for (index, layer) in layers.enumerated() {
            guard !layer.sources.isEmpty, layer.sources.allSatisfy({ (0...index).contains($0) }), layer.shape.count > 0,
                layer.fits(layer.sources.map { shape($0) })
            else {
                throw Fault(.badData, "\(path): layer \(index) does not fit what it reads", remedy: "Is the file whole? Export it again.")
            }
        }
        guard !layers.isEmpty else { throw Fault(.badData, "\(path) has no layers") }
    }
}
