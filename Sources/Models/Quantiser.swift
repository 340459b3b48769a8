/// A dense layer before quantisation.
public struct FloatLayer: Sendable, Equatable {
    public var inputs: Int
    public var outputs: Int
    /// [outputs][inputs]
    public var weights: [Float]
    /// [outputs]
    public var bias: [Float]
    public var activation: LayerActivation

    public init(inputs: Int, outputs: Int, weights: [Float], bias: [Float], activation: LayerActivation) {
        self.inputs = inputs
        self.outputs = outputs
        self.weights = weights
        self.bias = bias
        self.activation = activation
    }
}

/// What calibration data showed of a place between two layers.
public struct Calibration: Sendable, Equatable {
    /// Of all values there; before a sigmoid, after a ReLU.
    public var range: ClosedRange<Double>
    /// Of each value.
    public var means: [Double]
    /// Largest magnitude of each value.
    public var peaks: [Double]

    public init(range: ClosedRange<Double>, means: [Double], peaks: [Double]) {
        self.range = range
        self.means = means
        self.peaks = peaks
    }
}

/// Float layers to int8 arithmetic, after training: symmetric k-bit weights with one scale per output, int8 activations whose
/// ranges were seen on calibration data, rounding to nearest. Each bias takes up what rounding its weights changes for the
/// mean input, which matters below 8 bits. Units between two layers are first brought to like ranges, since they share a scale.
///
/// Source: TFLite's quantisation specification; k as in the paper; biases and ranges as in Nagel et al., "Data-free
/// quantization through weight equalization and bias correction", ICCV 2019.
public enum Quantiser {
    /// - Parameters:
    ///   - places: what calibration saw at the input and after each layer: one more than layers.
    ///   - bits: k, 2 ... 8.
    public static func quantise(_ layers: [FloatLayer], _ places: [Calibration], bits: Int) -> (input: Quantisation, layers: [DenseLayer]) {
        precondition((2...8).contains(bits) && places.count == layers.count + 1)
        var layers = layers, places = places
        for index in layers.indices.dropLast() where layers[index].activation == .relu {
            (layers[index], layers[index + 1], places[index + 1]) = equalised(layers[index], layers[index + 1], places[index + 1])
        }
        let first = Quantisation(covering: places[0].range)
        var previous = first, result: [DenseLayer] = []
        for (index, layer) in layers.enumerated() {
            let output = Quantisation(covering: places[index + 1].range)
            let dense = quantise(layer, input: previous, means: places[index].means, output: output, bits: bits)
            result.append(dense)
            previous = dense.visible
        }
        return (first, result)
    }

    // ReLU(s x) = s ReLU(x): a unit's values are divided by s and the weights that read it multiplied, so that peak and
    // weights become equally large. The network computes the same.
    private static func equalised(_ layer: FloatLayer, _ next: FloatLayer, _ place: Calibration) -> (FloatLayer, FloatLayer, Calibration) {
        var layer = layer, next = next, place = place
        for unit in 0..<layer.outputs {
            let heaviest = (0..<next.outputs).reduce(0) { max($0, Double(next.weights[$1 * next.inputs + unit].magnitude)) }
            guard place.peaks[unit] > 0, heaviest > 0 else { continue }
            let factor = (place.peaks[unit] / heaviest).squareRoot()
            for input in 0..<layer.inputs { layer.weights[unit * layer.inputs + input] /= Float(factor) }
            layer.bias[unit] /= Float(factor)
            for output in 0..<next.outputs { next.weights[output * next.inputs + unit] *= Float(factor) }
            place.peaks[unit] /= factor
            place.means[unit] /= factor
        }
        place.range = 0...place.peaks.reduce(0, max)
        return (layer, next, place)
    }

    private static func quantise(
        _ layer: FloatLayer, input: Quantisation, means: [Double], output: Quantisation, bits: Int
    ) -> DenseLayer {
        precondition(means.count == layer.inputs)
        let limit = Double((1 << (bits - 1)) - 1)
        var dense = DenseLayer(
            inputs: layer.inputs, outputs: layer.outputs, weights: [], bias: [], multipliers: [], output: output, activation: layer.activation)
        for row in 0..<layer.outputs {
            let weights = layer.weights[row * layer.inputs..<(row + 1) * layer.inputs]
            let largest = Double(weights.reduce(0) { max($0, $1.magnitude) })
            let scale = largest > 0 ? largest / limit : 1
            let rounded = weights.map { max(-limit, min(limit, (Double($0) / scale).rounded())) }
            let change = zip(zip(weights, rounded), means).reduce(0) { $0 + (Double($1.0.0) - $1.0.1 * scale) * $1.1 }
            dense.weights += rounded.map { Int8($0) }
            let bias = ((Double(layer.bias[row]) + change) / (input.scale * scale)).rounded()
            dense.bias.append(Int32(max(-0x1p31, min(0x1p31 - 1, bias))))
            dense.multipliers.append(Multiplier(input.scale * scale / output.scale))
        }
        return dense
    }
}
