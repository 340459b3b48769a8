import ArgumentParser
import Evaluation
import Logging
import NeuralNetwork
import Recognition
import Runtime
import Sensing
import Settings
import Support
import Upload

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure the loop's parts on this machine.",
        discussion: """
            With --source a sensor is decided on, too, and what that takes is counted: wake-ups, interrupts of chip, trigger and bus \
            (/proc/interrupts), context switches and, where the kernel knows it, energy (RAPL, or a battery that discharges).
            """)

    @OptionGroup var model: ModelOptions
    @Option(help: ArgumentHelp("A sensor to run the loop on: iio, iio:NAME, ...", valueName: "source")) var source: String?
    @Option(help: ArgumentHelp("With --source: for so long, 1 ... 1000000. (default: 60)", valueName: "seconds")) var seconds: Double?
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard let seconds else { return }
        guard seconds >= 1, seconds <= 1e6 else { throw ValidationError("--seconds takes 1 ... 1000000") }
        guard source != nil else { throw ValidationError("--seconds goes with --source") }
    }

    func run() throws {
        let network = try model.load(), bench = try Benchmark(network), formatting = FormattingBenchmark()
        let sensor = try source.map { try sampled(try SourceSpecification($0), network) }
        if format.json { return try Console.print(json(bench, formatting, sensor).text) }
        try Console.print(text(bench, formatting) + (sensor.map { "\n\($0.text)" } ?? ""))
    }

    private func sampled(_ chosen: SourceSpecification, _ network: Network) throws(Fault) -> Statistics {
        guard chosen.isLive else {
            throw Fault(
                .usage, "--source takes a sensor here: recordings and the simulated wearer wake nobody",
                remedy: "What there is: gaitway devices.")
        }
        Interruption.watch()
        var request = SensorRequest()
        (request.range, request.seconds) = (try Settings().range, Double(network.hop) / 50)
        let source = try chosen.open(cancellation: Interruption.stop, log: Logger(label: "gaitway"), asking: request)
        var loop = try ClassificationLoop(source: source, network: network)
        let before = KernelWork.now(of: source.interrupts)
        try loop.run(seconds: seconds ?? 60, stopping: { Interruption.stop.isRaised }) { _ throws(Fault) in }
        return Statistics(of: loop, since: before)
    }

    private func json(_ bench: Benchmark, _ formatting: FormattingBenchmark, _ sensor: Statistics?) -> JSON {
        .object(
            [
                ("inference_ns", .object(bench.inference.map { ($0.kernel, number($0.nanoseconds)) })),
                ("moving_inference_ns", .object(bench.moving.map { ($0.kernel, number($0.nanoseconds)) })),
                ("front_end_ns_per_sample", number(bench.sample)), ("front_end_reference_ns_per_sample", number(bench.sampleReference)),
                ("decision_ns", number(bench.decision)), ("state_bytes", .integer(bench.bytes)),
                ("number_text_ns", number(formatting.number)), ("number_description_ns", number(formatting.description)),
                ("sample_text_ns", number(formatting.sample)),
                ("row_ns", number(formatting.row)), ("row_bytes", .integer(formatting.rowBytes)),
            ] + (sensor.map { [("sensor", $0.json)] } ?? []))
    }

    private func number(_ value: Double) -> JSON { .number(Decimals.text(value, places: 1)) }

    private func text(_ bench: Benchmark, _ formatting: FormattingBenchmark) -> String {
        var rows = bench.inference.map { ("inference, \($0.kernel)", Decimals.text($0.nanoseconds, places: 0) + " ns") }
        rows += bench.moving.map { ("windows that move, \($0.kernel)", Decimals.text($0.nanoseconds, places: 0) + " ns") }
        rows.append(("front end, one sample", Decimals.text(bench.sample, places: 1) + " ns"))
        rows.append(("front end, plain C", Decimals.text(bench.sampleReference, places: 1) + " ns"))
        rows.append(("whole decision", Decimals.text(bench.decision, places: 0) + " ns"))
        rows.append(("state", "\(bench.bytes) bytes"))
        rows.append(("text of a number", Decimals.text(formatting.number, places: 1) + " ns"))
        rows.append(("Swift's description of it", Decimals.text(formatting.description, places: 1) + " ns"))
        rows.append(("text of a sample", Decimals.text(formatting.sample, places: 1) + " ns"))
        rows.append(("a window as a row", "\(Decimals.text(formatting.row, places: 0)) ns, \(formatting.rowBytes) bytes"))
        return rows.map { $0.0.padded(34) + $0.1.aligned(16) }.joined(separator: "\n")
    }
}
