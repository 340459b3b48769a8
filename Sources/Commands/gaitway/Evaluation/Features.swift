import ArgumentParser
import NeuralNetwork
import Recognition
import Sensing
import Support

struct Features: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the features of every window, a row each, to train elsewhere.",
        discussion: """
            features-17: mean, standard deviation, signal magnitude area, spectral entropy, correlations, strongest frequency and gait \
            band of x, y and z. features-80: more, over body, gravity, jerk and their lengths. They are computed in integers, as \
            `gaitway run` computes them; a network trained on such rows comes back with `gaitway model import --input features-17`, and \
            `gaitway model predict` takes them as they are. With --recordings, one's own or a recording set: of every labelled \
            stretch, each row with its time in the recording (s), who it is and what they do.
            """)

    @OptionGroup var origin: SourceOptions
    @Option(help: ArgumentHelp("Labelled recordings instead of a source.", valueName: "dir"), completion: .directory)
    var recordings: String?
    @Option(help: ArgumentHelp("features-17 or features-80.", valueName: "kind"))
    var input = NetworkInput.features17
    @Option(help: ArgumentHelp("Samples of a window at 50 Hz.", valueName: "samples"))
    var window = 128
    @Option(help: ArgumentHelp("Samples between two windows.", valueName: "samples"))
    var hop = 64
    @Option(help: ArgumentHelp("Stop after so many seconds of samples.", valueName: "seconds"))
    var duration: Double?
    @OptionGroup var place: ConfigurationOptions

    private var names: [String] {
        func each(_ names: [String], _ parts: [String]) -> [String] { names.flatMap { name in parts.map { "\(name)_\($0)" } } }
        let axes = ["x", "y", "z"], pairs = each(["correlation"], ["xy", "xz", "yz"])
        if input == .features17 {
            return each(["mean", "deviation"], axes) + ["magnitude_area", "entropy"] + pairs + each(["frequency", "band"], axes)
        }
        let described = ["deviation", "absolute", "largest", "least", "frequency", "entropy", "band_low", "band_middle", "band_high"]
        return each(["gravity"], axes) + pairs + ["body_length", "jerk_length"]
            + each(["body_x", "body_y", "body_z", "body", "jerk_x", "jerk_y", "jerk_z", "jerk"], described)
    }

    func validate() throws {
        guard input == .features17 || input == .features80 else { throw ValidationError("--input takes features-17 or features-80") }
        guard (16...1024).contains(window), (1...window).contains(hop) else {
            throw ValidationError("--window takes 16 to 1024 samples, --hop up to as many")
        }
        guard recordings == nil || origin.source == nil && duration == nil else {
            throw ValidationError("--recordings goes without --source and --duration")
        }
        if let duration, !(duration > 0 && duration < 1e9) { throw ValidationError("--duration takes a positive number of seconds") }
    }

    func run() throws {
        if let recordings { return try printStretches(of: recordings) }
        let source = try origin.start(try place.load())
        try Console.print(names.joined(separator: ","))
        var frontEnd = try FrontEnd(rate: source.rate, length: window, hop: hop), block = SampleBlock(capacity: max(1, source.rate / 1000)),
            taken = 0
        let limit = duration.map { Int(clamping: Int64($0 * Double(source.rate) / 1000)) } ?? Int.max
        while taken < limit, !Interruption.stop.isRaised, try source.read(into: &block) {
            if block.followsGap { frontEnd.reset() }
            let count = min(block.count, limit - taken)
            taken += count
            var rows: [String] = []
            frontEnd.push(block.samples, count: count) { total, _ in
                rows.append(text(total))
            }
            for row in rows { try Console.print(row) }
        }
    }

    private func text(_ total: [Int16]) -> String {
        WindowInput.row(total, input).map { Decimals.text($0, over: 4096, places: 6) }.joined(separator: ",")
    }

    private func printStretches(of directory: String) throws {
        try Console.print((["time", "subject", "label"] + names).joined(separator: ","))
        try LabelledStream.each(in: directory) { stream throws(Fault) in
            for piece in stream.pieces {
                for stretch in piece.stretches {
                    guard let labels = stretch.labels, !labels.isEmpty else { continue }
                    try printRows(of: piece, stretch.range, rate: stream.rate, "\(stream.person),\(labels.joined(separator: "|"))")
                }
            }
        }
    }

    private func printRows(of piece: LabelledStream.Piece, _ range: Range<Int>, rate: Int, _ whose: String) throws(Fault) {
        var frontEnd = try FrontEnd(rate: rate, length: window, hop: hop), rows: [String] = []
        frontEnd.push(Array(piece.samples[range.lowerBound * 3..<range.upperBound * 3]), count: range.count) { total, _ in
            rows.append(text(total))
        }
        let began = Int64(range.lowerBound) * 1_000_000 / Int64(rate)
        for (index, row) in rows.enumerated() {
            let end = began + Int64(window + index * hop) * 20
            try Console.print("\(Decimals.text(end, over: 1000, places: 2)),\(whose),\(row)")
        }
    }
}
