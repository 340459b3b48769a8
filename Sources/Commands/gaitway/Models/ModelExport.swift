import ArgumentParser
import Conversion
import NeuralNetwork
import Support

extension ExportFormat: ExpressibleByArgument {}

extension Model {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write a model for other programs.",
            discussion: """
                safetensors-float: the weights as floats, named as PyTorch names them. c-header: the network as constants that CNetwork \
                runs, for programs in C. onnx: the network in float, any number of windows at once. tflite: a window at a time in the \
                network's own integers, with floats at both ends and in LSTM layers, whose state stays from window to window. Both take \
                what the network takes: a window of x, y, z in g, or the rows that `gaitway features` prints.
                """)

        @Argument(help: ArgumentHelp("The model.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("safetensors-float, c-header, onnx or tflite.", valueName: "name"))
        var format: ExportFormat
        @Option(help: ArgumentHelp("Where it goes.", valueName: "file"), completion: .file())
        var output: String
        @Option(help: ArgumentHelp("c-header, onnx: what the network is called. (default: the output's name)", valueName: "identifier"))
        var name: String?

        // What the file does otherwise than the model.
        private func notes(_ network: Network) -> [String] {
            var notes: [String] = []
            if network.first != nil, format != .cHeader {
                notes.append("the larger network alone; the one that decides first is not in it")
            }
            if format == .tflite, network.isSequential, network.state == .fresh {
                notes.append("LiteRT keeps the state of LSTM layers: call reset_all_variables() before each window, which begins anew here")
            }
            return notes
        }

        func run() throws {
            let network = try NetworkFile.load(file)
            let base = output.split(separator: "/").last ?? "network", stem = String(base.split(separator: ".").first ?? base)
            let bytes = try format.bytes(network, name: name ?? stem)
            if Files.exists(output), try Files.identity(output) == Files.identity(file) {
                throw Fault(.usage, "\(output) is the model itself, which the export would replace", remedy: "Name another file.")
            }
            try Files.write(bytes, to: output)
            for note in notes(network) { Console.note("gaitway: \(output): \(note)") }
        }
    }
}
