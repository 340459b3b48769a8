/// A window and what the network makes of it, bit for bit: the file's own proof that this machine computes as it should.
public struct GoldenPair: Sendable, Equatable {
    /// Q3.12 g, x, y, z interleaved.
    public var input: [Int16]
    /// The last layer's integers.
    public var output: [Int16]
    /// Q0.15.
    public var probabilities: [Int16]

    public init(input: [Int16], output: [Int16], probabilities: [Int16]) {
        self.input = input
        self.output = output
        self.probabilities = probabilities
    }
}

/// How the last layer's integers become probabilities.
public enum NetworkOutput: String, Sendable, CaseIterable {
    /// Soft-max is the network's end.
    case softmax
    /// Each output is a probability of its own.
    case independent
    /// The last layer's numbers are what the network gives; decisions take their soft-max.
    case logits
}

/// Whether LSTM layers remember what came before a window.
public enum NetworkState: String, Sendable, CaseIterable {
    /// State goes on from window to window, until a gap.
    case kept
    /// Every window begins anew.
    case fresh
}

/// A quantised network with everything needed to run it on windows of movement. See ``NetworkFile`` for its form on disk.
public struct Network: Sendable, Equatable {
    public var labels: [String]
    /// Samples of a window at 50 Hz.
    public var window: Int
    /// Samples between two windows.
    public var hop: Int
    /// k of the weights, 2 ... 16; the paper's parameter.
    public var bits: Int
    /// Of the model; never goes down within a fleet.
    public var version: Int
    /// Seconds since 1970 after which it should no longer be used.
    public var expires: Int?
    public var inputKind: NetworkInput
    /// What goes in; its real numbers are g where it is raw.
    public var input: Tensor
    /// From Q3.12 g to the input's integers.
    public var inputMultiplier: Multiplier
    public var layers: [Layer]
    public var output: NetworkOutput
    public var state: NetworkState
    public var golden: GoldenPair?
    /// Of what it was trained on, to learn more classes beside.
    public var exemplars: Exemplars?

    public init(
        labels: [String], window: Int, hop: Int, bits: Int, version: Int = 1, expires: Int? = nil, inputKind: NetworkInput = .raw, input: Tensor,
        layers: [Layer], output: NetworkOutput = .softmax, state: NetworkState = .kept, golden: GoldenPair? = nil
    ) {
        self.labels = labels
        self.window = window
        self.hop = hop
        self.bits = bits
        self.version = version
        self.expires = expires
        self.inputKind = inputKind
        self.input = input
        inputMultiplier = Multiplier(1 / (4096 * input.quantisation.scale))
        self.layers = layers
        self.output = output
        self.state = state
        self.golden = golden
    }

    public var inputs: Int { input.count }
    public var outputs: Int { last.count }
    /// The last layer's output, or the input where there is no layer.
    public var last: Tensor { layers.last?.output ?? input }
    /// Of the last layer's integers, as gw_network_spec has it for soft-max.
    var outputMultiplier: Multiplier { Multiplier(last.quantisation.scale * (last.type == .int8 ? 1 : 6553.5)) }
    /// The same, forgetting before every window what came before.
    public var forgetting: Network {
        var network = self
        network.state = .fresh
        return network
    }

    /// Whether it has a layer that remembers.
    public var isSequential: Bool { layers.contains { $0.operation.remembers } }

    /// Multiply-accumulates of one inference, layer by layer.
    public var layerOperations: [Int] { layers.map { $0.operations(tensor($0.sources.first ?? 0)) } }
    public var operations: Int { layerOperations.reduce(0, +) }
    /// Bytes of weights, biases, multipliers and tables in the file, layer by layer.
    public var layerBytes: [Int] {
        layers.map { layer in
            if case .lookup(let table) = layer.operation { return table.count * (layer.output.type == .int8 ? 1 : 2) }
            let type = tensor(layer.sources.first ?? 0).type
            return layer.weights.reduce(0) { $0 + $1.bytes(beside: type) }
        }
    }
    public var bytes: Int { layerBytes.reduce(0, +) }

    /// 0: the input; n: the output of layer n - 1.
    public func tensor(_ index: Int) -> Tensor { layers.indices.contains(index - 1) ? layers[index - 1].output : input }
}
