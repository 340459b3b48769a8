internal import Conversion
package import Support

/// Swift-HAR's network in a file, with its labels.
package enum SwiftHARWeights {
    /// - Throws: those of ``Files/write(_:to:)``.
    package static func save(_ network: SwiftHARNetwork, to path: String) throws(Fault) {
        let file = SwiftAIFile(
            inputs: network.inputs, hidden: network.hidden, outputs: network.labels.count, momentum: SwiftHARNetwork.momentum,
            learningRate: 0.4, weights: network.weights, labels: network.labels)
        guard let bytes = file.bytes else {
            throw Fault(.badData, "the network has weights that are not finite: it did not learn", remedy: "Train it without --compat.")
        }
        try Files.write(bytes, to: path)
    }

    /// - Throws: `.noInput`; those of ``SwiftAIFile``.
    package static func load(_ path: String) throws(Fault) -> SwiftHARNetwork {
        let file = try SwiftAIFile(try Files.read(path, limit: SwiftAIFile.sizeLimit), path: path)
        return try SwiftHARNetwork(
            hidden: file.hidden, labels: file.labels ?? (0..<file.outputs).map { "\($0)" }, weights: file.weights)
    }
}
