package import NeuralNetwork

/// Weights before quantisation.
package struct FloatWeights: Sendable, Equatable {
    package var inputs: Int
    package var outputs: Int
    /// [outputs][inputs]
    package var values: [Float]
    /// [outputs]
    package var bias: [Float]

    package init(inputs: Int, outputs: Int, values: [Float], bias: [Float]? = nil) {
        self.inputs = inputs
        self.outputs = outputs
        self.values = values
        self.bias = bias ?? [Float](repeating: 0, count: outputs)
    }

    var isFinite: Bool { values.allSatisfy(\.isFinite) && bias.allSatisfy(\.isFinite) }
}

/// An LSTM before quantisation; gates in the order input, forget, modulation, output.
package struct FloatLSTM: Sendable, Equatable {
    /// [4 x units][inputs], with the biases.
    package var weights: FloatWeights
    /// [4 x units][units]; no biases.
    package var recurrent: FloatWeights
    /// Limit of the cell; 0: none.
    package var cellClip = 0.0

    package init(weights: FloatWeights, recurrent: FloatWeights, cellClip: Double = 0) {
        self.weights = weights
        self.recurrent = recurrent
        self.cellClip = cellClip
    }

    package var units: Int { recurrent.inputs }
}

/// A GRU before quantisation; rows in the order update, reset, candidate.
package struct FloatGRU: Sendable, Equatable {
    /// [3 x units][inputs], with the biases.
    package var weights: FloatWeights
    /// [3 x units][units]; no biases, but for the candidate's with `resetAfter`.
    package var recurrent: FloatWeights
    /// The reset gate multiplies what the recurrent weights give, instead of the hidden state before them.
    package var resetAfter = false

    package init(weights: FloatWeights, recurrent: FloatWeights, resetAfter: Bool = false) {
        self.weights = weights
        self.recurrent = recurrent
        self.resetAfter = resetAfter
    }

    package var units: Int { recurrent.inputs }
}

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

    package var positions: Int { height * width }
    package var count: Int { positions * channels }
}

/// Decision trees before quantisation; their nodes lie as in ``Forest``.
package struct FloatForest: Sendable, Equatable {
    package var features: [Int16]
    /// What is at most that goes to the first child.
    package var thresholds: [Float]
    package var children: [Int32]
    package var roots: [Int32]
    /// [leaves][classes]
    package var values: [Float]
    package var classes: Int

    /// Sums of the leaves' values, class by class.
    func run(_ row: [Float]) -> [Float] {
        var sums = [Float](repeating: 0, count: classes)
        for root in roots {
            var node = Int(root)
            while features[node] >= 0 { node = Int(children[node]) + (row[Int(features[node])] > thresholds[node] ? 1 : 0) }
            let leaf = Int(children[node])
            for index in 0..<classes { sums[index] += values[leaf * classes + index] }
        }
        return sums
    }
}

package enum FloatOperation: Sendable, Equatable {
    case dense(FloatWeights)
    /// Weights [output channels][window height][window width][input channels].
    case convolution(FloatWeights, KernelShape)
    /// Weights [output channels][window height x width].
    case depthwise(FloatWeights, KernelShape)
    case lstm(FloatLSTM)
    case gru(FloatGRU)
    case averagePool(KernelShape)
    case maxPool(KernelShape)
    case mean
    case add
    case concatenation(axis: Int)
    case slice(first: Int)
    /// The same numbers in another shape.
    case reshape
    case curve(Activation)
    /// For each element of the output the number of the source's, or -1 for 0.
    case gather([Int32])
    /// Its numbers, whatever the source holds.
    case constant([Float])
    case subtract, multiply, maximum, minimum
    /// Every row of the left source's matrices ([height] of [width][channels]) times every row of the right one's.
    case matrixProduct
    /// Over the channels of every position.
    case softmax
    case forest(FloatForest)

    /// Whether it goes from step to step with a state.
    package var isRecurrent: Bool {
        switch self {
        case .lstm, .gru: true
        default: false
        }
    }
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

    /// The only layer (from 1) that reads tensor `index`, or nil.
    func onlyReader(of index: Int) -> Int? {
        let readers = layers.indices.filter { layers[$0].sources.contains(index) }
        return readers.count == 1 && index < layers.count ? readers[0] + 1 : nil
    }
}
