internal import FoundationEssentials
package import Support

/// The old Swift-AI's weight storage, with the labels added, which it left to the program.
package enum SwiftHARWeights {
    private struct File: Codable {
        var inputs: Int, hidden: Int, outputs: Int
        var momentum: Float, learningRate: Float
        var hiddenActivation = "ReLU", outputActivation = "sigmoid", costFunction = "meanSquared"
        package var weights: [Float]
        var labels: [String]?
    }

    /// - Throws: those of ``Files/write(_:to:)``.
    package static func save(_ network: SwiftHARNetwork, to path: String) throws(Fault) {
        let file = File(
            inputs: network.inputs, hidden: network.hidden, outputs: network.labels.count, momentum: SwiftHARNetwork.momentum,
            learningRate: 0.4,
            weights: network.weights, labels: network.labels)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let bytes = try? encoder.encode(file) else {
            throw Fault(.badData, "the network has weights that are not finite: it did not learn", remedy: "Train it without --compat.")
        }
        try Files.write(Array(bytes), to: path)
    }

    /// - Throws: `.noInput`; `.badData` when it is not such a file or its numbers do not fit.
    package static func load(_ path: String) throws(Fault) -> SwiftHARNetwork {
        let bytes = try Files.read(path, limit: 64 << 20)
        guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
            throw Fault(.badData, "\(path) is not a weight file of Swift-AI", remedy: "Train it again: gaitway train --compat swift-har")
        }
        guard file.hiddenActivation == "ReLU", file.outputActivation == "sigmoid", file.inputs == 300, (1...4096).contains(file.hidden),
            (1...64).contains(file.outputs)
        else {
            throw Fault(.badData, "\(path) is no 300-N-N network with ReLU and sigmoid")
        }
        let labels = file.labels ?? (0..<file.outputs).map { "\($0)" }
        guard labels.count == file.outputs else { throw Fault(.badData, "\(path) has \(labels.count) labels for \(file.outputs) outputs") }
        return try SwiftHARNetwork(hidden: file.hidden, labels: labels, weights: file.weights)
    }
}
