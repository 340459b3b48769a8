public import Support

/// Dense layers in float out of a safetensors file, as PyTorch writes a Sequential of Linear layers: "0.weight" [outputs, inputs],
/// "0.bias" [outputs], "2.weight", ... Numbers in the names give the order; what lies between layers is not in the file.
public enum FloatImport {
    /// - Parameter activation: between two layers; the last has none.
    ///
    /// Errors: `.noInput`, `.permission`, `.badData` naming the tensor.
    public static func layers(_ path: String, activation: LayerActivation) throws(Fault) -> [FloatLayer] {
        try layers(try Files.read(path, limit: NetworkFile.sizeLimit), path: path, activation: activation)
    }

    static func layers(_ bytes: [UInt8], path: String, activation: LayerActivation) throws(Fault) -> [FloatLayer] {
        func bad(_ what: String) -> Fault { Fault(.badData, "\(path): \(what)", remedy: "Dense layers are read: N.weight [outputs, inputs] and N.bias [outputs], F32.") }
        let file = try Safetensors(bytes, path: path)
        var layers: [FloatLayer] = [], used = 0
        for name in file.tensors.keys.filter({ $0.hasSuffix("weight") }).sorted(by: inOrder) {
            guard let weight = file.tensors[name], weight.kind == .float32, weight.shape.count == 2, weight.shape.allSatisfy({ (1...4096).contains($0) }) else {
                throw bad("tensor \(name) is not F32 of rank 2, with 1 to 4096 rows and columns")
            }
            let prefix = name.dropLast("weight".count), (outputs, inputs) = (weight.shape[0], weight.shape[1])
            var layer = FloatLayer(
                inputs: inputs, outputs: outputs, weights: weight.float32, bias: [Float](repeating: 0, count: outputs), activation: activation)
            used += 1
            if let bias = file.tensors[prefix + "bias"] {
                guard bias.kind == .float32, bias.shape == [outputs] else { throw bad("tensor \(prefix)bias is not F32 [\(outputs)]") }
                layer.bias = bias.float32
                used += 1
            }
            if let last = layers.last, last.outputs != inputs { throw bad("tensor \(name) takes \(inputs) numbers and the layer before gives \(last.outputs)") }
            guard (layer.weights + layer.bias).allSatisfy(\.isFinite) else { throw bad("tensor \(prefix)weight or its bias has a number that is not finite") }
            layers.append(layer)
        }
        guard !layers.isEmpty, layers.count <= 16 else { throw bad("it has \(layers.count) dense layers; 1 to 16 can be run") }
        if used < file.tensors.count {
            let rest = file.tensors.keys.filter { !$0.hasSuffix("weight") && !$0.hasSuffix("bias") }.sorted()
            throw bad("\(file.tensors.count - used) tensors are of no dense layer\(rest.isEmpty ? "" : ": " + rest.prefix(4).joined(separator: ", "))")
        }
        layers[layers.count - 1].activation = .linear
        return layers
    }

    // "2.weight" before "10.weight": runs of digits count as numbers.
    private static func inOrder(_ a: String, _ b: String) -> Bool {
        func parts(_ name: String) -> [(text: String, number: Int)] {
            name.split(separator: ".").map { (String($0), Int($0) ?? -1) }
        }
        for (x, y) in zip(parts(a), parts(b)) where x != y { return (x.number, x.text) < (y.number, y.text) }
        return a.count < b.count
    }
}
