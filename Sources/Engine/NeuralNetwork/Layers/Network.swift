/// A window and what the network makes of it, bit for bit: the file's own proof that this machine computes as it should.
package struct GoldenPair: Sendable, Equatable {
    /// Q3.12 g, x, y, z interleaved.
    package var input: [Int16]
    /// The last layer's integers.
    package var output: [Int16]
    /// Q0.15.
    package var probabilities: [Int16]

    package init(input: [Int16], output: [Int16], probabilities: [Int16]) {
        self.input = input
        self.output = output
        self.probabilities = probabilities
    }
}

/// How the last layer's integers become probabilities.
package enum NetworkOutput: String, Sendable, CaseIterable {
    /// Soft-max is the network's end.
    case softmax
    /// Each output is a probability of its own.
    case independent
    /// The last layer's numbers are what the network gives; decisions take their soft-max.
    case logits
}

/// Whether LSTM layers remember what came before a window.
package enum NetworkState: String, Sendable, CaseIterable {
    /// State goes on from window to window, until a gap.
    case kept
    /// Every window begins anew.
    case fresh
}

/// A quantised network with everything needed to run it on windows of movement. See ``NetworkFile`` for its form on disk.
package struct Network: Sendable, Equatable {
    package var labels: [String]
    /// Samples of a window at 50 Hz.
    package var window: Int
    /// Samples between two windows.
    package var hop: Int
    /// k of the weights, 2 ... 16; the paper's parameter.
    package var bits: Int
    /// Of the model; never goes down within a fleet.
    package var version: Int
    /// Seconds since 1970 after which it should no longer be used.
    package var expires: Int?
    package var inputKind: NetworkInput
    /// What goes in; its real numbers are g where it is raw.
    package var input: Tensor
    /// From Q3.12 g to the input's integers.
    package var inputMultiplier: Multiplier
    /// What becomes of each row of ``NetworkInput/features`` before it is quantised.
    package var inputScaling = InputScaling.none
    package var layers: [Layer]
    package var output: NetworkOutput
    package var state: NetworkState
    package var golden: GoldenPair?
    /// Of what it was trained on, to learn more classes beside.
    package var exemplars: Exemplars?
    /// What tells windows of other activities; optional.
    package var prototypes: Prototypes?
    /// Of a network on ``NetworkInput/worn``.
    package var wearing: WearingNetworks?
    /// What decides before it, where that is sure enough; optional.
    package var first: FirstNetwork?
    /// Whose recordings it was trained on, as "set/person", and at which places of the body; empty where that is not known.
    package var trainedOn: [String] = [], placements: [String] = []

    package init(
        labels: [String], window: Int, hop: Int, bits: Int, version: Int = 1, expires: Int? = nil, inputKind: NetworkInput = .raw,
        input: Tensor,
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

    package var inputs: Int { input.count }
    /// Numbers of a row of ``NetworkInput/features``; as many as there are inputs elsewhere.
    package var columns: Int { inputScaling.columns(of: inputs) }
    package var outputs: Int { last.count }
    /// The last layer's output, or the input where there is no layer.
    package var last: Tensor { layers.last?.output ?? input }
    /// What the last layer reads.
    package var lastSource: Tensor { tensor(layers.last?.sources.first ?? 0) }
    /// Of the last layer's integers, as gw_network_spec has it for soft-max.
    package var outputMultiplier: Multiplier { last.softmaxMultiplier }
    /// The same, forgetting before every window what came before.
    package var forgetting: Network {
        var network = self
        network.state = .fresh
        return network
    }

    /// Whether it has a layer that remembers.
    package var isSequential: Bool { layers.contains { $0.operation.isRecurrent } }

    package var hasForest: Bool { layers.contains { $0.kind == .forest } }

    /// Elements of the input that are gone with the next window; 0 where windows do not overlap, or are no samples one after the other.
    package var advance: Int { inputKind == .raw && hop < window ? hop * (inputs / window) : 0 }

    /// Multiply-accumulates of one inference, layer by layer.
    package var layerOperations: [Int] { layers.map { $0.operations(tensor($0.sources.first ?? 0)) } }
    package var operations: Int { layerOperations.reduce(0, +) }
    /// Bytes of weights, biases, multipliers and tables in the file, layer by layer.
    package var layerBytes: [Int] {
        layers.map { layer in
            let fields = layer.operation.fields, type = tensor(layer.sources.first ?? 0).type
            let tables = (fields.table?.count ?? 0) * layer.output.type.size + (fields.places?.count ?? 0) * 4
            let vectors = (fields.forest?.bytes ?? 0) + (fields.support?.bytes ?? 0)
            return fields.weights.reduce(tables + vectors) { $0 + $1.bytes(beside: type) }
        }
    }
    package var bytes: Int { layerBytes.reduce(0, +) }

    /// The input's integers of a row of numbers in their own units.
    package func integers(of row: [Double]) -> [Int16] { inputScaling.scaled(row).map { input.quantised($0) } }

    /// 0: the input; n: the output of layer n - 1.
    package func tensor(_ index: Int) -> Tensor { layers.indices.contains(index - 1) ? layers[index - 1].output : input }
}
