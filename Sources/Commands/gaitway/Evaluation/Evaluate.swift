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
            "activity". --recordings plays a directory in the HAPT layout through the same code as `gaitway run`.
            """)

    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("Windows to classify.", valueName: "file"))
    var windows: String?
    @Option(help: ArgumentHelp("Their activities.", valueName: "file"))
    var labels: String?
    @Option(help: ArgumentHelp("Directory of recordings.", valueName: "dir"))
    var recordings: String?
    @Option(help: ArgumentHelp("Only these subjects, as 1,3.", valueName: "subjects"))
    var subjects: SubjectList = SubjectList()
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
        guard !paper || recordings != nil else { throw ValidationError("--paper needs --recordings") }
        guard paper || html == nil else { throw ValidationError("--html belongs to --paper") }
        guard !paper || model.model == nil && !fresh else {
            throw ValidationError("--paper trains its own network: leave out --model and --fresh")
        }
        guard (windows != nil) != (recordings != nil) else { throw ValidationError("give either --windows with --labels, or --recordings") }
        guard (windows != nil) == (labels != nil) else { throw ValidationError("--windows and --labels belong together") }
        guard windows == nil || subjects.subjects.isEmpty else { throw ValidationError("--subjects belongs to --recordings") }
    }

    func run() throws {
        if paper { return try runPaper() }
        let kept = try model.load(), network = fresh ? kept.forgetting : kept
        if let windows, let labels {
            let matrix = try Evaluation.windows(windows, labels: labels, network: network)
            try Console.print(format.json ? JSON.object(json(matrix)).text : text(matrix))
        } else {
            let smoothing = Smoothing(try Settings())
            let (matrix, events) = try Evaluation.recordings(
                recordings ?? "", subjects: subjects.subjects, network: network, smoothing: smoothing)
            try Console.print(
                format.json ? JSON.object(json(matrix) + [("events", json(events))]).text : text(matrix) + "\n" + text(events))
        }
    }

    private func runPaper() throws {
        var options = TrainingOptions()
        options.augment = true
        let table = try PaperTable(directory: recordings ?? "", leavingOut: subjects.subjects, options) { progress in
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

    private func json(_ events: EventScore) -> JSON {
        .object([
            ("truths", .integer(events.truths)), ("shown", .integer(events.shown)), ("precision", share(events.precision)),
            ("recall", share(events.recall)),
            ("median_delay", events.medianDelay.map { .number(Decimals.text($0, over: 50, places: 2)) } ?? .null),
        ])
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
