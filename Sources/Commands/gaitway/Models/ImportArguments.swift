import ArgumentParser
import Conversion
import NeuralNetwork
import Support
import Training

/// What a network's file does not say about it.
struct ImportArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Names of the outputs, separated by commas. (default: the file's, or 0,1,...)", valueName: "names"))
    var labels: String?
    @Option(
        help: ArgumentHelp(
            """
            raw: windows of x, y, z in g, as a sensor gives; features-17, features-80, raw+features-17: what `gaitway features` makes \
            of them; swift-har: as Swift-HAR's .json takes them; features: other numbers, for `gaitway model predict`.
            """,
            valueName: "kind"))
    var input = NetworkInput.raw
    @Option(
        name: .customLong("window"),
        help: ArgumentHelp(
            "Samples of a window, where the file leaves it open: the steps of an LSTM. (default: 128)", valueName: "samples"))
    var givenWindow: Int?
    @Option(
        name: .customLong("hop"),
        help: ArgumentHelp("Samples between two windows. (default: 64, or the window where that is shorter)", valueName: "samples"))
    var givenHop: Int?
    @Option(
        help: ArgumentHelp(
            "Sampling rate that the network was trained for; windows are resampled to 50 Hz, and no other can be run.", valueName: "Hz"))
    var rate = 50
    @Option(
        help: ArgumentHelp(
            """
            What LSTM and GRU layers remember: kept from window to window, or fresh for each. (default: fresh for .onnx and for loops of \
            .tflite, else kept)
            """,
            valueName: "state"))
    var state: NetworkState?

    @Option(
        help: ArgumentHelp(
            "An .onnx with several outputs: which of them has a number for each class; or any tensor in it.", valueName: "name"))
    var outputName: String?

    var window: Int { givenWindow ?? 128 }
    var hop: Int { givenHop ?? 64 }
    private var names: [String]? { labels.map { $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) } } }

    func validate() throws {
        if let names, Set(names).count != names.count || names.contains("") {
            throw ValidationError("--labels takes a name of its own for each output")
        }
        guard outputName != "" else { throw ValidationError("--output-name takes the name of a tensor") }
        guard (1...1024).contains(hop) else { throw ValidationError("--hop takes 1 to 1024 samples") }
        guard (1...1024).contains(window) else { throw ValidationError("--window takes 1 to 1024 samples") }
        guard rate == 50 else { throw ValidationError("networks run on windows at 50 Hz; train yours at that rate (--rate 50)") }
    }

    /// What holds for a file: of Swift-HAR's it is known what they take.
    func of(_ file: String) -> ImportArguments {
        guard ImportedNetwork.isSwiftHAR(file) else { return self }
        var known = self
        (known.input, known.givenWindow, known.givenHop) = (.shifted, SwiftAIFile.window, SwiftAIFile.window / 2)
        return known
    }

    /// - Parameter inputs: of the network.
    /// - Throws: `.usage` where its windows are not those that were asked for.
    func requireFitting(_ inputs: Int) throws(Fault) {
        guard let found = input.window(count: inputs, otherwise: window) else { return } // refused later
        if let givenWindow, givenWindow != found {
            throw Fault(.usage, "this network's windows have \(found) samples, not \(givenWindow)", remedy: "Leave --window out.")
        }
        if let givenHop, givenHop > found {
            throw Fault(.usage, "--hop \(givenHop) is longer than a window of \(found) samples: some would never be looked at")
        }
    }

    /// - Parameters:
    ///   - found: the file's own labels, for want of others.
    ///   - remembered: what the file says of its layers' state, likewise.
    func options(_ found: [String]? = nil, _ remembered: NetworkState? = nil) -> ImportOptions {
        var options = ImportOptions(
            input: input, labels: names ?? found, hop: hop, state: state ?? remembered ?? .kept, window: window)
        options.output = outputName
        return options
    }
}

/// How a network in float becomes integers.
struct FloatArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to quantise a network in float on, and to take examples from: a directory of recordings or a file of rows.",
            valueName: "path"))
    var calibrate: String?
    @Option(
        name: .customLong("activation"),
        help: ArgumentHelp(
            "Networks in float out of .safetensors: what follows every dense layer but the last. (default: relu)", valueName: "name"))
    var givenActivation: ActivationName?
    @Option(
        help: ArgumentHelp(
            """
            Networks in float: integers between the layers. (default: int8 where it decides as float does in 99.9 % of a thousand \
            rows or more, else int16)
            """,
            valueName: "type"))
    var activations: IntegerType?

    var activation: ActivationName { givenActivation ?? .relu }

    /// - Throws: `.usage` where a file says itself what follows its layers.
    func requireFitting(_ file: String) throws(Fault) {
        guard givenActivation == nil || file.hasSuffix(".safetensors") else {
            throw Fault(
                .usage, "--activation is for networks in float out of .safetensors; \(file) says itself what follows its layers",
                remedy: "Leave --activation out.")
        }
    }

    /// - Throws: `ValidationError` where weights of so many bits do not go with the integers between the layers.
    func requireFitting(bits: Int) throws {
        guard bits <= 8 || activations != .int8 else {
            throw ValidationError("weights of more than 8 bits go with --activations int16 alone")
        }
    }

    /// What to calibrate on. Errors: `.usage` without it; those of ``CalibrationRows``.
    func rows(_ graph: FloatGraph, _ naming: ImportArguments, path: String) throws(Fault) -> CalibrationRows {
        guard let calibrate else {
            if naming.input == .shifted { return try CalibrationRows(simulated: .shifted, window: naming.window, hop: naming.hop) }
            throw Fault(
                .usage,
                "\(path) \(graph.obstacleToScales.map { "has scales of its own that cannot be kept: \($0). It" } ?? "is in float: it") "
                    + "is quantised on real inputs",
                remedy: "Name recordings, or a file of rows, with --calibrate.")
        }
        if let windows = try windows(graph.input.count, naming) { return windows }
        return try CalibrationRows(file: calibrate, inputs: graph.input.count)
    }

    /// Windows of the recordings that --calibrate names; nil where it names none.
    func windows(_ count: Int, _ naming: ImportArguments) throws(Fault) -> CalibrationRows? {
        guard let calibrate, Files.isDirectory(calibrate) else { return nil }
        let window = naming.input.window(count: count, otherwise: naming.window) ?? naming.window
        return try CalibrationRows(recordings: calibrate, inputs: count, kind: naming.input, window: window, hop: naming.hop)
    }
}

enum ActivationName: String, CaseIterable, ExpressibleByArgument {
    case linear, relu, relu6, sigmoid, tanh

    var activation: Activation? {
        switch self {
        case .linear: nil
        case .relu: .relu
        case .relu6: .relu6
        case .sigmoid: .sigmoid
        case .tanh: .tanh
        }
    }
}

extension ImportedNetwork {
    /// - Throws: `.usage` for a file of no known kind; those of the importers.
    init(_ path: String, _ naming: ImportArguments, _ float: FloatArguments) throws(Fault) {
        try float.requireFitting(path)
        guard naming.outputName == nil || path.hasSuffix(".onnx") else {
            throw Fault(.usage, "--output-name is for .onnx files, and \(path) is none", remedy: "Leave --output-name out.")
        }
        try self.init(path, naming.options(), activation: float.activation.activation, steps: naming.window)
    }
}
