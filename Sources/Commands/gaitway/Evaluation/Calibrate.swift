import ArgumentParser
import Evaluation
import Recognition
import Runtime
import Settings
import Support
import Training

struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Find the smoothing that suits: few false alarms, or quick changes.",
        discussion: """
            Plays labelled recordings (one's own or the HAPT data set's; best such as the model was not trained on) and tries every \
            agreement and threshold. Of those whose changes are shown within --delay seconds (median), it chooses the one with the fewest \
            false alarms and missed stretches. --write puts it into conf.d/calibrated.toml beside the settings file, for every later \
            run; that takes ten labelled minutes, since fewer say little.
            """)

    @OptionGroup var place: RecordingsOptions
    @OptionGroup var model: ModelOptions
    @Option(name: [.long, .customLong("people")], help: ArgumentHelp("Only these people, as 1,3.", valueName: "people"))
    var subjects = NameList()
    @Option(help: ArgumentHelp("Median time from a change of activity to the changed decision, at most.", valueName: "seconds"))
    var delay = 3.0
    @Flag(help: "Write what was chosen.")
    var write = false
    @Flag(help: .hidden)
    var dryRun = false
    @OptionGroup var format: OutputOptions

    func run() throws {
        let settings = try place.settings(), directory = place.directory(settings), network = try place.network(model, settings)
        let search = try SmoothingSearch(directory: directory, subjects: subjects.names, network: network), frontier = search.frontier
        guard let best = search.best(within: delay) else {
            let quickest = frontier.first?.delay.map { Decimals.text($0, places: 2) + " s" } ?? "never"
            throw Fault(.usage, "no smoothing shows changes within \(delay) s", remedy: "The quickest takes \(quickest).")
        }
        var written: String?
        let minutes = search.hours * 60,
            isEnough = minutes >= Self.leastMinutes && search.changes >= Self.fewestChanges
        if write && !dryRun {
            guard isEnough else {
                throw Fault(
                    .badData,
                    """
                    \(Decimals.text(minutes, places: 1)) labelled minutes say little of what is best, with \(search.changes) changes of \
                    activity: nothing was written
                    """,
                    remedy: """
                        It takes \(Decimals.text(Self.leastMinutes, places: 0)) with \(Self.fewestChanges) changes: gaitway record, or \
                        --recordings DIR.
                        """)
            }
            let threshold = Decimals.text(Int(best.smoothing.threshold), over: 32768, places: 1)
            written = try Settings.write(
                [(\.agreement, "\(best.smoothing.agreement)"), (\.threshold, threshold)], as: "calibrated",
                origin: "Written by `gaitway calibrate`.", path: place.place.config)
        }
        try Console.print(format.json ? json(search, best, written) : text(search, frontier, best, written))
        guard !format.json, written == nil else { return }
        let threshold = { (smoothing: Smoothing) in Decimals.text(Int(smoothing.threshold), over: 32768, places: 1) }
        let change =
            "agreement \(Smoothing(settings, for: network).agreement) -> \(best.smoothing.agreement), "
            + "threshold \(Decimals.text(settings.threshold, places: 1)) -> \(threshold(best.smoothing))"
        Console.note("gaitway: \(change): " + (isEnough ? "--write keeps it" : "too few labelled minutes or changes to keep it"))
    }

    private static let leastMinutes = 10.0, fewestChanges = 3

    private func text(
        _ search: SmoothingSearch, _ frontier: [SmoothingSearch.Choice], _ best: SmoothingSearch.Choice, _ written: String?
    ) -> String {
        let most = max(frontier.map(\.falseAlarms).max() ?? 1, 1)
        var lines = [
            "\(Decimals.text(search.hours, places: 2)) labelled hours; what no other choice beats:",
            Console.styled("agreement  threshold   delay  missed  false alarms an hour", .dim),
        ]
        for choice in frontier {
            let delay = choice.delay.map { Decimals.text($0, places: 2) + " s" } ?? "-",
                mark = choice.smoothing == best.smoothing ? Console.styled("  <- chosen", .green) : ""
            let bar = String(repeating: "#", count: Int((choice.falseAlarms / most * 30).rounded()))
            let threshold = Decimals.text(Int(choice.smoothing.threshold), over: 32768, places: 1),
                alarms = Decimals.text(choice.falseAlarms, places: 1)
            lines.append(
                """
                \("\(choice.smoothing.agreement)".aligned(9)) \(threshold.aligned(10)) \(delay.aligned(7)) \
                \(Units.percent(choice.missed).aligned(7)) \(alarms.aligned(6)) \(bar)\(mark)
                """
            )
        }
        lines.append(written.map { "written to \($0)" } ?? "nothing was written")
        return lines.joined(separator: "\n")
    }

    private func json(_ search: SmoothingSearch, _ best: SmoothingSearch.Choice, _ written: String?) -> String {
        func object(_ choice: SmoothingSearch.Choice) -> JSON {
            .object([
                ("agreement", .integer(choice.smoothing.agreement)),
                ("threshold", .number(Decimals.text(Int(choice.smoothing.threshold), over: 32768, places: 1))),
                ("delay", choice.delay.map { .number(Decimals.text($0, places: 2)) } ?? .null),
                ("missed", .number(Decimals.text(choice.missed, places: 4))),
                ("false_alarms_per_hour", .number(Decimals.text(choice.falseAlarms, places: 2))),
            ])
        }
        return JSON.object([
            ("best", object(best)), ("frontier", .array(search.frontier.map(object))), ("written", written.map(JSON.string) ?? .null),
        ]).text
    }
}
