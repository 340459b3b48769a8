internal import Conversion
internal import NeuralNetwork
internal import Support

/// The network over windows in a row, while it learns: three convolutions over a window's samples, mean and largest value of each
/// channel, a dense layer, an LSTM that goes on from window to window, and a dense layer on what both give.
struct SequenceNetwork {
    /// Sizes of the layers.
    struct Sizes {
        var channels = [16, 32, 48]
        var head = RecurrentHead.Sizes()
    }

    typealias Targets = RecurrentHead.Targets

    let window: Int
    var convolutions: [ConvolutionLayer] = []
    var head: RecurrentHead
    private var adam = Adam()
    /// The input and what each convolution gives, and the errors of the latter: kept from batch to batch, for they are large.
    private var maps: [Rows] = []
    private var errors: [Rows] = []

    init(window: Int, classes: Int, sizes: Sizes = Sizes(), _ random: inout RandomNumbers) {
        self.window = window
        var inputs = 3
        for outputs in sizes.channels {
            convolutions.append(ConvolutionLayer(inputs: inputs, outputs: outputs, &random))
            inputs = outputs
        }
        head = RecurrentHead(inputs: 2 * inputs, classes: classes, sizes: sizes.head, &random)
    }

    /// Rows of zeros around a window's samples, as the first convolution takes them.
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
        prepare(input)
        for (index, layer) in convolutions.enumerated() {
            let source = maps[index]
            layer.forward(source, into: &maps[index + 1])
        }
        let (pooled, places) = Self.pool(maps[maps.count - 1])
        let pooledError = head.takeGradients(pooled, steps: steps, targets, dropout: (dropout, dropout), &random)
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

    // With the gradient's length limited to 1.
    private mutating func update(rate: Float, decay: Float) {
        let squares = convolutions.reduce(head.squaredGradient) { $0 + $1.learnt.squaredGradient }
        let factor = Float(min(1, 1 / max(squares.squareRoot(), 1e-12)))
        adam.step(rate: rate)
        for index in convolutions.indices { convolutions[index].learnt.update(adam, factor: factor, decay: decay) }
        head.update(adam, factor: factor, decay: decay)
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
        head.append(to: &graph, first: head.dense.floats())
        return graph
    }
}
