import ArgumentParser
import Models
import Support
import Training

extension Model {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a model of a network from elsewhere.",
            discussion: """
                .tflite: dense layers with full integer (int8) quantisation, which run bit for bit as LiteRT's reference kernels run them. \
                .safetensors: dense layers in float (0.weight [outputs, inputs], 0.bias, ...) on windows in g, quantised on the recordings of --calibrate.
                """)

        @Argument(help: ArgumentHelp("The network.", valueName: "file"))
        var file: String
        @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"))
        var output: String
        @Option(help: ArgumentHelp("Names of the outputs, separated by commas. (default: 0,1,...)", valueName: "names"))
        var labels: String?
        @Option(help: ArgumentHelp("raw: windows of x, y, z in g, as a sensor gives; features: other numbers, for `gaitway model predict`.", valueName: "kind"))
        var input = NetworkInput.raw
        @Option(help: ArgumentHelp("Samples between two windows.", valueName: "samples"))
        var hop = 64
        @Option(help: ArgumentHelp("Float networks: recordings to quantise on, in the HAPT layout.", valueName: "directory"))
        var calibrate: String?
        @Option(help: ArgumentHelp("Float networks: what follows every layer but the last: linear, relu or sigmoid.", valueName: "name"))
        var activation = LayerActivation.relu
        @Option(help: ArgumentHelp("Float networks: bits of the weights, 2 to 8.", valueName: "k"))
        var bits = 8
        @OptionGroup var format: OutputOptions

        func validate() throws {
            guard (1...1024).contains(hop) else { throw ValidationError("--hop takes 1 to 1024 samples") }
            guard (2...8).contains(bits) else { throw ValidationError("--bits takes 2 to 8") }
        }

        func run() throws {
            let names = labels.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            let network: Network
            if file.hasSuffix(".tflite") {
                network = try TFLiteImport.network(file, input: input, labels: names, hop: hop)
            } else if file.hasSuffix(".safetensors") {
                network = try quantised(names)
            } else {
                throw Fault(.usage, "\(file) is neither a .tflite nor a .safetensors file")
            }
            try NetworkFile.save(network, to: output)
            Console.note("gaitway: \(output): \(network.layers.count) layers, \(network.inputs) inputs, \(network.outputs) outputs")
        }

        private func quantised(_ names: [String]?) throws -> Network {
            guard let calibrate else { throw Fault(.usage, "a network in float is quantised on recordings", remedy: "Name their directory with --calibrate.") }
            let layers = try FloatImport.layers(file, activation: activation)
            let result = try FloatCalibration(
                layers, labels: names ?? (0..<(layers.last?.outputs ?? 0)).map { "\($0)" }, recordings: calibrate, bits: bits, hop: hop)
            try report(result)
            return result.network
        }

        private func report(_ result: FloatCalibration) throws(Fault) {
            func share(_ count: Int) -> String { Decimals.text(count * 10_000, over: max(result.windows * 100, 1), places: 2) }
            if format.json {
                try Console.print(JSON.object([
                    ("windows", .integer(result.windows)), ("equal", .integer(result.equal)), ("right_in_float", .integer(result.rightInFloat)),
                    ("right_in_fixed", .integer(result.rightInFixed)),
                ]).text)
            } else {
                try Console.print("\(result.windows) windows: fixed point decides \(share(result.equal)) % of them as float does; right: float \(share(result.rightInFloat)) %, fixed \(share(result.rightInFixed)) %")
            }
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
