package import NeuralNetwork
package import Support

/// What a network's file holds, whatever wrote it.
package enum ImportedNetwork {
    /// Integers, which run as they are.
    case integers(Network)
    /// Numbers in float, to be quantised; with the file's own labels, where it has some.
    case floats(FloatGraph, labels: [String]?)

    /// - Parameters:
    ///   - activation: what follows every dense layer but the last of a .safetensors file.
    ///   - steps: of an LSTM, where the file leaves them open.
    /// - Throws: `.usage` for a file of no known kind; those of the importers.
    package init(_ path: String, _ options: ImportOptions, activation: Activation?, steps: Int) throws(Fault) {
        if path.hasSuffix(".tflite") {
            switch try TFLiteImport.network(path, options) {
            case .integers(let network): self = .integers(network)
            case .floats(let graph): self = .floats(graph, labels: nil)
            }
        } else if path.hasSuffix(".mlmodel") {
            let imported = try CoreMLImport.network(path, steps: steps)
            try options.input.requireThreeSignals(imported.graph.input, path: path)
            self = .floats(imported.graph, labels: imported.labels)
        } else if path.hasSuffix(".onnx") {
            let imported = try ONNXImport.network(path, input: options.input, steps: steps, output: options.output)
            if !imported.graph.quantisations.isEmpty {
                var known = options
                known.labels = options.labels ?? imported.labels
                self = .integers(try imported.graph.quantised(known, path: path))
            } else {
                self = .floats(imported.graph, labels: imported.labels)
            }
        } else if path.hasSuffix(".safetensors") {
            let graph = try SafetensorsImport.graph(path, activation: activation, steps: steps)
            try options.input.requireThreeSignals(graph.input, path: path)
            self = .floats(graph, labels: nil)
        } else if Self.isSwiftHAR(path) {
            let file = try SwiftAIFile(try Files.read(path, limit: SwiftAIFile.sizeLimit), path: path)
            self = .floats(file.graph, labels: file.labels)
        } else if path.hasSuffix(".json") {
            let trees = try XGBoostFile(try Files.read(path, limit: XGBoostFile.sizeLimit), path: path)
            try options.input.requireThreeSignals(trees.graph.input, path: path)
            self = .floats(trees.graph, labels: nil)
        } else {
            throw UnreadFile.fault(path)
        }
    }

    /// Whether a file is what Swift-HAR saved: its inputs are then ``NetworkInput/shifted``.
    package static func isSwiftHAR(_ path: String) -> Bool {
        path.hasSuffix(".json") && !XGBoostFile.begins((try? Files.read(path, limit: XGBoostFile.sizeLimit)) ?? [])
    }
}
