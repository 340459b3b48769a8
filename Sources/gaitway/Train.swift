import ArgumentParser
import Models
import Support
import Training

struct Train: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Train a network on labelled recordings and quantise it.",
        discussion: """
            Reads recordings in the layout of the HAPT data set: recordings.csv with labels.csv and .i16 files, or the public \
            archive's RawData/acc_expNN_userMM.txt with labels.txt. The same options give the same file, to the bit.
            """)

    @Option(help: ArgumentHelp("Directory of recordings.", valueName: "dir"))
    var recordings: String
    @Option(help: ArgumentHelp("Subjects to measure on instead of training on them, as 1,3,5.", valueName: "subjects"))
    var leaveOut: SubjectList = SubjectList()
    @Option(help: "Units of the hidden layer.")
    var hidden = 240
    @Option(help: "Bits of each weight, 2 to 16.")
    var bits = 8
    @Option(help: "Passes over the training windows.")
    var epochs = TrainingOptions().epochs
    @Flag(help: "Move, tilt and blur the windows anew in every epoch.")
    var augment = false
    @Option(help: "Seed of every random choice.")
    var seed: UInt64 = 1
    @Option(help: "Version to write into the model.")
    var modelVersion = 1
    @Option(help: ArgumentHelp("Where to write the model.", valueName: "file"))
    var output: String
    @OptionGroup var format: OutputOptions

    func run() throws {
        var options = TrainingOptions()
        options.hidden = hidden
        options.bits = bits
        options.augment = augment
        options.seed = seed
        options.epochs = epochs
        let set = try TrainingSet(directory: recordings)
        let clock = ContinuousClock(), start = clock.now
        var result = try Trainer(set, options).train(leavingOut: leaveOut.subjects) { progress in
            show(progress, elapsed: start.duration(to: clock.now))
        }
        Console.progress(nil)
        result.network.version = modelVersion
        try NetworkFile.save(result.network, to: output)
        try Console.print(format.json ? json(result).text : text(result))
    }

    private func show(_ progress: Trainer.Progress, elapsed: Duration) {
        let share = Double(progress.step) / Double(progress.steps)
        let left = Double(elapsed.components.seconds) * (1 - share) / share
        let filled = Int(share * 30)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        Console.progress(
            "[\(bar)] epoch \(progress.step)/\(progress.steps)\(progress.accuracy.map { ", validation \(percent($0))" } ?? ""), \(Int(left.rounded())) s left")
    }

    private func text(_ result: Trainer.Result) -> String {
        var lines = [
            "trained on   \(result.windows) windows; \(result.epochs) of \(epochs) epochs, chosen on subjects \(result.validation.map(String.init).joined(separator: ", "))"
        ]
        if let float = result.floatAccuracy, let fixed = result.fixed {
            lines.append("left out     \(fixed.windows) windows of subjects \(leaveOut.description)")
            lines.append("float        \(percent(float))")
            lines.append("fixed point  \(percent(fixed.accuracy)) with \(bits)-bit weights")
        }
        lines.append("written to   \(output) (\(result.network.bytes) bytes of weights)")
        return lines.joined(separator: "\n")
    }

    private func json(_ result: Trainer.Result) -> JSON {
        .object([
            ("windows", .integer(result.windows)), ("epochs", .integer(result.epochs)), ("validation", .array(result.validation.map(JSON.integer))),
            ("left_out", .array(leaveOut.subjects.sorted().map(JSON.integer))),
            ("float_accuracy", result.floatAccuracy.map { .number(Decimals.text($0, places: 4)) } ?? .null),
            ("accuracy", result.fixed.map { .number(Decimals.text($0.accuracy, places: 4)) } ?? .null),
            ("confusion", result.fixed.map { .array($0.counts.map { .array($0.map(JSON.integer)) }) } ?? .null),
            ("labels", .array(result.network.labels.map(JSON.string))), ("output", .string(output)),
        ])
    }
}

func percent(_ share: Double) -> String { Decimals.text(share * 100, places: 1) + " %" }

/// "1,3,5"
struct SubjectList: ExpressibleByArgument, CustomStringConvertible {
    var subjects: Set<Int> = []

    init() {}

    init?(argument: String) {
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Int(word) else { return nil }
            subjects.insert(number)
        }
    }

    var description: String { subjects.sorted().map(String.init).joined(separator: ",") }
    var defaultValueDescription: String { "none" }
}
