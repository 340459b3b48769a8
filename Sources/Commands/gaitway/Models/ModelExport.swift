import ArgumentParser
import Conversion
import NeuralNetwork
import Support

extension Model {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case safetensorsFloat = "safetensors-float"
        case cHeader = "c-header"
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a model for other programs.",
            discussion: """
                safetensors-float: the weights as floats, named as PyTorch names them. c-header: the network as constants that CNetwork \
                runs, \
                for programs in C.
                """)

        @Argument(help: ArgumentHelp("The model.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("safetensors-float or c-header.", valueName: "name"))
        var format: Format
        @Option(help: ArgumentHelp("Where it goes.", valueName: "file"), completion: .file())
        var output: String
        @Option(help: ArgumentHelp("c-header: what the network is called. (default: the output's name)", valueName: "identifier"))
        var name: String?

        func run() throws {
            let network = try NetworkFile.load(file)
            switch format {
            case .safetensorsFloat: try Files.write(FloatExport.encode(network), to: output)
            case .cHeader:
                let base = output.split(separator: "/").last ?? "network", stem = base.split(separator: ".").first ?? base
                try Files.write(Array(CHeader.text(network, name: name ?? String(stem)).utf8), to: output)
            }
        }
    }
}
