internal import NeuralNetwork
package import Support

/// A network of floats out of a safetensors file: dense layers as PyTorch and the README's scikit-learn export write them ("0.weight"
/// [outputs, inputs], "0.bias" [outputs], "2.weight", ...; numbers in the names give the order), behind LSTM layers as PyTorch
/// names them ("lstm.weight_ih_l0" [4 x units, inputs], "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0"), of which the
/// last step goes on. What lies between the layers is not in the file.
package enum SafetensorsImport {
    /// - Parameters:
    ///   - activation: between two dense layers; the last has none.
    ///   - steps: of an LSTM's input.
    /// - Throws: `.noInput`, `.permission`, `.badData` naming the tensor.
    package static func graph(_ path: String, activation: Activation?, steps: Int) throws(Fault) -> FloatGraph {
        try graph(try Files.read(path, limit: NetworkFile.sizeLimit), path: path, activation: activation, steps: steps)
    }

    /// Of its layers, in the order in which they are run.
    /// - Throws: `.noInput`, `.permission`, `.badData`.
    package static func layerNames(_ path: String) throws(Fault) -> [String] {
        let file = try Safetensors(try Files.read(path, limit: NetworkFile.sizeLimit), path: path)
        let lstm = file.tensors.keys.filter { $0.contains("weight_ih_l") }.sorted()
        return (lstm + denseNames(file)).map { name in String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) }
    }

    private static func denseNames(_ file: Safetensors) -> [String] {
        file.tensors.keys.filter { $0.hasSuffix("weight") }.sorted(by: inOrder)
    }

    static func graph(_ bytes: [UInt8], path: String, activation: Activation?, steps: Int) throws(Fault) -> FloatGraph {
        var reader = FloatTensors(file: try Safetensors(bytes, path: path), path: path)
        var graph: FloatGraph?
        for index in 0..<16 {
            guard let (prefix, lstm) = try reader.lstm(index) else { break }
            if let before = graph?.last.channels, before != lstm.weights.inputs {
                throw reader.bad("LSTM \(prefix)l\(index) takes \(lstm.weights.inputs) numbers and the layer before gives \(before)")
            }
            if graph == nil { graph = FloatGraph(input: FloatShape(width: steps, channels: lstm.weights.inputs), output: .logits) }
            graph?.append(.lstm(lstm), FloatShape(width: steps, channels: lstm.units))
        }
        if let last = graph?.last { graph?.append(.slice(first: steps - 1), FloatShape(channels: last.channels)) }
        let names = denseNames(reader.file)
        for (index, name) in names.enumerated() {
            let weights = try reader.dense(name)
            if let before = graph?.last.count, before != weights.inputs {
                throw reader.bad("tensor \(name) takes \(weights.inputs) numbers and the layer before gives \(before)")
            }
            if graph == nil { graph = FloatGraph(input: FloatShape(channels: weights.inputs), output: .logits) }
            graph?.appendDense(weights)
            if index + 1 < names.count, let activation { graph?.appendCurve(activation) }
        }
        guard let graph, names.count <= 16 else { throw reader.bad("it has \(names.count) dense layers; 1 to 16 can be run") }
        try reader.requireAllUsed()
        return graph
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

/// The tensors of a file, with faults that name them.
private struct FloatTensors {
    let file: Safetensors
    let path: String
    private var used: Set<String> = []

    init(file: Safetensors, path: String) { (self.file, self.path) = (file, path) }

    func bad(_ what: String) -> Fault {
        Fault(
            .badData, "\(path): \(what)",
            remedy: "Dense layers (N.weight [outputs, inputs], N.bias [outputs]) and PyTorch's LSTM (NAME.weight_ih_l0, ...) are read, F32."
        )
    }

    private mutating func matrix(_ name: String, rows: Int? = nil, columns: Int? = nil) throws(Fault) -> FloatWeights {
        guard let tensor = file.tensors[name], tensor.kind == .float32, tensor.shape.count == 2,
            tensor.shape.allSatisfy({ (1...4096).contains($0) })
        else {
            throw bad("tensor \(name) is not F32 of rank 2, with 1 to 4096 rows and columns")
        }
        guard rows == nil || tensor.shape[0] == rows, columns == nil || tensor.shape[1] == columns else {
            throw bad("tensor \(name) has the shape \(tensor.shape)")
        }
        used.insert(name)
        return FloatWeights(inputs: tensor.shape[1], outputs: tensor.shape[0], values: tensor.float32)
    }

    private mutating func addBias(_ name: String, to weights: inout FloatWeights) throws(Fault) {
        if let bias = file.tensors[name] {
            guard bias.kind == .float32, bias.shape == [weights.outputs] else {
                throw bad("tensor \(name) is not F32 [\(weights.outputs)]")
            }
            used.insert(name)
            weights.bias = zip(weights.bias, bias.float32).map { $0 + $1 }
        }
        guard weights.isFinite else { throw bad("tensor \(name) or its weights have a number that is not finite") }
    }

    mutating func dense(_ name: String) throws(Fault) -> FloatWeights {
        var weights = try matrix(name)
        try addBias(name.dropLast("weight".count) + "bias", to: &weights)
        return weights
    }

    /// Layer `index` of the file's LSTM: PyTorch's gates are in the order input, forget, modulation, output.
    mutating func lstm(_ index: Int) throws(Fault) -> (prefix: String, FloatLSTM)? {
        let suffix = "weight_ih_l\(index)", found = file.tensors.keys.filter { $0.hasSuffix(suffix) }
        guard let name = found.first else { return nil }
        guard found.count == 1 else { throw bad("it has \(found.count) tensors \(suffix); one LSTM can be read") }
        let prefix = String(name.dropLast(suffix.count))
        var weights = try matrix(name)
        guard weights.outputs % 4 == 0 else { throw bad("tensor \(name) has \(weights.outputs) rows, which are no four gates") }
        let recurrent = try matrix(prefix + "weight_hh_l\(index)", rows: weights.outputs, columns: weights.outputs / 4)
        try addBias(prefix + "bias_ih_l\(index)", to: &weights)
        try addBias(prefix + "bias_hh_l\(index)", to: &weights)
        guard recurrent.isFinite else { throw bad("tensor \(prefix)weight_hh_l\(index) has a number that is not finite") }
        return (prefix, FloatLSTM(weights: weights, recurrent: recurrent))
    }

    func requireAllUsed() throws(Fault) {
        let rest = file.tensors.keys.filter { !used.contains($0) }.sorted()
        guard rest.isEmpty else {
            throw bad("\(rest.count) tensors are of no dense layer and no LSTM: \(rest.prefix(4).joined(separator: ", "))")
        }
    }
}
