internal import Conversion
package import CrowdLearning
package import NeuralNetwork
package import Support
package import Training

/// What a crowd has learnt, as a model for boards.
package enum BoardModel {
    /// What a crowd takes of each window.
    ///
    /// - Throws: `.badData` where no window makes so many numbers.
    package static func input(_ parameters: CrowdParameters) throws(Fault) -> NetworkInput {
        guard let input = NetworkInput.allCases.first(where: { $0.count(window: 128) == parameters.features - 1 }) else {
            let known = NetworkInput.allCases.compactMap { $0.count(window: 128).map { "\($0 + 1)" } }.joined(separator: ", ")
            throw Fault(
                .badData, "the crowd learns from \(parameters.features) numbers, and recordings give \(known)",
                remedy: "--files DIR for other samples")
        }
        return input
    }

    /// - Parameters:
    ///   - rows: of that input, to quantise it on; they also show how it does.
    ///   - labels: of the classes; empty for numbers.
    /// - Throws: `.badData` for hidden layers; those of ``FloatCalibration``.
    package static func make(
        _ parameters: CrowdParameters, _ weights: [Double], labels: [String], on rows: CalibrationRows, version: Int
    ) throws(Fault) -> (network: Network, calibration: FloatCalibration) {
        // The constant's 1 among them.
        let sum = (0..<rows.count).reduce(0) { $0 + rows.row($1).reduce(1) { $0 + Double($1.magnitude) } } / Double(max(1, rows.count))
        let naming = ImportOptions(input: try input(parameters), labels: parameters.names(labels))
        let calibration = try FloatCalibration(
            try FloatGraph(try parameters.model(), weights, sum: sum), rows, bits: 8, activations: .int16, naming,
            path: "the crowd's weights")
        var network = calibration.network
        network.version = version
        return (network, calibration)
    }
}
