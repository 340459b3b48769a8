import ArgumentParser
import NeuralNetwork
import Recognition
import Runtime
import Sensing
import Support

struct Features: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "features", abstract: "Print the features of every window, a row each, to train elsewhere.",
        discussion: """
            features-17: mean, standard deviation, signal magnitude area, spectral entropy, correlations, strongest frequency and gait \
            band of x, y and z. features-80: more, over body, gravity, jerk and their lengths. They are computed in integers, as \
            `gaitway run` computes them; a network trained on such rows comes back with `gaitway model import --input features-17`, and \
            `gaitway model predict` takes them as they are. raw, raw+features-17 and swift-har: what networks take of windows, filtered \
            as `gaitway run` filters them. worn: what --model takes, from when walking has shown how the sensor is worn; its windows \
            are the model's. With --recordings, one's own or a recording set: of every window that lies wholly within a labelled \
            stretch, filtered as on a board from the recording's start on, each row with its time in the recording (s), who it is and \
            what they do. Numbers have all of their decimals.
            """)

    @OptionGroup var origin: SourceOptions
    @Option(help: ArgumentHelp("Labelled recordings instead of a source.", valueName: "dir"), completion: .directory)
    var recordings: String?
    @Option(help: ArgumentHelp("features-17, features-80, raw, raw+features-17, swift-har or worn.", valueName: "kind"))
    var input = NetworkInput.features17
    @OptionGroup var chosen: ModelOptions
    @Option(help: ArgumentHelp("Samples of a window at 50 Hz.", valueName: "samples"))
    var window = 128
    @Option(help: ArgumentHelp("Samples between two windows.", valueName: "samples"))
    var hop = 64
    @Option(help: ArgumentHelp("Stop after so many seconds of samples.", valueName: "seconds"))
    var duration: Double?
    @OptionGroup var place: ConfigurationOptions

    private func names(_ window: Int) -> [String] {
        func each(_ names: [String], _ parts: [String]) -> [String] { names.flatMap { name in parts.map { "\(name)_\($0)" } } }
        let axes = ["x", "y", "z"], pairs = each(["correlation"], ["xy", "xz", "yz"])
        let seventeen = each(["mean", "deviation"], axes) + ["magnitude_area", "entropy"] + pairs + each(["frequency", "band"], axes)
        let samples = (0..<window).flatMap { index in axes.map { "\($0)_\(index)" } }
        switch input {
        case .features17: return seventeen
        case .raw, .shifted: return samples
        case .rawAndFeatures17: return samples + seventeen
        case .worn:
            return (0..<NetworkInput.countWearing).map { "feature_\($0)" } + (0..<NetworkInput.mostPlacements).map { "place_\($0)" }
        case .features80, .features: break
        }
        let described = ["deviation", "absolute", "largest", "least", "frequency", "entropy", "band_low", "band_middle", "band_high"]
        return each(["gravity"], axes) + pairs + ["body_length", "jerk_length"]
            + each(["body_x", "body_y", "body_z", "body", "jerk_x", "jerk_y", "jerk_z", "jerk"], described)
    }

    func validate() throws {
        guard input != .features else { throw ValidationError("--input features is what no window makes") }
        guard chosen.model == nil || input == .worn else { throw ValidationError("--model goes with --input worn") }
        guard (16...1024).contains(window), (1...window).contains(hop) else {
            throw ValidationError("--window takes 16 to 1024 samples, --hop up to as many")
        }
        guard recordings == nil || origin.source == nil && duration == nil else {
            throw ValidationError("--recordings goes without --source and --duration")
        }
        if let duration, !(duration > 0 && duration < 1e9) { throw ValidationError("--duration takes a positive number of seconds") }
    }

    func run() throws {
        let settings = try place.load(), network = input == .worn ? try chosen.load(settings) : nil
        let window = network?.window ?? window, hop = network?.hop ?? hop
        if let recordings { return try printStretches(of: recordings, network, window, hop) }
        let source = try origin.start(settings)
        try Console.print(names(window).joined(separator: ","))
        var maker = try WindowRows(input, network)
        if let network { maker.use(try source.wearing ?? ConfiguredWearing(settings, for: network)) }
        var frontEnd = try FrontEnd(rate: source.rate, length: window, hop: hop, early: true),
            block = SampleBlock(capacity: max(1, source.rate / 1000)),
            taken = 0
        let limit = duration.map { Int(clamping: Int64($0 * Double(source.rate) / 1000)) } ?? Int.max
        while taken < limit, !Interruption.stop.isRaised, try source.read(into: &block) {
            if block.followsGap { frontEnd.reset() }
            let count = min(block.count, limit - taken)
            taken += count
            var rows: [String] = []
            frontEnd.push(block.samples, count: count) { total, _ in
                if let row = maker.row(total) { rows.append(text(row)) }
            }
            for row in rows { try Console.print(row) }
        }
    }

    // All decimals of a multiple of 1/4096: thresholds of trees lie beside them.
    private func text(_ row: [Int16]) -> String {
        row.map { value in
            let text = Decimals.text(value, over: 4096, places: 12)
            let digits = text.reversed().drop { $0 == "0" }
            return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
        }.joined(separator: ",")
    }

    private func printStretches(of directory: String, _ network: Network?, _ window: Int, _ hop: Int) throws {
        try Console.print((["time", "subject", "label"] + names(window)).joined(separator: ","))
        var isEmpty = true
        try LabelledStream.each(in: directory) { stream throws(Fault) in
            var maker = try WindowRows(input, network)
            // How the sensor was worn shows in its walking, which may come last.
            for isPlayedBefore in input == .worn ? [false, true] : [true] {
                for piece in stream.pieces {
                    // The filter goes on over what has no label, as on a board.
                    var frontEnd = try FrontEnd(rate: stream.rate, length: window, hop: hop, early: true)
                    var stretches = piece.stretches.filter { !($0.labels ?? []).isEmpty }[...]
                    for first in stride(from: 0, to: piece.samples.count, by: Self.atOnce) {
                        let samples = Array(piece.samples[first..<min(first + Self.atOnce, piece.samples.count)])
                        var rows: [String] = []
                        frontEnd.push(samples, count: samples.count / 3) { total, end in
                            guard let row = maker.row(total), isPlayedBefore,
                                let stretch = stretches.next(around: end - window, end, stream.rate)
                            else { return }
                            let time = Decimals.text(end * 20, over: 1000, places: 2)
                            rows.append("\(time),\(stream.person),\((stretch.labels ?? []).joined(separator: "|")),\(text(row))")
                        }
                        for row in rows { try Console.print(row) }
                        isEmpty = isEmpty && rows.isEmpty
                    }
                }
            }
        }
        if isEmpty {
            throw Fault(
                .noInput, "\(directory) has no labelled stretch of \(window) samples, the length of a window",
                remedy: "Label longer stretches, or choose a shorter --window.")
        }
    }

    // Numbers of samples whose rows are printed together.
    private static let atOnce = 3 * 1 << 14
}

extension ArraySlice<LabelledStream.Stretch> {
    /// The stretch with all samples at 50 Hz from before `first`, as the filter's median looks one back, to before `end`; those that lie
    /// before it are dropped.
    fileprivate mutating func next(around first: Int, _ end: Int, _ rate: Int) -> LabelledStream.Stretch? {
        while let stretch = self.first, stretch.range.at50Hz(rate).upperBound < end { removeFirst() }
        guard let stretch = self.first, stretch.range.at50Hz(rate).lowerBound < first else { return nil }
        return stretch
    }
}
