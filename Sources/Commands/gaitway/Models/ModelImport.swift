import ArgumentParser
import Conversion
import NeuralNetwork
import Support
import Training

extension Model {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Make a model of a network from elsewhere.",
            discussion: """
                .tflite: with integer quantisation (int8, or 16x8), which runs bit for bit as TFLite's reference kernels run it, or in \
                float. \
                .onnx: what PyTorch, Keras (model.export, format "onnx"), tf2onnx and scikit-learn's converter write, forests and boosted \
                trees among it. \
                .mlmodel: Core ML's neural networks. .safetensors: dense layers in float (0.weight [outputs, inputs], 0.bias, ...), behind \
                PyTorch's LSTM (lstm.weight_ih_l0, ...). .json: what Swift-HAR saved, which runs on a second of samples, shifted as there, \
                or what XGBoost's save_model wrote. \
                Networks in float are quantised on what --calibrate names: a recording set, a directory of recordings in the HAPT layout \
                or of one's own, or a file of rows of numbers. Of recordings with all of the network's labels the model takes examples \
                along, so that `gaitway train --from` can teach its last layer more activities.
                """)

        @Argument(help: ArgumentHelp("The network.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("Where the model goes.", valueName: "file"), completion: .file())
        var output: String?
        @OptionGroup var naming: ImportArguments
        @OptionGroup var float: FloatArguments
        @Option(
            help: ArgumentHelp(
                """
                Bits of the weights of networks in float, 2 to 16. (default: 8; 16 for forests, support vectors and networks of at most \
                4,096 products, and for others where 8 decide less than 99.75 % of the rows as float does, or are expected to decide \
                less than 99.9 % of others so, unless 16 are worse)
                """,
                valueName: "k"))
        var bits: Int?
        @Flag(help: "Networks in float: show what quantising costs each layer, its range, scale and signal-to-noise ratio.")
        var report = false
        @Flag(help: "Say what would be made, and write nothing.")
        var dryRun = false
        @OptionGroup var format: OutputOptions

        func validate() throws {
            guard (2...16).contains(bits ?? 8) else { throw ValidationError("--bits takes 2 to 16") }
            try float.requireFitting(bits: bits ?? 8)
            guard output != nil || dryRun else { throw ValidationError("--output says where the model goes; --dry-run makes none") }
        }

        // Of a share, what two decimals of its percentage show.
        private static let visible = 1e-4

        // A .safetensors file says nothing of what lies between its layers.
        private func order(_ activation: ActivationName) throws(Fault) -> String {
            let names = try SafetensorsImport.layerNames(file).joined(separator: ", ")
            let between = activation == .linear ? "nothing" : activation.rawValue
            return "layers in the order of their names: \(names); \(between) between dense layers (--activation)"
        }

        func run() throws {
            let naming = naming.of(file)
            if let output, !dryRun {
                let data = file.hasSuffix(".onnx") && Files.isFile(output) ? try ONNXImport.dataFiles(of: file) : []
                try Files.requirePlace(for: output, reading: [file, float.calibrate].compactMap(\.self) + data)
            }
            let network: Network
            switch try ImportedNetwork(file, naming, float) {
            case .integers(let imported):
                try naming.requireFitting(imported.inputs)
                if report || bits != nil || float.activations != nil {
                    let ignored = bits != nil || float.activations != nil ? " (--bits and --activations are for networks in float)" : ""
                    Console.note("gaitway: \(file) is in integers already, and runs as it is: nothing is lost\(ignored)")
                }
                let labelled = try float.windows(imported.inputs, naming)
                network = try labelled.map { rows throws(Fault) in try imported.carryingExamples(of: rows) } ?? imported
            case .floats(let graph, let labels):
                try naming.requireFitting(graph.input.count)
                try graph.requireAffordable()
                if file.hasSuffix(".safetensors") { Console.note("gaitway: \(file): \(try order(float.activation))") }
                let rows = try float.rows(graph, naming, path: file)
                if let obstacle = graph.obstacleToScales {
                    Console.note("gaitway: \(file): its own scales cannot be kept (\(obstacle)), and others are found on the rows")
                }
                let known = naming.options(labels, graph.state)
                func calibrated(_ bits: Int, _ activations: IntegerType? = nil) throws(Fault) -> FloatCalibration {
                    try FloatCalibration(graph, rows, bits: bits, activations: activations ?? float.activations, known, path: file)
                }
                let isWide = graph.products <= FloatCalibration.small || graph.needsWideWeights
                Console.progress("quantising on \(rows.count) rows")
                var result = try calibrated(bits ?? 8)
                if bits == nil, float.activations != .int8, isWide || !result.isClose, let wide = try? calibrated(16),
                    graph.needsWideWeights || wide.share > result.share + Self.visible
                        || isWide && (wide.expected >= result.expected || wide.equal >= result.equal)
                {
                    if !isWide { Console.note(QuantisationText.widened(result, to: wide)) }
                    result = wide
                }
                Console.progress(nil)
                if graph.hasForests, naming.input == .features, let coarse = CoarseColumns(rows, result.network) {
                    Console.note(QuantisationText.coarse(coarse))
                }
                let scaling = result.network.inputScaling, setsNoSteps = scaling.isOfRanksAlone || scaling.hasCopies && result.room == nil
                if !setsNoSteps, let outlier = OutlierRow(rows) {
                    Console.note(QuantisationText.outlier(outlier))
                }
                if let obstacle = result.obstacle {
                    Console.note("gaitway: warning: int8 between the layers, since int16 cannot be had: \(obstacle.message)")
                }
                if let unseen = QuantisationText.unseen(result) { Console.note(unseen) }
                if rows.count < FloatCalibration.few {
                    Console.note(QuantisationText.few(rows.count))
                } else if let cutOff = QuantisationText.cutOff(result, isChosen: float.activations != nil) {
                    Console.note(cutOff)
                }
                let places = report ? try QuantisationReport(result.network, result.result, count: rows.count, row: rows.row).places : []
                try QuantisationText.print(result, places, format)
                if !result.isUsual {
                    let isNarrow = bits.map { $0 < 16 } ?? false, isCoarse = float.activations == .int8
                    Console.note(
                        QuantisationText.warning(
                            result, inWideWeights: isNarrow && !isCoarse ? try? calibrated(16) : nil,
                            inWideNumbers: isCoarse ? try? calibrated(bits ?? 8, .int16) : nil))
                }
                network = try result.network.carryingExamples(of: rows)
            }
            if naming.state != nil, !network.isSequential {
                Console.note("gaitway: \(file): --state changes nothing: none of its layers remembers what came before")
            }
            if let output, !dryRun {
                try NetworkFile.save(network, to: output)
            } else {
                _ = try NetworkFile.encode(network)
            }
            let made = dryRun ? file : output ?? file
            let windows = network.inputKind == .raw ? " (windows of \(network.window) samples of x, y and z)" : ""
            Console.note(
                "gaitway: \(made): \(network.layers.count) layers, \(network.columns) inputs\(windows), \(network.outputs) outputs")
        }
    }
}
