import ArgumentParser
import Logging
import NeuralNetwork
import Recognition
import Runtime
import Sensing
import Settings
import Support
import Training

struct Guess: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guess", abstract: "Take samples for a while, then say what they show.",
        discussion:
            """
            The windows vote with their probabilities. Without --model: what `gaitway train` made of one's own recordings, else the \
            configuration's.
            """
    )

    @OptionGroup var model: ModelOptions
    @OptionGroup var worn: WearingOptions
    @OptionGroup var capture: CaptureOptions
    @OptionGroup var place: RecordingsOptions
    @Option(
        help: ArgumentHelp(
            "swift-har: guess as Swift-HAR did, on samples 720 to 819 alone, with what `train --compat swift-har` made.",
            valueName: "system"))
    var compat: Compatibility?
    @OptionGroup var format: OutputOptions

    func run() throws {
        var settings = try place.settings()
        try worn.override(&settings)
        if compat == .swiftHAR { return try guessAsSwiftHAR(settings) }
        let network = try place.network(model, settings)
        let captured = try capture.capture("Guess", settings), recording = captured.recording, source = captured.source
        var kept = OrientationFile(of: source, log: Logger(label: "gaitway"))
        let configured = try source.wearing ?? ConfiguredWearing(settings, for: network)
        let vote = try Vote(
            recording.samples, rate: recording.rate, network: network, configured: configured, learnt: worn.up == nil ? kept?.load() : nil)
        if vote.orientation == .unknown {
            Console.note("It is not known which way is up, so that walking is all that can be told: gaitway wear, or set \"up\".")
        }
        try Console.print(format.json ? json(vote).text : text(vote))
    }

    private func guessAsSwiftHAR(_ settings: Settings) throws {
        let network = try SwiftHARWeights.load(model.model ?? TrainedModel.compatiblePath(place.directory(settings)))
        let (label, outputs) = try SwiftHARTrainer.guess(try capture.capture("Guess", settings, compat: .swiftHAR).recording, network)
        let shown = outputs.map { Decimals.text(Double($0), places: 3) }
        try Console.print(
            format.json
                ? JSON.object([("activity", .string(label)), ("outputs", .array(shown.map(JSON.number)))]).text
                : "NeuralNet predicts: \(label)\n[\(shown.map { "\"\($0)\"" }.joined(separator: ", "))]")
    }

    private func text(_ vote: Vote) -> String {
        let width = vote.labels.map(\.count).max() ?? 0, order = vote.labels.indices.sorted { vote.shares[$0] > vote.shares[$1] }
        let lines = order.map { index in
            let filled = Int((vote.shares[index] * 20).rounded())
            return
                """
                \(vote.labels[index].padded(width))  \
                \(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled)) \
                \(Units.percent(vote.shares[index]).aligned(7))
                """
        }
        return (["\(Console.styled(vote.answer, .bold)), by \(vote.windows) windows"] + lines).joined(separator: "\n")
    }

    private func json(_ vote: Vote) -> JSON {
        .object([
            ("activity", .string(vote.answer)), ("windows", .integer(vote.windows)),
            ("shares", .object(zip(vote.labels, vote.shares).map { ($0, .number(Decimals.text($1, places: 5))) })),
        ])
    }
}
