package import NeuralNetwork
package import Support

/// A network out of a file of any kind that Gaitway reads; one in float is quantised as it is loaded.
package struct LoadedNetwork {
    package var network: Network
    /// Its numbers before they were quantised, on one step of a sequence; nil where the file has integers.
    package var graph: FloatGraph?
    /// Names of inputs and outputs, where the file has them: Core ML.
    package var names: (inputs: [String], outputs: [String])?

    /// What a float network is quantised on.
    package struct Calibration {
        /// Rows of inputs; for a sequence, of one step.
        package var rows: [[Double]]
        /// Where there are no rows: what inputs can be.
        package var range: ClosedRange<Double>

        package init(rows: [[Double]], range: ClosedRange<Double>) { (self.rows, self.range) = (rows, range) }
    }

    /// - Throws: `.badData` naming what is wrong; those of the importers.
    package init(_ bytes: [UInt8], path: String, numInputFeatures: Int, isSequence: Bool, calibration: Calibration) throws(Fault) {
        let rows =
            calibration.rows.isEmpty ? Self.invented(numInputFeatures, calibration.range) : calibration.rows.map { $0.map { Float($0) } }
        // A sequence is calibrated on runs of steps, and what follows its last LSTM on every one of them.
        let steps = isSequence ? min(rows.count, 64) : 1
        // The same network on one step, for who feeds it with floats.
        var single: FloatGraph?
        func quantised(_ graph: FloatGraph) throws(Fault) -> Network {
            single = isSequence ? nil : graph
            return try Self.quantised(isSequence ? SingleStep.everyStep(graph) : graph, rows, isSequence: isSequence, path)
        }
        if bytes.count > 8, Array(bytes[4..<8]) == Array("TFL3".utf8) {
            switch try TFLiteImport.network(TFLiteFile(bytes, path: path), ImportOptions(input: .features)) {
            case .integers(let found): network = found
            case .floats(let graph): network = try quantised(graph)
            }
        } else if bytes.count > 9, bytes[8] == UInt8(ascii: "{") {
            if try Safetensors(bytes, path: path).metadata["gaitway.format"] != nil {
                network = try NetworkFile.decode(bytes, path: path)
            } else {
                network = try quantised(try SafetensorsImport.graph(bytes, path: path, activation: .relu, steps: steps))
                if isSequence { single = try SafetensorsImport.graph(bytes, path: path, activation: .relu, steps: 1) }
            }
        } else {
            let imported = try CoreMLImport.network(bytes, path: path, steps: steps)
            network = try quantised(imported.graph)
            if isSequence { single = try CoreMLImport.network(bytes, path: path, steps: 1).graph }
            names = (imported.inputs, imported.outputs)
        }
        graph = single
        // A sequence goes on step by step; windows begin as the file has it.
        network.state = isSequence ? .kept : single?.state ?? .kept
        if isSequence { (network.input, network.layers) = try SingleStep.one(network.input, network.layers, path: path) }
        guard network.columns == numInputFeatures else {
            throw Fault(
                .badData, "\(path) takes \(network.columns) numbers\(isSequence ? " each step" : ""), not \(numInputFeatures)",
                remedy: "Give numInputFeatures as the network has it.")
        }
    }

    // 16 bits where every layer can be run so, else 8.
    private static func quantised(_ graph: FloatGraph, _ rows: [[Float]], isSequence: Bool, _ path: String) throws(Fault) -> Network {
        let perInput = isSequence ? graph.input.positions : 1
        let calibrated = try CalibratedGraph(graph, count: rows.count / perInput) { index in
            rows[index * perInput..<(index + 1) * perInput].flatMap { $0 }
        }
        func network(_ bits: Int) throws(Fault) -> Network {
            let result = try Quantiser.quantise(
                graph, calibrated.places, cells: calibrated.cells, moments: calibrated.moments, QuantiserOptions(bits: bits))
            let (input, layers) = isSequence ? try SingleStep.one(result.input, result.layers, path: path) : (result.input, result.layers)
            return try Network(
                input: input, layers: layers, output: graph.output, bits: bits, options: ImportOptions(input: .features), path: path)
        }
        do {
            return try network(16)
        } catch  where error.code == .badData {
            return try network(8)
        }
    }

    // Inputs anywhere in their range and at its ends, the same ones every time.
    private static func invented(_ count: Int, _ range: ClosedRange<Double>) -> [[Float]] {
        var random = RandomNumbers(seed: 1)
        return (0..<512).map { row in
            (0..<count).map { _ in
                let place = row % 2 == 0 ? random.unit() : Double(random.below(2))
                return Float(range.lowerBound + (range.upperBound - range.lowerBound) * place)
            }
        }
    }
}
