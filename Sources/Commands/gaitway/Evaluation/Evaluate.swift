import Runtime
import NeuralNetwork
import ArgumentParser
import Evaluation
import Recognition
import Sensing
import Settings
import Support
import Training

struct Evaluate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measure a model on labelled windows or recordings.",
        discussion: """
            --windows takes the UCI HAR layout: int16 of 1/8192 g, already filtered, with a CSV table that has a column \
            "activity". --recordings plays recording sets (index.csv) or the HAPT data set through the same code as `gaitway run`. A \
            model that learns how the sensor is worn is played every recording twice: the first time it learns, the second time counts.
            """)

    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("Windows to classify.", valueName: "file"), completion: .file())
    var windows: String?
    @Option(help: ArgumentHelp("Their activities.", valueName: "file"), completion: .file())
    var labels: String?
    @Option(help: ArgumentHelp("Directory of recordings; may be given several times.", valueName: "dir"), completion: .directory)
    var recordings: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Count the steps of a recording set: beside the true ones where it has them (steps.csv), and where nobody walks; may be given \
            several times.
            """, valueName: "dir"), completion: .directory)
    var steps: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Look for falls in a recording set; may be given several times. --model names a model of falls (train --falls).
            """, valueName: "dir"), completion: .directory)
    var falls: [String] = []
    @Option(name: [.long, .customLong("people")], help: ArgumentHelp("Only these people, as 1,3 or s01,s07.", valueName: "people"))
    var subjects = NameList()
    @Option(help: ArgumentHelp("All people but these.", valueName: "people"))
    var leaveOut = NameList()
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
    @Option(
        help: ArgumentHelp(
            """
            Write a page with pictures, too: confusion, people, places, confidence, timelines; the recordings as they are, in a random \
            order and turned. With --paper, its table.
            """, valueName: "file"), completion: .file())
    var html: String?
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard !paper || recordings.count == 1 else { throw ValidationError("--paper needs --recordings") }
        guard html == nil || !recordings.isEmpty else { throw ValidationError("--html needs --recordings") }
        guard !paper || model.model == nil && !fresh else {
            throw ValidationError("--paper trains its own network: leave out --model and --fresh")
        }
        guard [windows != nil, !recordings.isEmpty, !steps.isEmpty, !falls.isEmpty].filter({ $0 }).count == 1 else {
            throw ValidationError("give either --windows with --labels, or --recordings, or --steps, or --falls")
        }
        guard steps.isEmpty && falls.isEmpty || life == nil && (turned == nil || steps.isEmpty) && !cold && !fresh else {
            throw ValidationError("--steps and --falls go with --model, --people and --placement")
        }
        guard (windows != nil) == (labels != nil) else { throw ValidationError("--windows and --labels belong together") }
        guard windows == nil || subjects.names.isEmpty && placement.names.isEmpty && life == nil && turned == nil && !cold else {
            throw ValidationError("--subjects, --placement, --life, --turned and --cold belong to --recordings")
        }
        guard leaveOut.names.isEmpty || !recordings.isEmpty && !paper else {
            throw ValidationError("--leave-out belongs to --recordings")
        }
    }

    func run() throws {
        if let html { try Files.requirePlace(for: html) }
        if paper { return try runPaper() }
        if !steps.isEmpty {
            let score = try Evaluation.steps(
                steps, people: subjects.names, placements: placement.names, network: try model.load())
            return try Console.print(format.json ? score.json.text : score.text)
        }
        if !falls.isEmpty { return try runFalls() }
        let kept = try model.load(), network = fresh ? kept.forgetting : kept
        if let windows, let labels {
            let matrix = try Evaluation.windows(windows, labels: labels, network: network)
            try Console.print(format.json ? JSON.object(ScoreText.json(matrix)).text : ScoreText.text(matrix))
        } else {
            var options = Evaluation.Options()
            (options.people, options.leftOut, options.placements) = (subjects.names, leaveOut.names, placement.names)
            (options.life, options.turned, options.isCold) = (life, turned, cold)
            options.smoothing = Smoothing(try Settings(), for: network)
            let score = try Evaluation.recordings(recordings, options, network: network)
            if !score.trainedOn.isEmpty {
                Console.note(
                    """
                    gaitway: the model was trained on \(score.trainedOn.joined(separator: ", ")): what it shows of them says nothing about \
                    other people
                    """)
            }
            if let warning = SetScales.warning(score.misscaled) { Console.note("gaitway: \(warning)") }
            try Console.print(format.json ? JSON.object(ScoreText.json(score)).text : ScoreText.text(score))
            guard let html else { return }
            let variants = try Variants(recordings, options, score, network: network)
            try Files.write(Array(EvaluationReport(network, score, variants).html.utf8), to: html)
        }
    }

    private func runFalls() throws {
        let judge = try FallModel.chosen(model.model)
        let score = try Evaluation.falls(
            falls, people: subjects.names, placements: placement.names, turned: turned, FallDetection(model: judge))
        if !score.trainedOn.isEmpty {
            Console.note(
                "gaitway: the model was trained on \(score.trainedOn.count) of these people: what it shows of them says nothing of others")
        }
        try Console.print(format.json ? FallText.json(score).text : FallText.text(score))
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
}
