public import Support

/// An int8 network of dense layers out of a .tflite file, bit for bit as TFLite's reference kernels run it.
///
/// The graph must be a chain of QUANTIZE (first), RESHAPE, SQUEEZE, EXPAND_DIMS, FULLY_CONNECTED (with or without ReLU), RELU,
/// LOGISTIC or SOFTMAX (last), DEQUANTIZE (last).
public enum TFLiteImport {
    static let supported = ["DEQUANTIZE", "EXPAND_DIMS", "FULLY_CONNECTED", "LOGISTIC", "QUANTIZE", "RELU", "RESHAPE", "SOFTMAX", "SQUEEZE"]

    /// - Parameters:
    ///   - labels: one for each output; "0", "1", ... when nil.
    ///   - hop: samples between two windows, for a network on raw windows.
    ///
    /// Errors: `.noInput`, `.permission`, `.badData` naming what is not supported.
    public static func network(_ path: String, input: NetworkInput, labels: [String]? = nil, hop: Int = 64) throws(Fault) -> Network {
        try network(TFLiteFile(try Files.read(path, limit: NetworkFile.sizeLimit), path: path), input: input, labels: labels, hop: hop)
    }

    static func network(_ file: TFLiteFile, input kind: NetworkInput, labels: [String]?, hop: Int) throws(Fault) -> Network {
        guard file.inputs.count == 1, file.outputs.count == 1 else {
            throw file.buffer.bad("it has \(file.inputs.count) inputs and \(file.outputs.count) outputs; one of each can be run")
        }
        var chain = Chain(file: file, at: file.inputs[0])
        for (index, operation) in file.operators.enumerated() { try chain.append(operation, index) }
        guard chain.at == file.outputs[0], let input = chain.input, let last = chain.layers.last else { throw file.buffer.bad("its operators are not a chain from its input to its output") }
        let outputs = last.outputs
        let names = labels ?? (0..<outputs).map { "\($0)" }
        guard names.count == outputs else { throw Fault(.usage, "\(file.buffer.path) has \(outputs) outputs; \(names.count) labels were given") }
        return try Network.imported(labels: names, input: kind, quantisation: input, layers: chain.layers, hop: hop, path: file.buffer.path)
    }

    /// The layers so far, and the tensor that they lead to.
    private struct Chain {
        let file: TFLiteFile
        var at: Int
        var input: Quantisation?
        var layers: [DenseLayer] = []
        var isFinished = false

        func refused(_ index: Int, _ operation: TFLiteFile.Operator, _ why: String) -> Fault {
            file.buffer.bad("operator \(index), \(operation.name), cannot be run: \(why)")
        }

        mutating func append(_ operation: TFLiteFile.Operator, _ index: Int) throws(Fault) {
            guard supported.contains(operation.name) else { throw refused(index, operation, "supported are \(supported.joined(separator: ", "))") }
            guard operation.inputs.first == at, operation.outputs.count == 1 else { throw refused(index, operation, "it does not follow the operator before it") }
            let from = file.tensors[at], to = file.tensors[operation.outputs[0]]
            guard !isFinished || operation.name == "DEQUANTIZE" || operation.name == "RESHAPE" else { throw refused(index, operation, "only the last layer can have a soft-max or logistic") }
            if input == nil && from.kind == .int8 { input = from.quantisation }
            switch operation.name {
            case "QUANTIZE":
                guard from.kind == .float32, to.kind == .int8, layers.isEmpty else { throw refused(index, operation, "it is supported from float32 to int8 at the input") }
                input = to.quantisation
            case "DEQUANTIZE":
                guard index == file.operators.count - 1 else { throw refused(index, operation, "it is supported at the output") }
            case "RESHAPE", "SQUEEZE", "EXPAND_DIMS":
                guard from.count == to.count else { throw refused(index, operation, "\(from.count) numbers do not become \(to.count)") }
            case "FULLY_CONNECTED": layers.append(try dense(operation, index, from, to))
            case "RELU": try activate(.relu, operation, index, from, to)
            case "LOGISTIC": try activate(.sigmoid, operation, index, from, to)
            default: // SOFTMAX, which every network without a logistic has here
                guard try operation.options?.float(0, default: 0) == 1 else { throw refused(index, operation, "its beta is not 1") }
                try requireProbabilities(operation, index, to)
            }
            if operation.name == "SOFTMAX" || operation.name == "LOGISTIC" { isFinished = true }
            at = operation.outputs[0]
        }

        private func requireProbabilities(_ operation: TFLiteFile.Operator, _ index: Int, _ to: TFLiteFile.Tensor) throws(Fault) {
            guard to.kind == .int8, to.quantisation == Quantisation(scale: 1.0 / 256, zeroPoint: -128) else { throw refused(index, operation, "its output is not int8 with scale 1/256 and zero point -128") }
        }

        private mutating func activate(
            _ activation: LayerActivation, _ operation: TFLiteFile.Operator, _ index: Int, _ from: TFLiteFile.Tensor, _ to: TFLiteFile.Tensor
        ) throws(Fault) {
            guard let last = layers.last, last.activation == .linear else { throw refused(index, operation, "it does not follow a layer without an activation") }
            if activation == .sigmoid {
                try requireProbabilities(operation, index, to)
            } else if from.quantisation != to.quantisation {
                throw refused(index, operation, "it changes the scale; fuse it into the layer before")
            }
            layers[layers.count - 1].activation = activation
        }

        private func dense(_ operation: TFLiteFile.Operator, _ index: Int, _ from: TFLiteFile.Tensor, _ to: TFLiteFile.Tensor) throws(Fault) -> DenseLayer {
            guard operation.inputs.count >= 2, operation.inputs[1] >= 0 else { throw refused(index, operation, "it has no weights") }
            let weights = file.tensors[operation.inputs[1]]
            guard from.kind == .int8, to.kind == .int8, weights.kind == .int8 else {
                throw refused(index, operation, "its numbers are not int8; convert the model with full integer quantisation")
            }
            guard let input = from.quantisation, let output = to.quantisation else { throw refused(index, operation, "its input or output has no scale") }
            guard weights.shape.count == 2, from.count == weights.shape[1], to.count == weights.shape[0] else {
                throw refused(index, operation, "weights of shape \(weights.shape) do not lead from \(from.shape) to \(to.shape)")
            }
            let outputs = weights.shape[0]
            guard weights.scales.count == 1 || weights.scales.count == outputs, weights.zeroPoints.allSatisfy({ $0 == 0 }) else {
                throw refused(index, operation, "its weights are not symmetric, or have \(weights.scales.count) scales for \(outputs) outputs")
            }
            let activation: LayerActivation
            switch try operation.options?.number(0, default: Int8(0)) ?? 0 {
            case 0: activation = .linear
            case 1: activation = .relu
            case let code: throw refused(index, operation, "its fused activation \(code) is not ReLU")
            }
            var bias = [Int32](repeating: 0, count: outputs)
            if operation.inputs.count > 2, operation.inputs[2] >= 0 {
                let tensor = file.tensors[operation.inputs[2]]
                guard tensor.kind == .int32, tensor.count == outputs else { throw refused(index, operation, "its bias is not int32 of \(outputs)") }
                bias = try file.constant(tensor, as: Int32.self)
            }
            let multipliers = (0..<outputs).map { Multiplier(input.scale * weights.scales[weights.scales.count == 1 ? 0 : $0] / output.scale) }
            let values = try file.constant(weights, as: Int8.self)
            guard !values.contains(.min) else { throw refused(index, operation, "it has a weight of -128; the quantisation specification allows -127 ... 127") }
            return DenseLayer(
                inputs: weights.shape[1], outputs: outputs, weights: values, bias: bias, multipliers: multipliers, output: output, activation: activation)
        }
    }
}
