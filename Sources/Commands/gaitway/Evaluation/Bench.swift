import ArgumentParser
import Evaluation
import Support
import Upload

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the loop's parts on this machine.")

    @OptionGroup var model: ModelOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let bench = try Benchmark(try model.load())
        let formatting = FormattingBenchmark()
        try Console.print(format.json ? json(bench, formatting).text : text(bench, formatting))
    }

    private func json(_ bench: Benchmark, _ formatting: FormattingBenchmark) -> JSON {
        .object([
            ("inference_ns", .object(bench.inference.map { ($0.kernel, number($0.nanoseconds)) })),
            ("front_end_ns_per_sample", number(bench.sample)), ("front_end_reference_ns_per_sample", number(bench.sampleReference)),
            ("decision_ns", number(bench.decision)), ("state_bytes", .integer(bench.bytes)),
            ("number_text_ns", number(formatting.number)), ("number_description_ns", number(formatting.description)),
            ("sample_text_ns", number(formatting.sample)),
            ("row_ns", number(formatting.row)), ("row_bytes", .integer(formatting.rowBytes)),
        ])
    }

    private func number(_ value: Double) -> JSON { .number(Decimals.text(value, places: 1)) }

    private func text(_ bench: Benchmark, _ formatting: FormattingBenchmark) -> String {
        var rows = bench.inference.map { ("inference, \($0.kernel)", Decimals.text($0.nanoseconds, places: 0) + " ns") }
        rows.append(("front end, one sample", Decimals.text(bench.sample, places: 1) + " ns"))
        rows.append(("front end, plain C", Decimals.text(bench.sampleReference, places: 1) + " ns"))
        rows.append(("whole decision", Decimals.text(bench.decision, places: 0) + " ns"))
        rows.append(("state", "\(bench.bytes) bytes"))
        rows.append(("text of a number", Decimals.text(formatting.number, places: 1) + " ns"))
        rows.append(("Swift's description of it", Decimals.text(formatting.description, places: 1) + " ns"))
        rows.append(("text of a sample", Decimals.text(formatting.sample, places: 1) + " ns"))
        rows.append(("a window as a row", "\(Decimals.text(formatting.row, places: 0)) ns, \(formatting.rowBytes) bytes"))
        return rows.map { $0.0.padded(28) + $0.1.aligned(16) }.joined(separator: "\n")
    }
}
