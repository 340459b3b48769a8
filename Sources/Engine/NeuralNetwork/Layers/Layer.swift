/// A window that slides over height and width.
package struct KernelShape: Sendable, Hashable, Codable {
    package var height: Int
    package var width: Int
    package var strideHeight = 1
    package var strideWidth = 1
    package var dilationHeight = 1
    package var dilationWidth = 1
    /// Padding before the first row and column; what lies behind the last follows from the output's shape.
    package var top = 0
    package var left = 0

    package init(height: Int, width: Int) {
        self.height = height
        self.width = width
    }

    enum CodingKeys: String, CodingKey {
        case height, width, top, left
        case strideHeight = "stride_height"
        case strideWidth = "stride_width"
        case dilationHeight = "dilation_height"
        case dilationWidth = "dilation_width"
    }
}

/// A uni-directional LSTM; every position of its input is one step.
package struct LSTM: Sendable, Equatable {
    /// Rows of the gates input, forget, modulation, output, one after the other, from the input; with the biases.
    package var weights: Weights
    /// The same from the hidden state; its biases are zero.
    package var recurrent: Weights
    /// Of the int16 cell, 8 ... 15.
    package var cellFraction: Int
    /// Limit of the cell's integers; 0: none.
    package var cellClip: Int
    /// 2^-30 / output scale.
    package var multiplier: Multiplier

    package init(weights: Weights, recurrent: Weights, cellFraction: Int, cellClip: Int = 0, multiplier: Multiplier) {
        self.weights = weights
        self.recurrent = recurrent
        self.cellFraction = cellFraction
        self.cellClip = cellClip
        self.multiplier = multiplier
    }

    package var units: Int { recurrent.inputs }
}

/// A GRU; every position of its input is one step.
package struct GRU: Sendable, Equatable {
    /// Rows of update, reset and candidate, one after the other, from the input; with the biases.
    package var weights: Weights
    /// The same from the hidden state; its biases are zero, but for the candidate's with `resetAfter`.
    package var recurrent: Weights
    /// 2^-30 / output scale.
    package var multiplier: Multiplier
    /// The reset gate multiplies what the recurrent weights give (PyTorch, Keras), instead of the hidden state before them (Core ML).
    package var resetAfter: Bool

    package init(weights: Weights, recurrent: Weights, multiplier: Multiplier, resetAfter: Bool = false) {
        self.weights = weights
        self.recurrent = recurrent
        self.multiplier = multiplier
        self.resetAfter = resetAfter
    }
}

/// Decision trees whose leaves' values add up.
package struct Forest: Sendable, Equatable {
    /// Of each node, the element that it looks at; -1: a leaf.
    package var features: [Int16]
    /// What is greater goes to the second child.
    package var thresholds: [Int16]
    /// The first of two nodes behind this one; of a leaf, its row of `values`.
    package var children: [Int32]
    /// The first node of each tree.
    package var roots: [Int32]
    /// [leaves][classes]
    package var values: [Int16]
    /// From sums of values to the output.
    package var multiplier: Multiplier

    package init(
        features: [Int16], thresholds: [Int16], children: [Int32], roots: [Int32], values: [Int16], multiplier: Multiplier
    ) {
        (self.features, self.thresholds, self.children, self.roots) = (features, thresholds, children, roots)
        (self.values, self.multiplier) = (values, multiplier)
    }

    /// Bytes in the file.
    var bytes: Int { 8 * features.count + 4 * roots.count + 2 * values.count }
}

/// What a layer does. See gw_layer.h for the arithmetic.
package enum Operation: Sendable, Equatable {
    /// On every row of `inputs` elements.
    case dense(Weights)
    case convolution(Weights, KernelShape)
    /// Weights [output channels][window height x width].
    case depthwise(Weights, KernelShape)
    case lstm(LSTM)
    case gru(GRU)
    case averagePool(KernelShape)
    case maxPool(KernelShape)
    /// Over height and width.
    case mean(Multiplier)
    /// Factors of the left and right source and of their sum.
    case add(Multiplier, Multiplier, Multiplier)
    /// Axis 0 height, 1 width, 2 channels.
    case concatenation(axis: Int)
    /// Positions from `first` on, as many as the output has.
    case slice(first: Int)
    /// int8: 256 entries, for -128 ... 127; int16: 513, for -32768, -32640, ... 32768, with straight lines between them.
    case lookup([Int16])
    /// On int16: round(x * factor / 2^shift) is the argument in 1/12288.
    case sigmoid(factor: Int, shift: Int)
    case tanh(factor: Int, shift: Int)
    /// To another scale, zero point or type.
    case rescale(Multiplier)
    /// For each element of the output the number of the source's, or -1 for zero: transposed, reversed, padded, repeated, cut out.
    case gather([Int32])
    /// Its elements, whatever its source holds.
    case constant([Int16])
    /// Factors as those of `add`; the right source from the left one.
    case subtract(Multiplier, Multiplier, Multiplier)
    case multiply(Multiplier)
    /// The left source by the right one.
    case divide(Multiplier)
    /// Of two tensors at one scale.
    case maximum, minimum
    /// Every row of the left source's matrices times every row of the right one's.
    case matrixProduct(Multiplier)
    /// Over the channels of every position; the factor is that of ``Network/outputMultiplier``.
    case softmax(Multiplier)
    case forest(Forest)

    /// Whether it goes from step to step with a state.
    package var isRecurrent: Bool {
        switch self {
        case .lstm, .gru: true
        case .dense, .convolution, .depthwise, .averagePool, .maxPool, .mean, .add, .concatenation, .slice, .lookup, .sigmoid, .tanh,
            .rescale, .gather, .constant, .subtract, .multiply, .divide, .maximum, .minimum, .matrixProduct, .softmax, .forest:
            false
        }
    }
}

/// A layer's name in files and in `gaitway model inspect`.
package enum LayerKind: String, Codable, CaseIterable, Sendable {
    case dense, convolution, depthwise, lstm, gru
    case averagePool = "average-pool"
    case maxPool = "max-pool"
    case mean, add, concatenation, slice, lookup, sigmoid, tanh, rescale, gather, constant, subtract, multiply, divide, maximum, minimum
    case matrixProduct = "matrix-product"
    case softmax, forest
}

/// A layer: what it does, to what, and what comes out.
package struct Layer: Sendable, Equatable {
    package var operation: Operation
    /// 0: the network's input; n: the output of layer n - 1.
    package var sources: [Int]
    package var output: Tensor
    /// Of the output's integers; a ReLU begins at the zero point.
    package var limits: ClosedRange<Int>

    package init(_ operation: Operation, sources: [Int], output: Tensor, limits: ClosedRange<Int>? = nil) {
        self.operation = operation
        self.sources = sources
        self.output = output
        self.limits = limits ?? output.type.range
    }

    /// The weights from the input and from the hidden state.
    package var weights: [Weights] {
        switch operation {
        case .dense(let weights), .convolution(let weights, _), .depthwise(let weights, _): [weights]
        case .lstm(let lstm): [lstm.weights, lstm.recurrent]
        case .gru(let gru): [gru.weights, gru.recurrent]
        case .averagePool, .maxPool, .mean, .add, .concatenation, .slice, .lookup, .sigmoid, .tanh, .rescale, .gather, .constant, .subtract,
            .multiply, .divide, .maximum, .minimum, .matrixProduct, .softmax, .forest:
            []
        }
    }

    /// Multiply-accumulates of one inference, given what the layer reads.
    func operations(_ source: Tensor) -> Int {
        switch operation {
        case .dense(let weights): source.count * weights.outputs
        case .convolution(let weights, _), .depthwise(let weights, _): output.positions * weights.inputs * weights.outputs
        case .lstm, .gru: source.positions * weights.reduce(0) { $0 + $1.values.count }
        case .matrixProduct: output.count * source.channels
        case .averagePool, .maxPool, .mean, .add, .concatenation, .slice, .lookup, .sigmoid, .tanh, .rescale, .gather, .constant, .subtract,
            .multiply, .divide, .maximum, .minimum, .softmax, .forest:
            0
        }
    }

    package var hasWeights: Bool { !weights.isEmpty }

    /// What its limits stand for: "relu", "relu6", or "" where the whole type may come out.
    package var activation: String {
        let zero = output.quantisation.zeroPoint
        let sums: Bool
        switch operation {
        case .add, .subtract, .multiply, .divide: sums = true
        default: sums = hasWeights
        }
        guard sums, limits.lowerBound == zero else { return "" }
        return limits.upperBound == output.type.range.upperBound ? "relu" : "relu6"
    }

    package var kind: LayerKind {
        switch operation {
        case .dense: .dense
        case .convolution: .convolution
        case .depthwise: .depthwise
        case .lstm: .lstm
        case .gru: .gru
        case .averagePool: .averagePool
        case .maxPool: .maxPool
        case .mean: .mean
        case .add: .add
        case .concatenation: .concatenation
        case .slice: .slice
        case .lookup: .lookup
        case .sigmoid: .sigmoid
        case .tanh: .tanh
        case .rescale: .rescale
        case .gather: .gather
        case .constant: .constant
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .maximum: .maximum
        case .minimum: .minimum
        case .matrixProduct: .matrixProduct
        case .softmax: .softmax
        case .forest: .forest
        }
    }
}
