internal import Conversion
internal import NeuralNetwork
internal import Support

/// The network over windows in a row, while it learns: three convolutions over a window's samples, mean and largest value of each
/// channel, a dense layer, an LSTM that goes on from window to window, and a dense layer on what both give.
struct SequenceNetwork {
    /// Sizes of the layers.
    struct Sizes {
        var channels = [16, 32, 48]
        var dense = 32
        var units = 32
    }

    /// What a batch is to be taken for.
    struct Targets {
        /// What is not to be learnt from: no window there, or one that no label covers.
        static let nothing = -1
        /// What no class is to be taken for: all of them are to seem equally likely.
        static let outlier = -2

        /// Class of each window, or one of the above.
        var labels: [Int]
        /// Share of each target that is spread over all classes.
        var smoothing: Float
        /// Extra weight of the first window of each sequence, which knows of none before it.
        var first: Float
    }

    let window: Int
    private let sizes: Sizes
    private let classes: Int
    var convolutions: [ConvolutionLayer] = []
    var dense: TrainableLayer
    var lstm: LSTMLayer
    var last: TrainableLayer
    private var adam = Adam()
    /// The input and what each convolution gives, and the errors of the latter: kept from batch to batch, for they are large.
    private var maps: [Rows] = []
    private var errors: [Rows] = []

    init(window: Int, classes: Int, sizes: Sizes = Sizes(), _ random: inout RandomNumbers) {
        (self.window, self.classes, self.sizes) = (window, classes, sizes)
        var inputs = 3
        for outputs in sizes.channels {
            convolutions.append(ConvolutionLayer(inputs: inputs, outputs: outputs, &random))
            inputs = outputs
        }
        dense = TrainableLayer(inputs: 2 * inputs, outputs: sizes.dense, &random)
        lstm = LSTMLayer(inputs: sizes.dense, units: sizes.units, &random)
        last = TrainableLayer(
            inputs: sizes.units + sizes.dense, outputs: classes, deviation: 1 / Double(sizes.units + sizes.dense).squareRoot(), &random)
    }

    /// Rows of zeros around a window's samples, as the first convolution wants them.
    static func inputs(windows: Int, length: Int) -> Rows {
        Rows(windows: windows, length: length, channels: 3, border: ConvolutionLayer.border)
    }

    /// Learns from a batch of sequences of `steps` windows each; the windows of a step lie together.
    ///
    /// - Parameter dropout: share of the numbers before and after the dense layer that are left out.
    mutating func step(
        _ input: Rows, steps: Int, _ targets: Targets, rate: Float, decay: Float, dropout: Double, _ random: inout RandomNumbers
    ) {
        takeGradients(input, steps: steps, targets, dropout: dropout, &random)
        update(rate: rate, decay: decay)
    }

    /// The loss's gradients, in every layer's moments.
    mutating func takeGradients(_ input: Rows, steps: Int, _ targets: Targets, dropout: Double, _ random: inout RandomNumbers) {
        let batch = input.windows / steps
        prepare(input)
        for (index, layer) in convolutions.enumerated() {
            let source = maps[index]
            layer.forward(source, into: &maps[index + 1])
        }
        var (pooled, places) = Self.pool(maps[maps.count - 1])
        let before = Self.mask(pooled, dropout, &random)
        pooled.multiply(before)
        var encoded = Matrix(input.windows, sizes.dense)
        dense.forward(pooled, into: &encoded, floor: 0)
        let after = Self.mask(encoded, dropout, &random)
        encoded.multiply(after)
        let inputs = encoded.split(steps)
        let joined = Matrix(joining: Matrix(stacking: lstm.forward(inputs)), encoded)
        var error = Matrix(input.windows, classes)
        last.forward(joined, into: &error)
        Self.subtractTargets(&error, targets, batch: batch)

        var joinedError = Matrix(joined.rows, joined.columns)
        last.backward(joined, error, into: &joinedError)
        let (hiddenError, direct) = joinedError.parted(at: sizes.units)
        var encodedError = Matrix(stacking: lstm.backward(inputs, hiddenError.split(steps)))
        encodedError.add(direct)
        encodedError.multiply(after)
        encodedError.clear(where: encoded, rows: encoded.rows)
        var pooledError = Matrix(pooled.rows, pooled.columns)
        dense.backward(pooled, encodedError, into: &pooledError)
        pooledError.multiply(before)
        Self.unpool(pooledError, places, into: &errors[errors.count - 1])
        for index in convolutions.indices.reversed() {
            convolutions[index].takeGradient(maps[index], maps[index + 1], &errors[index])
            guard index > 0 else { continue }
            let error = errors[index]
            convolutions[index].backward(error, into: &errors[index - 1])
        }
    }

    private mutating func prepare(_ input: Rows) {
        if maps.first?.windows == input.windows {
            maps[0] = input
            return
        }
        maps = [input]
        for layer in convolutions {
            let border = maps.count == convolutions.count ? 0 : ConvolutionLayer.border, length = (maps[maps.count - 1].length + 1) / 2
            maps.append(Rows(windows: input.windows, length: length, channels: layer.outputs, border: border))
        }
        errors = Array(maps.dropFirst())
    }

    /// The mean of every channel, then its largest value with the row where that is.
    private static func pool(_ map: Rows) -> (Matrix, places: [Int]) {
        var pooled = Matrix(map.windows, 2 * map.channels), places = [Int](repeating: 0, count: map.windows * map.channels)
        for window in 0..<map.windows {
            for channel in stride(from: 0, to: map.channels, by: 16) {
                var sum = SIMD16<Float>.zero, most = SIMD16<Float>(repeating: -.infinity), place = SIMD16<Int32>.zero
                for row in 0..<map.length {
                    let value = map.sixteen(map.start(window) + row * map.channels + channel), isMore = value .> most
                    sum += value
                    most.replace(with: value, where: isMore)
                    place.replace(with: Int32(row), where: isMore)
                }
                sum /= Float(map.length)
                for offset in 0..<16 {
                    pooled[window, channel + offset] = sum[offset]
                    pooled[window, map.channels + channel + offset] = most[offset]
                    places[window * map.channels + channel + offset] = Int(place[offset])
                }
            }
        }
        return (pooled, places)
    }

    private static func unpool(_ error: Matrix, _ places: [Int], into map: inout Rows) {
        for window in 0..<map.windows {
            for channel in 0..<map.channels {
                let mean = error[window, channel] / Float(map.length), start = map.start(window) + channel
                for row in 0..<map.length { map.values[start + row * map.channels] = mean }
                map.values[start + places[window * map.channels + channel] * map.channels] += error[window, map.channels + channel]
            }
        }
    }

    // 0 for what is left out, and what makes up for it for the rest.
    private static func mask(_ matrix: Matrix, _ dropout: Double, _ random: inout RandomNumbers) -> Matrix {
        var mask = matrix
        let kept = Float(1 / (1 - dropout)), limit = UInt64(dropout * 65536)
        for row in 0..<matrix.rows {
            for column in stride(from: 0, to: matrix.columns, by: 4) {
                let bits = random.next()
                for offset in 0..<min(4, matrix.columns - column) {
                    mask[row, column + offset] = bits >> (16 * UInt64(offset)) & 0xffff < limit ? 0 : kept
                }
            }
        }
        return mask
    }

    // Scores to the errors of soft-max cross-entropy: the mean over all windows, and over the first ones.
    private static func subtractTargets(_ scores: inout Matrix, _ targets: Targets, batch: Int) {
        let labels = targets.labels
        let all = max(1, labels.count { $0 != Targets.nothing }), firsts = max(1, labels.prefix(batch).count { $0 != Targets.nothing })
        for (row, label) in labels.enumerated() {
            let isLearnt = label != Targets.nothing, spread = label == Targets.outlier ? 1 : targets.smoothing
            let weight = 1 / Float(all) + (row < batch ? targets.first / Float(firsts) : 0)
            scores.subtractTargets(row, label: label, spread: spread) { isLearnt ? $0 * weight : 0 }
        }
    }

    // With the gradient's length limited to 1.
    private mutating func update(rate: Float, decay: Float) {
        var squares = dense.squaredGradient + last.squaredGradient + lstm.input.squaredGradient + lstm.recurrent.squaredGradient
        for layer in convolutions { squares += layer.learnt.squaredGradient }
        let factor = Float(min(1, 1 / max(squares.squareRoot(), 1e-12)))
        adam.step(rate: rate)
        let adam = adam
        func apply(_ layer: inout TrainableLayer) {
            if factor < 1 { layer.scaleGradient(factor) }
            layer.update(adam, decay: decay)
        }
        for index in convolutions.indices { apply(&convolutions[index].learnt) }
        apply(&dense)
        apply(&lstm.input)
        apply(&lstm.recurrent)
        apply(&last)
    }

    /// The network as the quantiser takes it, one window at a time, in the unit that `scale` was applied to.
    func graph(scale: Float) -> FloatGraph {
        var graph = FloatGraph(input: FloatShape(width: window, channels: 3)), length = window
        for (index, layer) in convolutions.enumerated() {
            var sliding = KernelShape(height: 1, width: ConvolutionLayer.taps)
            (sliding.strideWidth, sliding.left) = (ConvolutionLayer.step, ConvolutionLayer.border)
            length = (length + 1) / 2
            graph.append(
                .convolution(layer.learnt.floats(scale: index == 0 ? scale : 1), sliding),
                FloatShape(width: length, channels: layer.outputs))
            graph.appendCurve(.relu)
        }
        let maps = graph.layers.count, channels = graph.last.channels
        graph.layers.append(FloatLayer(.mean, sources: [maps], shape: FloatShape(channels: channels)))
        graph.layers.append(
            FloatLayer(.maxPool(KernelShape(height: 1, width: length)), sources: [maps], shape: FloatShape(channels: channels)))
        graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [maps + 1, maps + 2], shape: FloatShape(channels: 2 * channels)))
        graph.appendDense(dense.floats())
        graph.appendCurve(.relu)
        let encoded = graph.layers.count
        graph.append(.lstm(FloatLSTM(weights: lstm.input.floats(), recurrent: lstm.recurrent.floats())), FloatShape(channels: sizes.units))
        graph.layers.append(
            FloatLayer(.concatenation(axis: 2), sources: [encoded + 1, encoded], shape: FloatShape(channels: sizes.units + sizes.dense)))
        graph.appendDense(last.floats())
        return graph
    }
}

extension TrainableLayer {
    /// With the inputs in another unit, of which `scale` makes the one that was learnt in.
    fileprivate func floats(scale: Float = 1) -> FloatWeights {
        let values = (0..<weights.columns).flatMap { output in (0..<weights.rows).map { weights[$0, output] * scale } }
        return FloatWeights(inputs: weights.rows, outputs: weights.columns, values: values, bias: (0..<weights.columns).map { bias[0, $0] })
    }
}
