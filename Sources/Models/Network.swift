/// What follows a dense layer's sums.
public enum LayerActivation: String, Sendable, Codable, CaseIterable {
    case linear, relu, sigmoid
}

/// A dense layer in TFLite's int8 quantisation.
public struct DenseLayer: Sendable, Equatable {
    public var inputs: Int
    public var outputs: Int
    /// [outputs][inputs], -127 ... 127, zero point 0, one scale per output.
    public var weights: [Int8]
    /// [outputs], in input scale x weight scale.
    public var bias: [Int32]
    /// [outputs]: input scale x weight scale / output scale.
    public var multipliers: [Multiplier]
    /// Of the requantised sums; before the table when the activation is a sigmoid.
    public var output: Quantisation
    public var activation: LayerActivation

    public init(
        inputs: Int, outputs: Int, weights: [Int8], bias: [Int32], multipliers: [Multiplier], output: Quantisation,
        activation: LayerActivation
    ) {
        self.inputs = inputs
        self.outputs = outputs
        self.weights = weights
        self.bias = bias
        self.multipliers = multipliers
        self.output = output
        self.activation = activation
    }

    /// What the next layer reads: the sigmoid's table has a scale of its own.
    public var visible: Quantisation { activation == .sigmoid ? Quantisation(scale: 1.0 / 256, zeroPoint: -128) : output }

    /// Multiply-accumulates of one inference.
    public var operations: Int { inputs * outputs }
    /// Bytes of weights, biases and multipliers in the file.
    public var bytes: Int { weights.count + 9 * outputs }
}

/// A window and what the network makes of it, bit for bit: the file's own proof that this machine computes as it should.
public struct GoldenPair: Sendable, Equatable {
    /// Q3.12 g, x, y, z interleaved.
    public var input: [Int16]
    /// The last layer's int8.
    public var output: [Int8]
    /// Q0.15.
    public var probabilities: [Int16]

    public init(input: [Int16], output: [Int8], probabilities: [Int16]) {
        self.input = input
        self.output = output
        self.probabilities = probabilities
    }
}

/// What a network's inputs are.
public enum NetworkInput: String, Sendable, CaseIterable {
    /// The window itself: x, y, z of each sample, g.
    case raw
    /// Numbers that somebody computed: it can predict, and not yet run on a sensor.
    case features
}

/// A quantised network with everything needed to run it on windows of movement. See ``NetworkFile`` for its form on disk.
public struct Network: Sendable, Equatable {
    public var labels: [String]
    /// Samples of a window at 50 Hz.
    public var window: Int
    /// Samples between two windows.
    public var hop: Int
    /// k of the weights, 2 ... 8; the paper's parameter.
    public var bits: Int
    /// Of the model; never goes down within a fleet.
    public var version: Int
    /// Seconds since 1970 after which it should no longer be used.
    public var expires: Int?
    public var inputKind: NetworkInput
    /// Of the first layer's int8 input; real numbers are g where it is raw.
    public var input: Quantisation
    /// From Q3.12 g to the first layer's int8.
    public var inputMultiplier: Multiplier
    public var layers: [DenseLayer]
    public var golden: GoldenPair?

    public init(
        labels: [String], window: Int, hop: Int, bits: Int, version: Int = 1, expires: Int? = nil, inputKind: NetworkInput = .raw, input: Quantisation,
        layers: [DenseLayer], golden: GoldenPair? = nil
    ) {
        self.labels = labels
        self.window = window
        self.hop = hop
        self.bits = bits
        self.version = version
        self.expires = expires
        self.inputKind = inputKind
        self.input = input
        inputMultiplier = Multiplier(1 / (4096 * input.scale))
        self.layers = layers
        self.golden = golden
    }

    public var inputs: Int { layers.first?.inputs ?? 0 }
    public var outputs: Int { layers.last?.outputs ?? 0 }
    public var operations: Int { layers.reduce(0) { $0 + $1.operations } }
    public var bytes: Int { layers.reduce(0) { $0 + $1.bytes } }
}
