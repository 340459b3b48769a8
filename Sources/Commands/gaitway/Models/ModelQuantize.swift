import ArgumentParser
import Conversion
import NeuralNetwork
import Support
import Training

extension Model {
    struct Quantize: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "quantize", abstract: "Show what quantising a network in float costs, for one or more numbers of bits.",
            discussion: "The network is a file that `gaitway model import` takes. With --output the last of the bits is saved as a model.")

        @Argument(help: ArgumentHelp("The network.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("Bits of the weights: a number from 2 to 16, or a range as 4...16.", valueName: "k"))
        var bits = BitsRange(8...8)
        @OptionGroup var naming: ImportArguments
        @OptionGroup var float: FloatArguments
        @Flag(help: "Show each layer's range, scale, share of saturated integers and signal-to-noise ratio.")
        var report = false
        @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"), completion: .file())
        var output: String?
        @OptionGroup var format: OutputOptions

        func validate() throws { try float.requireFitting(bits: bits.range.upperBound) }

        func run() throws {
            let naming = naming.of(file)
            guard case .floats(let graph, let labels) = try ImportedNetwork(file, naming, float) else {
                throw Fault(.usage, "\(file) is quantised already", remedy: "Make a model of it with `gaitway model import`.")
            }
            try naming.requireFitting(graph.input.count)
            let rows = try float.rows(graph, naming, path: file)
            var last: Network?
            for bits in bits.range {
                let result = try FloatCalibration(
                    graph, rows, bits: bits, activations: float.activations, naming.options(labels, graph.state), path: file)
                let places = report ? try QuantisationReport(result.network, result.result, count: rows.count, row: rows.row).places : []
                try QuantisationText.print(result, places, format)
                last = result.network
            }
            if let output, let last { try NetworkFile.save(last, to: output) }
        }
    }
}

/// "8" or "4...16".
struct BitsRange: ExpressibleByArgument {
    var range: ClosedRange<Int>

    init(_ range: ClosedRange<Int>) { self.range = range }

    init?(argument: String) {
        let ends = argument.replacing("...", with: " ").split(separator: " ").compactMap { Int($0) }
        guard let low = ends.first, let high = ends.last, (1...2).contains(ends.count), low <= high, (2...16).contains(low),
            (2...16).contains(high)
        else { return nil }
        range = low...high
    }

    var defaultValueDescription: String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)...\(range.upperBound)"
    }
}
