internal import CoreMLFormat
public import Support

/// A network of floats out of a Core ML .mlmodel: inner product, activations, soft-max, batch norm (folded into the layer before),
/// uni-directional LSTM with sigmoid and tanh, add, reshape and flatten.
///
/// A layer that reads and gives named states (lstm_1_h_in, ...) is run step by step by Core ML's caller; here it is one layer over
/// all steps of a window, whose last step goes on.
public enum CoreMLImport {
    public struct Imported: Sendable {
        public var graph: FloatGraph
        /// Of a classifier.
        public var labels: [String]?
        /// Inputs and outputs that are not a layer's state, in the file's order.
        public var inputs: [String]
        public var outputs: [String]
    }

    /// - Parameter steps: of a window, for a network with LSTM layers.
    ///
    /// Errors: `.noInput`, `.permission`, `.badData` naming the layer.
    public static func network(_ path: String, steps: Int) throws(Fault) -> Imported {
        try network(try Files.read(path, limit: NetworkFile.sizeLimit), path: path, steps: steps)
    }

    static func network(_ bytes: [UInt8], path: String, steps: Int) throws(Fault) -> Imported {
        let model: Gaitway_Coreml_Model
        do {
            model = try Gaitway_Coreml_Model(bytes: bytes)
        } catch {
            throw Fault(.badData, "\(path) is not a Core ML model: it is no protocol buffer", remedy: "Is the file whole? Download or convert it again. A .mlpackage has its model inside, under Data.")
        }
        let network: Gaitway_Coreml_NeuralNetwork
        switch model.type {
        case .neuralNetwork(let found), .neuralNetworkClassifier(let found), .neuralNetworkRegressor(let found): network = found
        case nil: throw Fault(.badData, "\(path) holds no neural network of Core ML's layers", remedy: "Convert the network to the \"neuralnetwork\" format; ML programs and tree ensembles are not read.")
        }
        var builder = try CoreMLBuilder(model.description_p, network, path: path, steps: steps)
        for (index, layer) in network.layers.enumerated() { try builder.append(layer, index) }
        return try builder.finished(network)
    }
}
