package import NeuralNetwork
package import Support

/// A quantised network's weights as floats, in a safetensors file with the names that ``SafetensorsImport`` reads: a dense layer i as
/// "i.weight" [outputs, inputs] and "i.bias", LSTM layers as "lstm.weight_ih_l0", ...; convolutions as "i.weight" [outputs, height,
/// width, inputs]; GRU layers as "i.weight", "i.bias" and "i.recurrent_weight", rows update, reset, candidate (which is not PyTorch's
/// GRU). Its metadata has the labels and the curves between the layers, which the tensors do not tell.
package enum FloatExport {
    /// - Throws: `.usage` where weights cannot hold what the input is multiplied with first.
    package static func encode(_ network: Network) throws(Fault) -> [UInt8] {
        let readers = network.layers.indices.filter { network.layers[$0].sources.contains(0) && network.layers[$0].kind != .constant }
        let dense = readers.filter { network.layers[$0].kind == .dense }
        guard network.inputScaling.steps == nil || dense == readers else {
            throw Fault(.usage, "its columns have steps of their own, which such a file cannot hold", remedy: "Export it as onnx.")
        }
        var file = Safetensors(), lstms = 0, curves: [String] = []
        for (index, layer) in network.layers.enumerated() {
            let source = network.tensor(layer.sources.first ?? 0).quantisation.scale, result = layer.output.quantisation.scale
            switch layer.operation {
            case .dense(let weights):
                var floats = weights.real(source: source, result: result)
                if dense.contains(index), let steps = network.inputScaling.steps { floats.take(steps) }
                add(floats, "\(index).weight", "\(index).bias", &file)
            case .convolution(let weights, let sliding):
                add(
                    weights, "\(index).weight", "\(index).bias", source, result, &file,
                    shape: [weights.outputs, sliding.height, sliding.width, weights.inputs / (sliding.height * sliding.width)])
            case .depthwise(let weights, let sliding):
                add(
                    weights, "\(index).weight", "\(index).bias", source, result, &file,
                    shape: [weights.outputs, sliding.height, sliding.width])
            case .lstm(let lstm):
                add(lstm.weights, "lstm.weight_ih_l\(lstms)", "lstm.bias_ih_l\(lstms)", source, 0x1p-12, &file)
                add(lstm.recurrent, "lstm.weight_hh_l\(lstms)", nil, result, 0x1p-12, &file)
                lstms += 1
            case .gru(let gru):
                add(gru.weights, "\(index).weight", "\(index).bias", source, 0x1p-12, &file)
                add(gru.recurrent, "\(index).recurrent_weight", nil, result, 0x1p-12, &file)
            default: curves.append("\(index) \(layer.kind.rawValue)")
            }
            if !layer.activation.isEmpty { curves.append("\(index) \(layer.activation)") }
        }
        file.metadata = ["format": "pt", "labels": network.labels.joined(separator: ","), "other_layers": curves.joined(separator: ", ")]
        return file.encoded()
    }

    /// A float network of dense layers alone.
    package static func encode(_ graph: FloatGraph, labels: [String]) -> [UInt8] {
        var file = Safetensors()
        for (index, layer) in graph.layers.enumerated() {
            guard case .dense(let weights) = layer.operation else { continue }
            add(weights, "\(index).weight", "\(index).bias", &file)
        }
        file.metadata = ["format": "pt", "labels": labels.joined(separator: ",")]
        return file.encoded()
    }

    private static func add(
        _ weights: Weights, _ name: String, _ bias: String?, _ source: Double, _ result: Double, _ file: inout Safetensors,
        shape: [Int]? = nil
    ) {
        add(weights.real(source: source, result: result), name, bias, &file, shape: shape)
    }

    private static func add(_ weights: FloatWeights, _ name: String, _ bias: String?, _ file: inout Safetensors, shape: [Int]? = nil) {
        file.tensors[name] = .init(weights.values, shape: shape ?? [weights.outputs, weights.inputs])
        if let bias { file.tensors[bias] = .init(weights.bias, shape: [weights.outputs]) }
    }
}

extension FloatWeights {
    // For numbers as they are before the input's steps.
    fileprivate mutating func take(_ steps: ColumnSteps) {
        for output in 0..<outputs {
            var moved = 0.0
            for (input, factor) in steps.factors.enumerated() {
                values[output * inputs + input] *= factor
                moved += Double(values[output * inputs + input]) * Double(steps.offsets[input])
            }
            bias[output] = Float(Double(bias[output]) - moved)
        }
    }
}
