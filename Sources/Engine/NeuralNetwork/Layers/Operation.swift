internal import CNetwork
internal import Support

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
    /// The same rounded once, as runtimes in float round.
    case multiplyOnce(Multiplier)
    /// The left source by the right one.
    case divide(Multiplier)
    /// Of two tensors at one scale.
    case maximum, minimum
    /// Every row of the left source's matrices times every row of the right one's.
    case matrixProduct(Multiplier)
    /// The same of int8, rounded once, as runtimes in float round.
    case matrixProductOnce(Multiplier)
    /// Over the channels of every position; the factor is that of ``Network/outputMultiplier``.
    case softmax(Multiplier)
    /// The same, int8 to any scale. Factors: that of the source, and 1 / (256 x the output's scale).
    case scaledSoftmax(Multiplier, output: Multiplier)
    case forest(Forest)
    /// The channels of every position: minus their mean, over their standard deviation. Factors: 1 / the output's scale, and what is added
    /// to the variance / the source's scale squared / 2^16.
    case normalisation(Multiplier, epsilon: Multiplier)
    /// The same of int8, then multiplied and moved in each channel, and rounded once. Factors: the steps to one before that, and what is
    /// added to the variance. The weights' values are -1, 0 and 1.
    case scaledNormalisation(Multiplier, epsilon: Multiplier, Weights)
    /// The channels of every position over the root of the mean of their squares. Factors: what the result is multiplied by over the
    /// output's scale, and what is added to the mean as in ``normalisation(_:epsilon:)``.
    case rootMeanSquare(Multiplier, epsilon: Multiplier)
    case supportVectors(SupportVectors)
}

/// A layer's name in files and in `gaitway model inspect`.
package enum LayerKind: String, Codable, CaseIterable, Sendable {
    case dense, convolution, depthwise, lstm, gru
    case averagePool = "average-pool"
    case maxPool = "max-pool"
    case mean, add, concatenation, slice, lookup, sigmoid, tanh, rescale, gather, constant, subtract, multiply, divide, maximum, minimum
    case matrixProduct = "matrix-product"
    case softmax, forest, normalisation
    case rootMeanSquare = "root-mean-square"
    case supportVectors = "support-vectors"
    case multiplyOnce = "multiply-once"
    case scaledSoftmax = "scaled-softmax"
    case matrixProductOnce = "matrix-product-once"
    case scaledNormalisation = "scaled-normalisation"
}

extension LayerKind {
    var number: gw_operation {
        switch self {
        case .dense: GW_DENSE
        case .convolution: GW_CONVOLUTION
        case .depthwise: GW_DEPTHWISE
        case .lstm: GW_LSTM
        case .gru: GW_GRU
        case .averagePool: GW_AVERAGE_POOL
        case .maxPool: GW_MAX_POOL
        case .mean: GW_MEAN
        case .add: GW_ADD
        case .concatenation: GW_CONCATENATE
        case .slice: GW_SLICE
        case .lookup: GW_LOOKUP
        case .sigmoid: GW_SIGMOID
        case .tanh: GW_TANH
        case .rescale: GW_RESCALE
        case .gather: GW_GATHER
        case .constant: GW_CONSTANT
        case .subtract: GW_SUBTRACT
        case .multiply: GW_MULTIPLY
        case .multiplyOnce: GW_MULTIPLY_ONCE
        case .divide: GW_DIVIDE
        case .maximum: GW_MAXIMUM
        case .minimum: GW_MINIMUM
        case .matrixProduct: GW_MATRIX_PRODUCT
        case .matrixProductOnce: GW_MATRIX_PRODUCT_ONCE
        case .softmax: GW_SOFTMAX_ROWS
        case .scaledSoftmax: GW_SCALED_SOFTMAX
        case .forest: GW_FOREST
        case .normalisation: GW_NORMALISE
        case .scaledNormalisation: GW_SCALED_NORMALISATION
        case .rootMeanSquare: GW_ROOT_MEAN_SQUARE
        case .supportVectors: GW_SUPPORT_VECTORS
        }
    }

    /// Its number as C code writes it: "GW_DENSE".
    package var symbol: String { unsafe String(cString: gw_operation_name(number)) }
}

extension Operation {
    /// Whether it goes from step to step with a state.
    package var isRecurrent: Bool { fields.weights.count > 1 }

    package var kind: LayerKind { described.kind }

    /// Its numbers by name: for the file, for C, for headers.
    package var fields: LayerFields { described.fields }

    private var described: (kind: LayerKind, fields: LayerFields) {
        switch self {
        case .dense(let weights): (.dense, LayerFields(weights: [weights]))
        case .convolution(let weights, let window): (.convolution, LayerFields(weights: [weights], window: window))
        case .depthwise(let weights, let window): (.depthwise, LayerFields(weights: [weights], window: window))
        case .lstm(let lstm):
            (
                .lstm,
                LayerFields(
                    weights: [lstm.weights, lstm.recurrent], factors: [lstm.multiplier], cellFraction: lstm.cellFraction,
                    cellClip: lstm.cellClip)
            )
        case .gru(let gru):
            (.gru, LayerFields(weights: [gru.weights, gru.recurrent], factors: [gru.multiplier], resetAfter: gru.resetAfter ? true : nil))
        case .averagePool(let window): (.averagePool, LayerFields(window: window))
        case .maxPool(let window): (.maxPool, LayerFields(window: window))
        case .mean(let factor): (.mean, LayerFields(factors: [factor]))
        case .add(let left, let right, let sum): (.add, LayerFields(factors: [left, right, sum]))
        case .concatenation(let axis): (.concatenation, LayerFields(axis: axis))
        case .slice(let first): (.slice, LayerFields(first: first))
        case .lookup(let table): (.lookup, LayerFields(table: table))
        case .sigmoid(let factor, let shift): (.sigmoid, LayerFields(factor: factor, shift: shift))
        case .tanh(let factor, let shift): (.tanh, LayerFields(factor: factor, shift: shift))
        case .rescale(let factor): (.rescale, LayerFields(factors: [factor]))
        case .gather(let places): (.gather, LayerFields(places: places))
        case .constant(let values): (.constant, LayerFields(table: values))
        case .subtract(let left, let right, let sum): (.subtract, LayerFields(factors: [left, right, sum]))
        case .multiply(let factor): (.multiply, LayerFields(factors: [factor]))
        case .multiplyOnce(let factor): (.multiplyOnce, LayerFields(factors: [factor]))
        case .divide(let factor): (.divide, LayerFields(factors: [factor]))
        case .maximum: (.maximum, LayerFields())
        case .minimum: (.minimum, LayerFields())
        case .matrixProduct(let factor): (.matrixProduct, LayerFields(factors: [factor]))
        case .matrixProductOnce(let factor): (.matrixProductOnce, LayerFields(factors: [factor]))
        case .softmax(let factor): (.softmax, LayerFields(factors: [factor]))
        case .scaledSoftmax(let factor, let output): (.scaledSoftmax, LayerFields(factors: [factor, output]))
        case .forest(let forest): (.forest, LayerFields(factors: [forest.multiplier], forest: forest))
        case .normalisation(let factor, let epsilon): (.normalisation, LayerFields(factors: [factor, epsilon]))
        case .scaledNormalisation(let factor, let epsilon, let weights):
            (.scaledNormalisation, LayerFields(weights: [weights], factors: [factor, epsilon]))
        case .rootMeanSquare(let factor, let epsilon): (.rootMeanSquare, LayerFields(factors: [factor, epsilon]))
        case .supportVectors(let support): (.supportVectors, LayerFields(factors: [support.argument], support: support))
        }
    }

    /// Of a file's layer.
    ///
    /// - Throws: `.badData` naming what is missing.
    init(_ kind: LayerKind, _ layer: inout LayerReader) throws(Fault) {
        self =
            switch kind {
            case .dense: .dense(try layer.weights())
            case .convolution: .convolution(try layer.weights(), try layer.need(.window, layer.entry.window))
            case .depthwise: .depthwise(try layer.weights(), try layer.need(.window, layer.entry.window))
            case .lstm:
                .lstm(
                    LSTM(
                        weights: try layer.weights(), recurrent: try layer.recurrentWeights(),
                        cellFraction: try layer.need(.cellFraction, layer.entry.cellFraction),
                        cellClip: layer.entry.cellClip ?? 0, multiplier: try layer.factor(0)))
            case .gru:
                .gru(
                    GRU(
                        weights: try layer.weights(), recurrent: try layer.recurrentWeights(), multiplier: try layer.factor(0),
                        resetAfter: layer.entry.resetAfter ?? false))
            case .averagePool: .averagePool(try layer.need(.window, layer.entry.window))
            case .maxPool: .maxPool(try layer.need(.window, layer.entry.window))
            case .mean: .mean(try layer.factor(0))
            case .add: .add(try layer.factor(0), try layer.factor(1), try layer.factor(2))
            case .concatenation: .concatenation(axis: try layer.need(.axis, layer.entry.axis))
            case .slice: .slice(first: try layer.need(.first, layer.entry.first))
            case .lookup: .lookup(try layer.table(layer.entry.type == .int8 ? 256 : 513))
            case .sigmoid: .sigmoid(factor: try layer.need(.factor, layer.entry.factor), shift: try layer.need(.shift, layer.entry.shift))
            case .tanh: .tanh(factor: try layer.need(.factor, layer.entry.factor), shift: try layer.need(.shift, layer.entry.shift))
            case .rescale: .rescale(try layer.factor(0))
            case .gather: .gather(try layer.places())
            case .constant: .constant(try layer.table(layer.entry.elements))
            case .subtract: .subtract(try layer.factor(0), try layer.factor(1), try layer.factor(2))
            case .multiply: .multiply(try layer.factor(0))
            case .multiplyOnce: .multiplyOnce(try layer.factor(0))
            case .divide: .divide(try layer.factor(0))
            case .maximum: .maximum
            case .minimum: .minimum
            case .matrixProduct: .matrixProduct(try layer.factor(0))
            case .matrixProductOnce: .matrixProductOnce(try layer.factor(0))
            case .softmax: .softmax(try layer.factor(0))
            case .scaledSoftmax: .scaledSoftmax(try layer.factor(0), output: try layer.factor(1))
            case .forest: .forest(try layer.forest())
            case .normalisation: .normalisation(try layer.factor(0), epsilon: try layer.factor(1))
            case .scaledNormalisation:
                .scaledNormalisation(try layer.factor(0), epsilon: try layer.factor(1), try layer.weights())
            case .rootMeanSquare: .rootMeanSquare(try layer.factor(0), epsilon: try layer.factor(1))
            case .supportVectors: .supportVectors(try layer.supportVectors())
            }
    }
}
