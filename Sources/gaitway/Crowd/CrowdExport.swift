import ArgumentParser
import Crowd
import CrowdLearning
import Models
import Sensing
import Support
import Training

struct CrowdExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Make a model for boards of the crowd's weights.",
        discussion: "It is quantised on labelled recordings, one's own or several people's, which also show how it does. Sign it and roll it out like any other.")

    @OptionGroup var options: CrowdOptions
    @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"))
    var output: String
    @Option(help: "Version to write into the model.")
    var modelVersion = 1

    func run() throws {
        let (task, weights) = try options.client().weights(), input = try OwnSamples.input(task), directory = options.place.directory(try options.place.settings())
        let rows = try CalibrationRows(try OwnSamples.recordings(in: directory), kind: input, hop: 64)
        // The constant's 1 among them.
        let sum = (0..<rows.count).reduce(0) { $0 + rows.row($1).reduce(1) { $0 + Double($1.magnitude) } } / Double(max(1, rows.count))
        let labels = task.parameters.names(task.labels)
        let naming = ImportOptions(input: input, labels: labels)
        let result = try FloatCalibration(try FloatGraph(task.model, weights, sum: sum), rows, bits: 8, activations: .int16, naming, path: "the crowd's weights")
        var network = result.network
        network.version = modelVersion
        try NetworkFile.save(network, to: output)
        try QuantisationText.print(result, [], options.format)
        Console.note("gaitway: \(output): version \(modelVersion), \(labels.joined(separator: ", "))")
    }
}
