import NeuralNetwork
import ArgumentParser
import Support
import Upload

struct Label: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Say what the wearer does, for the windows that `gaitway run` records meanwhile and for `gaitway personalise`.",
        discussion:
            "Without a name: show the label that holds. Labels are those of the model in use; anything else is told by `gaitway record`.")

    @Argument(help: "One of the model's labels, in any case.")
    var name: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("Minutes after which it no longer holds.", valueName: "minutes"))
    var minutes = 10
    @Flag(help: "The wearer does something else, or nobody knows what.")
    var none = false
    @OptionGroup var model: ModelOptions
    @OptionGroup var options: UploadOptions

    func validate() throws {
        guard (1...1440).contains(minutes) else { throw ValidationError("--for takes 1 to 1440 minutes") }
        guard !(none && name != nil) else { throw ValidationError("give either a label or --none") }
    }

    func run() throws {
        let settings = try options.place.load(), spool = try UploadPlan(settings).spool()
        if none { try UserLabel.clear(in: spool.directory) }
        if let name {
            let labels = try model.load(settings).labels
            guard let label = labels.firstIndex(ignoringCaseOf: name).map({ labels[$0] }) else {
                let isNone = name.lowercased() == "none"
                throw Fault(
                    .usage, "the model has no label \(name)",
                    remedy: isNone ? "To take a label back: gaitway label --none." : "It has \(labels.joined(separator: ", ")).")
            }
            try UserLabel(label: label, until: SystemTime.wallSeconds + Int64(minutes) * 60).set(in: spool.directory)
        }
        let label = UserLabel.current(in: spool.directory)
        try Console.print(
            options.format.json
                ? JSON.object([
                    ("label", label.map { .string($0.label) } ?? .null), ("until", label.map { .number("\($0.until)") } ?? .null),
                ]).text
                : label.map { "\($0.label) until \(LabelText.clock($0.until))" } ?? "no label")
    }
}

enum LabelText {
    /// "21:04" of the local day.
    static func clock(_ seconds: Int64) -> String {
        let digits = CalendarTime(local: seconds).digits.suffix(6)
        return "\(digits.prefix(2)):\(digits.dropFirst(2).prefix(2))"
    }
}
