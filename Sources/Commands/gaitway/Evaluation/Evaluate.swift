import Runtime
import NeuralNetwork
import ArgumentParser
import Evaluation
import Recognition
import Settings
import Support
import Training

struct Evaluate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure a model on labelled windows or recordings.",
        discussion: """
            --windows takes the UCI HAR layout: int16 of 1/8192 g, already filtered, with a CSV table that has a column \
            "activity". --recordings plays recording sets (index.csv) or the HAPT data set through the same code as `gaitway run`. A \
            model that learns how the sensor is worn is played every recording twice: the first time it learns, the second time counts.
            """)

    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("Windows to classify.", valueName: "file"))
    var windows: String?
    @Option(help: ArgumentHelp("Their activities.", valueName: "file"))
    var labels: String?
    @Option(help: ArgumentHelp("Directory of recordings; may be given several times.", valueName: "dir"))
    var recordings: [String] = []
    @Option(name: [.long, .customLong("people")], help: ArgumentHelp("Only these people, as 1,3 or s01,s07.", valueName: "people"))
    var subjects = NameList()
    @Option(help: ArgumentHelp("Only these places of the body, as waist,pocket.", valueName: "placements"))
    var placement = NameList()
    @Option(help: ArgumentHelp("Put each person's own activities into a random order that no protocol has.", valueName: "seed"))
    var life: UInt64?
    @Option(help: ArgumentHelp("Turn each recording by a random rotation.", valueName: "seed"))
    var turned: UInt64?
    @Flag(help: "Count a model's decisions from the start, while it learns how the sensor is worn.")
    var cold = false
    @Flag(help: "Forget before every window what came before, where the network remembers; --windows always does.")
    var fresh = false
    @Flag(
        help: ArgumentHelp(
            """
            The paper's table: trains a feed-forward network on some people and measures it on the others (--subjects, else every \
            fifth), in float and with 2 to 16 bits.
            """
        ))
    var paper = false
    @Option(help: ArgumentHelp("Write the table as a page with pictures, too.", valueName: "file"))
    var html: String?
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard !paper || recordings.count == 1 else { throw ValidationError("--paper needs --recordings") }
        guard paper || html == nil else { throw ValidationError("--html belongs to --paper") }
        guard !paper || model.model == nil && !fresh else {
            throw ValidationError("--paper trains its own network: leave out --model and --fresh")
        }
        guard (windows != nil) != !recordings.isEmpty else { throw ValidationError("give either --windows with --labels, or --recordings") }
        guard (windows != nil) == (labels != nil) else { throw ValidationError("--windows and --labels belong together") }
        guard windows == nil || subjects.names.isEmpty && placement.names.isEmpty && life == nil && turned == nil && !cold else {
            throw ValidationError("--subjects, --placement, --life, --turned and --cold belong to --recordings")
        }
    }

    func run() throws {
        if paper { return try runPaper() }
        let kept = try model.load(), network = fresh ? kept.forgetting : kept
        if let windows, let labels {
            let matrix = try Evaluation.windows(windows, labels: labels, network: network)
            try Console.print(format.json ? JSON.object(json(matrix)).text : text(matrix))
        } else {
            var options = Evaluation.Options()
            (options.people, options.placements, options.life) = (subjects.names, placement.names, life)
            (options.turned, options.isCold, options.smoothing) = (turned, cold, Smoothing(try Settings(), for: network))
            let score = try Evaluation.recordings(recordings, options, network: network)
            if !score.trainedOn.isEmpty {
                Console.note(
                    """
                    gaitway: the model was trained on \(score.trainedOn.joined(separator: ", ")): what it shows of them says nothing about \
                    other people
                    """)
            }
            try Console.print(format.json ? JSON.object(json(score)).text : text(score))
        }
    }

    private func runPaper() throws {
        var options = TrainingOptions()
        options.augment = true
        let table = try PaperTable(directory: recordings[0], leavingOut: try subjects.numbers(), options) { progress in
            Console.progress("training: epoch \(progress.step)/\(progress.steps)")
        }
        Console.progress(nil)
        try Console.print(format.json ? table.json.text : table.text)
        if let html { try Files.write(Array(PaperReport(table: table).html.utf8), to: html) }
    }

    private func json(_ matrix: ConfusionMatrix) -> [(String, JSON)] {
        [
            ("windows", .integer(matrix.windows)), ("accuracy", .number(Decimals.text(matrix.accuracy, places: 4))),
            ("labels", .array(matrix.labels.map(JSON.string))),
            ("confusion", .array(matrix.counts.map { .array($0.map(JSON.integer)) })),
            ("precision", .array(matrix.labels.indices.map { share(matrix.precision($0)) })),
            ("recall", .array(matrix.labels.indices.map { share(matrix.recall($0)) })),
        ]
    }

    private func json(_ score: RecordingScore) -> [(String, JSON)] {
        func shares(_ shares: [RecordingScore.Share]) -> JSON { .object(shares.map { ($0.name, json($0)) }) }
        var entries = json(score.windows) + [("events", json(score.events)), ("people", shares(score.people))]
        entries += [("placements", shares(score.placements)), ("sets", shares(score.sets))]
        if let unoriented = score.unoriented { entries.append(("unoriented", share(unoriented.share))) }
        if let placed = score.placed { entries.append(("placed", json(placed))) }
        if score.foreign.all > 0 { entries.append(("unknown", json(score.foreign))) }
        if !score.trainedOn.isEmpty { entries.append(("trained_on", .array(score.trainedOn.map(JSON.string)))) }
        return entries
    }

    private func json(_ part: RecordingScore.Share) -> JSON {
        .object([("accuracy", .number(Decimals.text(part.share, places: 4))), ("windows", .integer(part.all))])
    }

    private func json(_ events: EventScore) -> JSON {
        .object([
            ("truths", .integer(events.truths)), ("shown", .integer(events.shown)), ("precision", share(events.precision)),
            ("recall", share(events.recall)),
            ("median_delay", events.medianDelay.map { .number(Decimals.text($0, over: 50, places: 2)) } ?? .null),
        ])
    }

    private func text(_ score: RecordingScore) -> String {
        var lines = [text(score.windows)]
        for (name, parts) in [("set", score.sets), ("placement", score.placements)] where parts.count > 1 {
            lines.append("")
            lines += parts.map { "\(name) \($0.name.padded(16)) \(Units.percent($0.share).aligned(7)) of \($0.all) windows" }
        }
        if let worst = score.people.min(by: { $0.share < $1.share }), score.people.count > 1 {
            lines.append("worst      person \(worst.name): \(Units.percent(worst.share)) of \(worst.all) windows")
        }
        if let unoriented = score.unoriented {
            lines.append("unoriented \(Units.percent(unoriented.share)) of the windows: it was not known which way is up")
        }
        if let placed = score.placed { lines.append("placement  found in \(Units.percent(placed.share)) of \(placed.all) recordings") }
        if score.foreign.all > 0 {
            lines.append(
                "unknown    \(Units.percent(score.foreign.share)) of \(score.foreign.all) windows of activities that it does not know")
        }
        return lines.joined(separator: "\n") + "\n" + text(score.events)
    }

    private func text(_ events: EventScore) -> String {
        let delay = events.medianDelay.map { Decimals.text($0, over: 50, places: 2) + " s" } ?? "-"
        return """

            after smoothing, by stretches of one activity
            found      \(events.recall.map(Units.percent) ?? "-") of \(events.truths)
            right      \(events.precision.map(Units.percent) ?? "-") of \(events.shown) that were shown
            delay      \(delay) from a change to the changed decision, median
            """
    }

    private func share(_ value: Double?) -> JSON { value.map { .number(Decimals.text($0, places: 4)) } ?? .null }

    private func text(_ matrix: ConfusionMatrix) -> String {
        let width = matrix.labels.map(\.count).max() ?? 0
        var lines = ["accuracy \(Units.percent(matrix.accuracy)) of \(matrix.windows) windows", ""]
        lines.append(
            "true \\ decided".padded(width) + matrix.labels.indices.map { "\($0 + 1)".aligned(6) }.joined() + "  precision   recall")
        for (truth, label) in matrix.labels.enumerated() {
            let cells = matrix.counts[truth].enumerated().map { decided, count in
                let cell = "\(count)".aligned(6)
                return decided == truth ? Console.styled(cell, .green) : count == 0 ? Console.styled(cell, .dim) : cell
            }
            let shares = [matrix.precision(truth), matrix.recall(truth)].map { ($0.map(Units.percent) ?? "-").aligned(9) }
            lines.append(label.padded(width) + cells.joined() + "  " + shares.joined())
        }
        return lines.joined(separator: "\n")
    }
}
