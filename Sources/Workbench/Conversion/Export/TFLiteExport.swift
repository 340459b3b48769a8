package import NeuralNetwork
package import Support

/// A quantised network as a .tflite file, one window at a time: its own integers, which are TFLite's, between floats at both ends. LSTM
/// layers compute in float, since LiteRT has none beside int16 numbers; their state stays from one inference to the next.
package struct TFLiteExport {
    let network: Network
    var graph = TFLiteGraph()
    /// Which of the file's tensors holds each of the network's, as [1, channels] or [1, height, width, channels].
    var places: [Int: Int] = [:]

    private init(_ network: Network) { self.network = network }

    /// - Throws: `.usage` naming every layer that LiteRT has no operator for.
    package static func encode(_ network: Network) throws(Fault) -> [UInt8] {
        var export = TFLiteExport(network)
        var refused = network.layers.indices.compactMap { index in export.refusal(index).map { "layer \(index) (\($0))" } }
        if network.inputScaling.hasCopies { refused.append("an input with copies of columns") }
        guard refused.isEmpty else {
            let isForBits = refused.allSatisfy { $0.contains(Self.ofBits) }
            throw Fault(
                .usage, "LiteRT has no operator for \(refused.joined(separator: ", "))",
                remedy: network.hasForest
                    ? "Export it as c-header."
                    : "Export it as onnx or c-header\(isForBits ? ", or import it with --bits 8" : "").")
        }
        export.write()
        return export.graph.model(metadata: ExportMetadata.entries(network))
    }

    /// What a layer is refused for that has too wide weights and is fine otherwise.
    static let ofBits = "with weights of more than 8 bits"

    private mutating func write() {
        let input = network.input, outside = [1] + input.extents
        let given = graph.floats("input", outside), quantised = graph.integers("input_integers", outside, like: input)
        graph.inputs = [given]
        graph.append(.quantize, [scaled(given, outside)], [quantised])
        places[0] = reshaped(quantised, outside, Self.shape(input), like: input, "input")
        for index in network.layers.indices { append(index) }
        let last = network.last
        var result = reshaped(places[network.layers.count] ?? 0, Self.shape(last), [1, last.count], like: last, "flat")
        var end = last
        if network.output == .softmax {
            end.quantisation = .probability(last.type)
            let source = result
            result = graph.integers("softmax", [1, last.count], like: end)
            graph.append(.softmax(last.type), [source], [result])
        }
        let floats = graph.floats(network.output == .logits ? "logits" : "probabilities", [1, last.count])
        graph.append(.dequantize(last.type), [result], [floats])
        graph.outputs = [floats]
    }

    private mutating func scaled(_ input: Int, _ shape: [Int]) -> Int {
        guard let steps = network.inputScaling.steps else { return input }
        var source = input
        if steps.hasOffsets {
            let offsets = graph.constant(floats: steps.offsets, shape, name: "input_offsets")
            source = graph.floats("input_moved", shape)
            graph.append(.subtractFloats, [input, offsets], [source])
        }
        let factors = graph.constant(floats: steps.factors, shape, name: "input_factors")
        let result = graph.floats("input_multiplied", shape)
        graph.append(.multiplyFloats, [source, factors], [result])
        return result
    }

    func tensor(_ index: Int) -> Tensor { network.tensor(index) }

    static func shape(_ tensor: Tensor) -> [Int] {
        tensor.positions == 1 ? [1, tensor.channels] : [1, tensor.height, tensor.width, tensor.channels]
    }

    /// The same integers in another shape.
    mutating func reshaped(_ source: Int, _ old: [Int], _ shape: [Int], like tensor: Tensor, _ name: String) -> Int {
        guard old != shape else { return source }
        let target = graph.constant(shape.map { Int32($0) }, name: "\(name)_shape")
        let result = graph.integers("\(name)_reshaped", shape, like: tensor)
        graph.append(.reshape, [source, target], [result])
        return result
    }
}
