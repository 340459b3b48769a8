import CrowdServer
import ArgumentParser
import Conversion
import CrowdLearning
import CrowdModels
import NeuralNetwork
import Support
import Training

extension HubCrowd {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a model for boards of what was learnt.",
            discussion: """
                Sign it and roll it out like any other. It is quantised on labelled recordings, which also show how it does; without any, \
                on \
                movement that is simulated, which gives the ranges of its numbers alone.
                """)

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("Where it goes.", valueName: "file"), completion: .file()) var output: String
        @Option(
            help: ArgumentHelp("Recordings to quantise it on: several people's, or those of gaitway record.", valueName: "dir"),
            completion: .directory)
        var recordings: String?
        @Option(help: "Version to write into the model.") var modelVersion = 1
        @Flag(help: "Write a network in float instead, for gaitway model import or other programs.") var float = false

        func run() async throws {
            let (settings, server, _) = try await HubCrowd.present(try await store.open()), iteration = "iteration \(server.iteration)"
            if float {
                try Files.write(
                    FloatExport.encode(try FloatGraph(server.model, server.weights, sum: 1), labels: settings.names), to: output)
                print("\(output): \(server.model.features - 1) inputs in float, \(settings.names.joined(separator: ", ")); \(iteration)")
                return
            }
            let input = try BoardModel.input(settings.parameters)
            let rows =
                if let recordings { try CalibrationRows(try TrainingSet.recordings(in: recordings), kind: input, hop: 64) } else {
                    try CalibrationRows(simulated: input)
                }
            let (network, calibration) = try BoardModel.make(
                settings.parameters, server.weights, labels: settings.labels, on: rows, version: modelVersion)
            try NetworkFile.save(network, to: output)
            print("\(output): version \(modelVersion), \(settings.names.joined(separator: ", ")); \(iteration)")
            func share(_ count: Int) -> String { Decimals.text(100 * Double(count) / Double(calibration.rows), places: 1) + " %" }
            print(
                """
                decides as float does in \(share(calibration.equal)) of \(calibration.rows) \
                windows\(recordings == nil ? " of simulated movement" : "")
                """
            )
            if let right = calibration.rightInFixed { print("\(share(right)) of them rightly") }
        }
    }
}
