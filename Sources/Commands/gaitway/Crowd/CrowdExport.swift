import ArgumentParser
import Crowd
import CrowdLearning
import CrowdModels
import NeuralNetwork
import Support
import Training

struct CrowdExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Make a model for boards of the crowd's weights.",
        discussion:
            """
            It is quantised on labelled recordings, one's own or several people's, which also show how it does. Sign it and roll it \
            out like any other.
            """
    )

    @OptionGroup var options: CrowdOptions
    @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"), completion: .file())
    var output: String
    @Option(help: "Version to write into the model.")
    var modelVersion = 1

    func run() throws {
        let (task, weights) = try options.client().weights(), directory = options.place.directory(try options.place.settings())
        let rows = try CalibrationRows(try TrainingSet.recordings(in: directory), kind: try BoardModel.input(task.parameters), hop: 64)
        let (network, calibration) = try BoardModel.make(task.parameters, weights, labels: task.labels, on: rows, version: modelVersion)
        try NetworkFile.save(network, to: output)
        try QuantisationText.print(calibration, [], options.format)
        Console.note("gaitway: \(output): version \(modelVersion), \(network.labels.joined(separator: ", "))")
    }
}
