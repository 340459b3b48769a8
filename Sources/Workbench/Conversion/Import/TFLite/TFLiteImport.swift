package import NeuralNetwork
package import Support

/// A network out of a .tflite file: integers as they are, bit for bit as TFLite's reference kernels run them, or floats to quantise.
package enum TFLiteImport {
    package enum Imported: Sendable {
        case integers(Network)
        /// It needs calibration before it can be run.
        case floats(FloatGraph)
    }

    /// - Throws: `.noInput`, `.permission`, `.badData` naming what is not supported, `.usage` when the options do not fit.
    package static func network(_ path: String, _ options: ImportOptions) throws(Fault) -> Imported {
        try network(TFLiteFile(try Files.read(path, limit: NetworkFile.sizeLimit), path: path), options)
    }

    private static let batchOfOne = "model.export(DIR, input_signature=[tf.TensorSpec((1, ...), tf.float32)]), from_saved_model(DIR)."

    private static func remedy(_ unknown: [String]) -> String {
        if unknown.contains("READ_VARIABLE") {
            return """
                It has variables: of a recurrent layer with `dropout`, `recurrent_dropout` or `stateful` (build it without them, with the \
                same weights), or since it was not converted from what Keras exported: \(batchOfOne)
                """
        }
        if unknown.contains("TRANSPOSE_CONV") { return "Build it with UpSampling1D and Conv1D in the place of Conv1DTranspose." }
        if unknown.contains("SHAPE") { return "Its batch is open. Convert it with a batch of one: \(batchOfOne)" }
        return "Leave them out, or export the network as ONNX. What can be run stands in the guide's page on models."
    }

    static func network(_ file: TFLiteFile, _ options: ImportOptions) throws(Fault) -> Imported {
        guard file.inputs.count == 1, file.outputs.count == 1, file.inputs[0] >= 0, file.outputs[0] >= 0 else {
            throw file.buffer.bad("it has \(file.inputs.count) inputs and \(file.outputs.count) outputs; one of each can be run")
        }
        let batch = file.tensors[file.inputs[0]].shape.first ?? 1
        guard batch == 1 || file.tensors[file.inputs[0]].shape.count < 3 || file.tensors[file.outputs[0]].shape.first != batch else {
            throw Fault(
                .badData, "\(file.buffer.path) takes batches of \(batch) windows",
                remedy: "Convert it with a batch of one: \(Self.batchOfOne)")
        }
        let unknown = Set(file.operators.map(\.name).filter { TFLiteOperator(rawValue: $0) == nil }).sorted()
        guard unknown.isEmpty else {
            throw Fault(
                .badData, "\(file.buffer.path) has operators that cannot be run: \(unknown.joined(separator: ", "))",
                remedy: remedy(unknown))
        }
        guard file.tensors[file.inputs[0]].count > 0 else { throw file.buffer.bad("its input is empty") }
        try options.input.requireThreeSignals(file.tensors[file.inputs[0]].shape.map { Int($0) }, path: file.buffer.path)
        if try TFLiteFloats.isFloat(file) {
            let graph = try TFLiteFloats(file).graph
            try graph.requireFitting(path: file.buffer.path)
            return .floats(graph)
        }
        let integers = try TFLiteIntegers(file)
        guard integers.steps == nil || options.input == .features else {
            throw Fault(
                .usage, "\(file.buffer.path) moves or multiplies each number by one of its own, so that they are no window's",
                remedy: "With --input features it can predict.")
        }
        var network = try Network(
            input: integers.input, layers: ParallelConvolutions(integers.layers).layers, output: integers.output, bits: 8,
            options: options, path: file.buffer.path)
        network.inputScaling.steps = integers.steps
        return .integers(network)
    }
}
