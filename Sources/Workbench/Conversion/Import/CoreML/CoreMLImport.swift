internal import NeuralNetwork
package import Support

/// A network of floats out of a Core ML .mlmodel: inner product, activations, soft-max, batch norm (folded into the layer before),
/// uni-directional LSTM and GRU with sigmoid and tanh, add, reshape and flatten.
///
/// A layer that reads and gives named states (lstm_1_h_in, ...) is run step by step by Core ML's caller; here it is one layer over
/// all steps of a window, whose last step goes on.
package enum CoreMLImport {
    package struct Imported: Sendable {
        package var graph: FloatGraph
        /// Of a classifier.
        package var labels: [String]?
        /// Inputs and outputs that are not a layer's state, in the file's order.
        package var inputs: [String]
        package var outputs: [String]
    }

    /// - Parameter steps: of a window, for a network with LSTM layers.
    /// - Throws: `.noInput`, `.permission`, `.badData` naming the layer.
    package static func network(_ path: String, steps: Int) throws(Fault) -> Imported {
        try network(try Files.read(path, limit: NetworkFile.sizeLimit), path: path, steps: steps)
    }

    static func network(_ bytes: [UInt8], path: String, steps: Int) throws(Fault) -> Imported {
        let model = try WireMessage(bytes, path: path)
        // A network, a classifier or a regressor.
        guard let kind = [500, 403, 303].first(where: model.has) else {
            throw Fault(
                .badData, "\(path) holds no neural network of Core ML's layers",
                remedy: "Convert the network to the \"neuralnetwork\" format; ML programs and tree ensembles are not read.")
        }
        let network = try model.message(kind)
        guard !network.has(2) else {
            throw Fault(.badData, "\(path) has preprocessing, which cannot be run", remedy: "Convert it without.")
        }
        var layers: [CoreMLLayer] = []
        for message in try network.messages(1) { layers.append(try CoreMLLayer(message)) }
        var builder = try CoreMLBuilder(try CoreMLDescription(model), layers, path: path, steps: steps)
        for (index, layer) in layers.enumerated() { try builder.append(layer, index) }
        let texts = try network.message(100).texts(1), numbers = try network.message(101).integers(1)
        return try builder.finished(last: layers.last?.outputs.first, labels: texts.isEmpty ? numbers.map { "\($0)" } : texts)
    }
}
