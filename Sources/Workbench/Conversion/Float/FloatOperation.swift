package import NeuralNetwork

/// What a layer does, in floats.
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
    case subtract, multiply, divide, maximum, minimum
    /// Every row of the left source's matrices ([height] of [width][channels]) times every row of the right one's.
    case matrixProduct
    /// Over the channels of every position.
    case softmax
    /// The channels of every position: minus their mean, over the root of their variance and `epsilon`.
    case normalisation(epsilon: Float)
    /// The channels of every position times `gain`, over the root of the mean of their squares and `epsilon`.
    case rootMeanSquare(gain: Float, epsilon: Float)
    case forest(FloatForest)
    case supportVectors(FloatSupportVectors)
}

extension FloatOperation {
    /// Whether it goes from step to step with a state.
    package var isRecurrent: Bool {
        switch self {
        case .lstm, .gru: true
        default: false
        }
    }
}

extension FloatLayer {
    /// Whether it can read tensors of these shapes, and give one of its own.
    func fits(_ sources: [FloatShape]) -> Bool {
        let source = sources[0]
        func fits(_ weights: FloatWeights) -> Bool {
            weights.inputs > 0 && weights.outputs > 0 && weights.values.count == weights.inputs * weights.outputs
                && weights.bias.count == weights.outputs
        }
        switch operation {
        case .dense(let weights):
            return fits(weights) && source.count % weights.inputs == 0 && source.count / weights.inputs * weights.outputs == shape.count
        case .convolution(let weights, let window):
            return fits(weights) && weights.outputs == shape.channels && weights.inputs == window.height * window.width * source.channels
        case .depthwise(let weights, let window):
            return fits(weights) && weights.outputs == shape.channels && weights.inputs == window.height * window.width
                && weights.outputs % source.channels == 0
        case .lstm(let lstm):
            return fits(lstm.weights) && fits(lstm.recurrent) && lstm.weights.inputs == source.channels && lstm.units == shape.channels
                && lstm.weights.outputs == 4 * lstm.units && lstm.recurrent.outputs == 4 * lstm.units && shape.positions == source.positions
        case .gru(let gru):
            return fits(gru.weights) && fits(gru.recurrent) && gru.weights.inputs == source.channels && gru.units == shape.channels
                && gru.weights.outputs == 3 * gru.units && gru.recurrent.outputs == 3 * gru.units && shape.positions == source.positions
        case .averagePool, .maxPool: return shape.channels == source.channels
        case .mean: return shape.count == source.channels
        case .add, .subtract, .multiply, .divide, .maximum, .minimum:
            return sources.count == 2 && sources.allSatisfy { $0.count == shape.count }
        case .concatenation: return sources.count <= 4 && sources.reduce(0) { $0 + $1.count } == shape.count
        case .slice(let first): return first >= 0 && source.channels == shape.channels && first <= source.positions - shape.positions
        case .reshape, .curve: return source.count == shape.count
        case .softmax: return source == shape
        case .normalisation(let epsilon): return source == shape && epsilon >= 0 && epsilon.isFinite
        case .rootMeanSquare(let gain, let epsilon):
            return source == shape && epsilon >= 0 && epsilon.isFinite && gain > 0 && gain.isFinite
        case .gather(let places):
            return places.count == shape.count && places.allSatisfy { (-1..<Int32(clamping: source.count)).contains($0) }
        case .constant(let values): return values.count == shape.count && values.allSatisfy(\.isFinite)
        case .matrixProduct:
            return sources.count == 2 && source.height == shape.height && sources[1].height == shape.height && source.width == shape.width
                && sources[1].width == shape.channels && source.channels == sources[1].channels
        case .forest(let forest):
            return forest.classes == shape.count && forest.features.allSatisfy { $0 < Int16(clamping: source.count) }
                && forest.values.allSatisfy(\.isFinite)
        case .supportVectors(let support): return support.fits(source, shape)
        }
    }

    /// What it gives of its sources, the first of which has the shape `read`. Layers with a state: ``FloatRunner``.
    func run(_ sources: [[Float]], _ read: FloatShape) -> [Float] {
        let source = sources[0]
        switch operation {
        case .dense(let weights): return weights.product(rows: source)
        case .convolution(let weights, let sliding):
            return shape.places.flatMap { weights.product(rows: sliding.patch(source, read, $0)) }
        case .depthwise(let weights, let sliding): return shape.places.flatMap { sliding.depthwise(weights, source, read, $0) }
        case .averagePool(let sliding): return sliding.pooled(source, read, shape) { $0.reduce(0, +) / Float(max($0.count, 1)) }
        case .maxPool(let sliding): return sliding.pooled(source, read, shape) { $0.max() ?? 0 }
        case .mean:
            return (0..<read.channels).map { channel in
                stride(from: channel, to: source.count, by: read.channels).reduce(0) { $0 + source[$1] } / Float(read.positions)
            }
        case .add: return zip(source, sources[1]).map { $0 + $1 }
        case .concatenation(let axis): return shape.joined(sources, along: axis)
        case .slice(let first): return Array(source[first * read.channels..<first * read.channels + shape.count])
        case .reshape: return source
        case .curve(let curve): return source.map { Float(curve.value(Double($0))) }
        case .gather(let places): return places.map { $0 < 0 ? 0 : source[Int($0)] }
        case .constant(let values): return values
        case .subtract: return zip(source, sources[1]).map { $0 - $1 }
        case .multiply: return zip(source, sources[1]).map { $0 * $1 }
        case .divide: return zip(source, sources[1]).map { $0 == 0 && $1 == 0 ? 0 : $0 / $1 } // as the core
        case .maximum: return zip(source, sources[1]).map { max($0, $1) }
        case .minimum: return zip(source, sources[1]).map { min($0, $1) }
        case .matrixProduct: return matrixProduct(source, sources[1], depth: read.channels)
        case .softmax:
            return eachPosition(source, read.channels) { FloatRunner.softmax($0).map { Float($0) } }
        case .normalisation(let epsilon):
            return eachPosition(source, read.channels) { channels in
                let values = channels.map { Double($0) }
                return over(values, about: values.reduce(0, +) / Double(values.count), 1, epsilon)
            }
        case .rootMeanSquare(let gain, let epsilon):
            return eachPosition(source, read.channels) { over($0.map { Double($0) }, about: 0, gain, epsilon) }
        case .forest(let forest): return forest.run(source)
        case .supportVectors(let support): return support.run(source)
        case .lstm, .gru: return []
        }
    }

    private func eachPosition(_ source: [Float], _ channels: Int, _ result: (ArraySlice<Float>) -> [Float]) -> [Float] {
        stride(from: 0, to: source.count, by: channels).flatMap { result(source[$0..<$0 + channels]) }
    }

    // What they are more than `centre`, times `gain`, over the root of the mean of its square and `epsilon`.
    private func over(_ values: [Double], about centre: Double, _ gain: Float, _ epsilon: Float) -> [Float] {
        let square = values.reduce(0) { $0 + ($1 - centre) * ($1 - centre) } / Double(values.count) + Double(epsilon)
        return values.map { square > 0 ? Float(Double(gain) * ($0 - centre) / square.squareRoot()) : 0 }
    }

    private func matrixProduct(_ left: [Float], _ right: [Float], depth: Int) -> [Float] {
        (0..<shape.height).flatMap { matrix in
            (0..<shape.width).flatMap { row in
                (0..<shape.channels).map { column in
                    let a = (matrix * shape.width + row) * depth, b = (matrix * shape.channels + column) * depth
                    return (0..<depth).reduce(0) { $0 + left[a + $1] * right[b + $1] }
                }
            }
        }
    }
}
