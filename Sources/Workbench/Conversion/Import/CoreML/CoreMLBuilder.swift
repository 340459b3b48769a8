internal import NeuralNetwork
internal import Support

/// Appends Core ML's layers to a graph; every refusal names the layer.
struct CoreMLBuilder {
    let path: String
    private let steps: Int
    private var graph: FloatGraph
    /// The graph's tensor (0: the input) that each of the file's names stands for.
    private var places: [String: Int]
    private let inputs: [String]
    private let outputs: [String]
    private let isSequential: Bool

    static let supported = CoreMLLayer.Kind.allCases.map { "\($0)" }

    init(_ description: CoreMLDescription, _ layers: [CoreMLLayer], path: String, steps: Int) throws(Fault) {
        self.path = path
        self.steps = steps
        let recurrent = layers.filter { $0.kind == .uniDirectionalLSTM || $0.kind == .gru },
            states = Set(recurrent.flatMap { $0.inputs.dropFirst() + $0.outputs.dropFirst() })
        isSequential = !recurrent.isEmpty
        let features = description.inputs.filter { !states.contains($0.name) }
        inputs = features.map(\.name)
        outputs = description.outputs.filter { !states.contains($0) }
        guard let input = features.first, features.count == 1 else {
            throw Fault(.badData, "\(path) has \(features.count) inputs beside states; one can be run")
        }
        // Core ML's arrays are [channels], [channels, height, width] or [steps, batch, channels, height, width]; a layer with a state is
        // fed step by step.
        let extents = input.shape.filter { $0 != 1 }, count = extents.reduce(1.0) { $0 * Double($1) }
        guard extents.allSatisfy({ $0 > 0 }), extents.count <= 1, count <= 4096 else {
            throw Fault(.badData, "\(path) takes an array of shape \(input.shape); a vector can be run")
        }
        let channels = Int(extents.first ?? 1)
        graph = FloatGraph(
            input: isSequential ? FloatShape(width: steps, channels: channels) : FloatShape(channels: channels), output: .logits)
        places = [input.name: 0]
    }

    func bad(_ layer: CoreMLLayer, _ index: Int, _ why: String) -> Fault {
        Fault(
            .badData, "\(path): layer \(index) (\(layer.name)) cannot be run: \(why)",
            remedy: "Supported are \(Self.supported.joined(separator: ", ")).")
    }

    mutating func append(_ layer: CoreMLLayer, _ index: Int) throws(Fault) {
        guard let first = layer.inputs.first, let name = layer.outputs.first, let source = places[first] else {
            throw bad(layer, index, "it reads what no layer before it gives")
        }
        guard graph.output == .logits else { throw bad(layer, index, "it follows a soft-max") }
        let shape = graph.shape(source), before = graph.layers.count
        func add(_ operation: FloatOperation, _ sources: [Int], _ shape: FloatShape) {
            graph.layers.append(FloatLayer(operation, sources: sources, shape: shape))
        }
        let reader = CoreMLWeights(builder: self, layer: layer, index: index)
        switch layer.kind {
        case .innerProduct:
            let weights = try reader.innerProduct()
            guard weights.inputs == shape.channels else {
                throw bad(layer, index, "it takes \(weights.inputs) numbers and gets \(shape.channels)")
            }
            add(.dense(weights), [source], FloatShape(height: shape.height, width: shape.width, channels: weights.outputs))
        case .activation:
            if let curve = try reader.curve(layer.parameters) { add(.curve(curve), [source], shape) }
        case .softmax:
            guard source == graph.layers.count, source > 0 else { throw bad(layer, index, "it is not behind the last layer") }
            graph.output = .softmax
        case .batchnorm: try fold(try reader.batchNorm(channels: shape.channels), into: source, layer, index)
        case .add:
            guard layer.inputs.count == 2, let other = places[layer.inputs[1]], graph.shape(other) == shape else {
                throw bad(layer, index, "it has not two inputs of one shape")
            }
            add(.add, [source, other], shape)
        case .reshape, .flatten: break // vectors stay what they are
        case .uniDirectionalLSTM:
            let weights = try reader.lstm()
            guard weights.weights.inputs == shape.channels else {
                throw bad(layer, index, "it takes \(weights.weights.inputs) numbers and gets \(shape.channels)")
            }
            add(.lstm(weights), [source], FloatShape(width: shape.width, channels: weights.units))
        case .gru:
            let weights = try reader.gru()
            guard weights.weights.inputs == shape.channels else {
                throw bad(layer, index, "it takes \(weights.weights.inputs) numbers and gets \(shape.channels)")
            }
            add(.gru(weights), [source], FloatShape(width: shape.width, channels: weights.units))
        case nil: throw bad(layer, index, "its kind is not supported")
        }
        places[name] = graph.layers.count > before ? graph.layers.count : source
    }

    // scale x + offset for each channel, taken up by the dense layer that alone makes the tensor.
    private mutating func fold(
        _ norm: (scale: [Float], offset: [Float]), into source: Int, _ layer: CoreMLLayer, _ index: Int
    ) throws(Fault) {
        guard source > 0, source == graph.layers.count, case .dense(var weights) = graph.layers[source - 1].operation else {
            throw bad(layer, index, "a batch norm must follow an inner product")
        }
        for output in 0..<weights.outputs {
            for input in 0..<weights.inputs { weights.values[output * weights.inputs + input] *= norm.scale[output] }
            weights.bias[output] = weights.bias[output] * norm.scale[output] + norm.offset[output]
        }
        graph.layers[source - 1].operation = .dense(weights)
    }

    func finished(last: String?, labels: [String]) throws(Fault) -> CoreMLImport.Imported {
        var graph = graph
        guard !graph.layers.isEmpty, let last, places[last] == graph.layers.count else {
            throw Fault(.badData, "\(path) has no layers whose last gives its output")
        }
        if isSequential { Self.keepLastStep(&graph, steps: steps) }
        return CoreMLImport.Imported(graph: graph, labels: labels.isEmpty ? nil : labels, inputs: inputs, outputs: outputs)
    }

    // Behind the last layer that remembers only the last step matters: what comes after it runs once.
    private static func keepLastStep(_ graph: inout FloatGraph, steps: Int) {
        guard let last = graph.layers.lastIndex(where: \.operation.isRecurrent) else { return }
        let slice = FloatLayer(
            .slice(first: steps - 1), sources: [last + 1], shape: FloatShape(channels: graph.layers[last].shape.channels))
        var layers = Array(graph.layers[...last]) + [slice]
        for var layer in graph.layers[(last + 1)...] {
            layer.sources = layer.sources.map { $0 > last ? $0 + 1 : $0 }
            layer.shape = FloatShape(channels: layer.shape.channels)
            layers.append(layer)
        }
        graph.layers = layers
    }
}
