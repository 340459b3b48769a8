import Agent
import ArgumentParser
import Models
import Recognition
import Sensing
import Support

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what the wearer does, one line for every window.",
        discussion: """
            Sources: iio (the first accelerometer), iio:NAME, iio:ip:HOST, recording:PATH, simulated, \
            simulated:stand=20,walk=40,lie=20. Without --source: the first accelerometer, else a simulated wearer. \
            Stop with Ctrl-C.
            """)

    @Option(help: ArgumentHelp("Where samples come from.", valueName: "source"))
    var source: String?
    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("real or max: the pace at which recordings and the simulated wearer are played.", valueName: "pace"))
    var speed: SpeedArgument = SpeedArgument(.real)
    @Option(help: ArgumentHelp("Stop after so many seconds of samples.", valueName: "seconds"))
    var duration: Double?
    @Option(help: "Windows in a row that must agree before the shown activity changes.")
    var agreement = Smoothing().agreement
    @Option(help: "Below this confidence a window counts as unknown, 0 to 1.")
    var threshold = 0.5
    @OptionGroup var format: OutputOptions

    func validate() throws {
        if let duration, !(duration > 0 && duration < 1e9) { throw ValidationError("--duration takes a positive number of seconds") }
        guard (1...100).contains(agreement) else { throw ValidationError("--agreement takes 1 to 100 windows") }
        guard (0...1).contains(threshold) else { throw ValidationError("--threshold takes 0 to 1") }
    }

    func run() throws {
        let network = try model.load()
        let source = try openSource()
        let smoothing = Smoothing(agreement: agreement, threshold: Int16(clamping: Int(threshold * 32768)))
        var loop = try ClassificationLoop(source: source, network: network, smoothing: smoothing)
        let lines = ActivityLines(labels: loop.labels, json: format.json)
        Console.note("gaitway: \(source.name), \(Decimals.text(source.rate, over: 1000, places: 1)) Hz; a decision every \(Decimals.text(network.hop, over: 50, places: 2)) s")
        Interruption.watch()
        if !format.json { try Console.print(lines.header) }
        let summary = try loop.run(speed: speed.value, seconds: duration, stopping: { Interruption.requested }) { activity throws(Fault) in
            try Console.print(lines.line(activity))
        }
        if summary.windows == 0 {
            Console.note("gaitway: \(summary.samples) samples are less than one window of \(Decimals.text(network.window, over: 50, places: 2)) s: no decision")
        }
    }

    private func openSource() throws(Fault) -> any SampleSource {
        if let source { return try SourceSpecification(source).open() }
        guard try !Accelerometer.find().isEmpty else {
            Console.note("gaitway: no accelerometer found, so this is a simulated wearer (see `gaitway devices`)")
            return try SourceSpecification("simulated").open()
        }
        return try SourceSpecification("iio").open()
    }
}

/// How an activity looks to people and to programs.
struct ActivityLines {
    let labels: [String]
    let json: Bool

    private var width: Int { Swift.max(labels.map(\.count).max() ?? 0, Smoothing.unknown.count) }

    var header: String {
        Console.styled("\("seconds".aligned(9))  \("activity".padded(width))  \("window".padded(width))  confidence", .dim)
    }

    func line(_ activity: Activity) -> String { json ? object(activity).text : row(activity) }

    private func row(_ activity: Activity) -> String {
        let filled = Int(activity.confidence) * 20 / 32768
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        let style: Console.Style = activity.smoothed == Smoothing.unknown ? .yellow : .green
        let time = Decimals.text(activity.end, over: 50, places: 2).aligned(9)
        let share = Decimals.text(Int(activity.confidence) * 100, over: 32768, places: 0).aligned(3)
        return "\(time)  \(Console.styled(activity.smoothed.padded(width), style))  \(activity.label.padded(width))  \(bar) \(share) %"
    }

    private func object(_ activity: Activity) -> JSON {
        .object([
            ("t", .number(Decimals.text(activity.end, over: 50, places: 2))), ("activity", .string(activity.label)),
            ("confidence", Self.probability(activity.confidence)), ("smoothed", .string(activity.smoothed)),
            ("probabilities", .object(zip(labels, activity.probabilities).map { ($0, Self.probability($1)) })),
        ])
    }

    /// Q0.15 with five decimals: every value of it stays distinct.
    private static func probability(_ value: Int16) -> JSON { .number(Decimals.text(Int(value), over: 32768, places: 5)) }
}

struct SpeedArgument: ExpressibleByArgument {
    var value: Speed
    init(_ value: Speed) { self.value = value }
    init?(argument: String) {
        guard let value = Speed(rawValue: argument) else { return nil }
        self.value = value
    }
    var defaultValueDescription: String { value.rawValue }
    static var allValueStrings: [String] { Speed.allCases.map(\.rawValue) }
}
