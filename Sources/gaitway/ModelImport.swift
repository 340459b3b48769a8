import ArgumentParser
import Models
import Support

extension Model {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a model of a network from elsewhere.",
            discussion: "Reads .tflite files of dense layers with full integer (int8) quantisation, and runs them bit for bit as TFLite's reference kernels do.")

        @Argument(help: ArgumentHelp("The network.", valueName: "file"))
        var file: String
        @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"))
        var output: String
        @Option(help: ArgumentHelp("Names of the outputs, separated by commas. (default: 0,1,...)", valueName: "names"))
        var labels: String?
        @Option(help: ArgumentHelp("raw: windows of x, y, z in g, as a sensor gives; features: other numbers, for `gaitway model predict`.", valueName: "kind"))
        var input: InputArgument = InputArgument(value: .raw)
        @Option(help: ArgumentHelp("Samples between two windows.", valueName: "samples"))
        var hop = 64

        func validate() throws {
            guard (1...1024).contains(hop) else { throw ValidationError("--hop takes 1 to 1024 samples") }
        }

        func run() throws {
            guard file.hasSuffix(".tflite") else { throw Fault(.usage, "\(file) is not a .tflite file", remedy: "Other formats cannot be imported yet.") }
            let names = labels.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            let network = try TFLiteImport.network(file, input: input.value, labels: names, hop: hop)
            try NetworkFile.save(network, to: output)
            Console.note("gaitway: \(output): \(network.layers.count) layers, \(network.inputs) inputs, \(network.outputs) outputs")
        }
    }

    struct Predict: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a row of outputs for each row of inputs.")

        @Argument(help: ArgumentHelp("The model.", valueName: "file"))
        var file: String
        @Option(help: ArgumentHelp("Rows of numbers, separated by commas, without a header.", valueName: "rows"))
        var input: String
        @Flag(help: "Take and print the quantised integers (int8; outputs have scale 1/256 and zero point -128).")
        var raw = false
        @OptionGroup var format: OutputOptions

        func run() throws {
            var prediction = try Prediction(try NetworkFile.load(file))
            let text = String(decoding: try Files.read(input, limit: 256 << 20), as: UTF8.self)
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where !line.allSatisfy(\.isWhitespace) {
                let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
                do throws(Fault) {
                    let row = raw ? try prediction.predict(integers: numbers(cells)).map { "\($0)" } : try prediction.predict(numbers(cells)).map { Decimals.text($0, places: 6) }
                    try Console.print(format.json ? JSON.array(row.map(JSON.number)).text : row.joined(separator: ","))
                } catch {
                    throw Fault(error.code, "\(input):\(index + 1): \(error.message)", remedy: error.remedy)
                }
            }
        }

        private func numbers<Number: LosslessStringConvertible>(_ cells: [String]) throws(Fault) -> [Number] {
            var numbers: [Number] = []
            for cell in cells {
                guard let number = Number(cell) else { throw Fault(.badData, "\"\(cell)\" is not \(raw ? "an integer from -128 to 127" : "a number")") }
                numbers.append(number)
            }
            return numbers
        }
    }
}

struct InputArgument: ExpressibleByArgument {
    var value: NetworkInput
    init(value: NetworkInput) { self.value = value }
    init?(argument: String) {
        guard let value = NetworkInput(rawValue: argument) else { return nil }
        self.value = value
    }
    var defaultValueDescription: String { value.rawValue }
    static var allValueStrings: [String] { ["raw", "features"] }
}
