import Models
import Support
import Training

/// The paper's table with this machine's numbers: one feed-forward network in float and in fixed point.
struct PaperTable {
    /// A way to run the network, and what the paper measured on its phone.
    struct Build {
        var name: String
        var perSecond: Double
        var instructions: Double?
        /// Predictions a second on the paper's Galaxy S II.
        var paperPerSecond: Double
    }

    /// Anguita et al., 2012 and 2013: accuracy on its 789 test windows with 17 features.
    static let paperFloat = 0.893, paperFixed = 0.890

    let sweep: Sweep
    let leftOut: [Int]
    let learntFrom: Int
    let builds: [Build]
    /// Of the recording that the timeline shows, in the order of the data set.
    let timeline: Evaluation.Played

    var float: ConfusionMatrix { sweep.float }
    var network: Network { eight.network }
    var eight: Sweep.Step { sweep.step(bits: 8) ?? sweep.fixed[0] }
    var shape: String { "\(network.input.count)-\(network.layers.first?.output.count ?? 0)-\(network.labels.count)" }

    /// Errors: those of the trainer and of the recordings.
    init(directory: String, leavingOut wish: Set<Int>, _ options: TrainingOptions, progress: (Trainer.Progress) -> Void) throws(Fault) {
        let set = try TrainingSet(directory: directory)
        // Every fifth person, where nobody was named.
        let left = wish.isEmpty ? Set(set.subjects.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)) : wish
        var sweep = try Trainer(set, options).sweep(2...16, leavingOut: left, progress: progress)
        leftOut = left.sorted()
        learntFrom = set.subjects.count - left.count
        guard let eight = sweep.step(bits: 8), let sixteen = sweep.step(bits: 16), let first = leftOut.first else { throw Fault(.usage, "nobody was left out to measure on") }
        let window = eight.network.golden?.input ?? [Int16](repeating: 0, count: eight.network.input.count)
        builds = [
            Self.build("float32", paper: 27.04) { _ = sweep.classifyInFloat(window) }, try Self.build("int16", sixteen.network, window, paper: 241.54),
            try Self.build("int8", eight.network, window, paper: 315.35),
        ]
        self.sweep = sweep
        timeline = try Evaluation.play(directory, firstOf: first, network: eight.network)
    }

    private static func build(_ name: String, _ network: Network, _ window: [Int16], paper: Double) throws(Fault) -> Build {
        var compiled = try CompiledNetwork(network), probabilities = [Int16](repeating: 0, count: network.labels.count)
        return build(name, paper: paper) { _ = compiled.classify(window, &probabilities) }
    }

    private static func build(_ name: String, paper: Double, _ body: () -> Void) -> Build {
        Build(name: name, perSecond: 1e9 / Stopwatch.median(body), instructions: Stopwatch.instructions(body), paperPerSecond: paper)
    }

    var text: String {
        var lines = [
            "\(shape) on raw windows, learnt from \(learntFrom) people, measured on \(leftOut.map(String.init).joined(separator: ", ")): \(float.windows) windows", "",
            Console.styled("weights    accuracy  to float     bytes", .dim),
            "float32  \(percent(float.accuracy).aligned(10)) \("".aligned(9)) \("\(sweep.floatBytes)".aligned(9))",
        ]
        for step in sweep.fixed.reversed() {
            let change = step.matrix.accuracy - float.accuracy, sign = change > 0 ? "+" : ""
            lines.append("\("\(step.bits) bits".padded(8)) \(percent(step.matrix.accuracy).aligned(10)) \((sign + Decimals.text(change * 100, places: 1)).aligned(9)) \("\(step.network.bytes)".aligned(9))")
        }
        lines += ["the paper, 17 features on its own windows: \(percent(Self.paperFloat)) in float, \(percent(Self.paperFixed)) with 8 bits", ""]
        lines.append(Console.styled("build    predictions/s  to float  paper's  instructions", .dim))
        for build in builds {
            let ratio = Decimals.text(build.perSecond / builds[0].perSecond, places: 2), paper = Decimals.text(build.paperPerSecond / builds[0].paperPerSecond, places: 2)
            let instructions = build.instructions.map { Decimals.text($0, places: 0) } ?? "no counter"
            lines.append("\(build.name.padded(8)) \(Decimals.text(build.perSecond, places: 0).aligned(13)) \(ratio.aligned(9)) \(paper.aligned(8)) \(instructions.aligned(13))")
        }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        func matrix(_ matrix: ConfusionMatrix) -> JSON { .array(matrix.counts.map { .array($0.map(JSON.integer)) }) }
        func number(_ value: Double, _ places: Int) -> JSON { .number(Decimals.text(value, places: places)) }
        return .object([
            ("network", .string(shape)), ("left_out", .array(leftOut.map(JSON.integer))), ("windows", .integer(float.windows)), ("labels", .array(float.labels.map(JSON.string))),
            ("float", .object([("accuracy", number(float.accuracy, 4)), ("bytes", .integer(sweep.floatBytes)), ("confusion", matrix(float))])),
            ("fixed", .array(sweep.fixed.map { step in
                .object([("bits", .integer(step.bits)), ("accuracy", number(step.matrix.accuracy, 4)), ("bytes", .integer(step.network.bytes)), ("confusion", matrix(step.matrix))])
            })),
            ("builds", .array(builds.map { build in
                .object([
                    ("name", .string(build.name)), ("predictions_per_second", number(build.perSecond, 1)), ("ratio", number(build.perSecond / builds[0].perSecond, 3)),
                    ("paper_ratio", number(build.paperPerSecond / builds[0].paperPerSecond, 3)), ("instructions", build.instructions.map { number($0, 0) } ?? .null),
                ])
            })),
        ])
    }
}
