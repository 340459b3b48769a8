package import NeuralNetwork
package import Support

/// What other programs read of a model.
package enum ExportFormat: String, CaseIterable, Sendable {
    case safetensorsFloat = "safetensors-float"
    case cHeader = "c-header"
    case onnx, tflite

    /// - Parameter name: what the network is called, where the format has a name.
    /// - Throws: `.usage` naming every layer that the format lacks.
    package func bytes(_ network: Network, name: String) throws(Fault) -> [UInt8] {
        switch self {
        case .safetensorsFloat:
            guard network.layers.contains(where: \.hasWeights) else {
                throw Fault(.usage, "it has no weights that a file of floats could hold", remedy: "Export it as c-header.")
            }
            return try FloatExport.encode(network)
        case .cHeader: return Array(CHeader.text(network, name: name).utf8)
        case .onnx: return try ONNXExport.encode(network, name: name)
        case .tflite: return try TFLiteExport.encode(network)
        }
    }
}
