import Agent
import ArgumentParser
import Models
import Support

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the loop's parts on this machine.")

    @OptionGroup var model: ModelOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let bench = try Benchmark(try model.load())
        try Console.print(format.json ? json(bench).text : text(bench))
    }

    private func json(_ bench: Benchmark) -> JSON {
        .object([
            ("inference_ns", .object(bench.inference.map { ($0.kernel, number($0.nanoseconds)) })),
            ("front_end_ns_per_sample", number(bench.sample)), ("front_end_reference_ns_per_sample", number(bench.sampleReference)),
            ("decision_ns", number(bench.decision)), ("state_bytes", .integer(bench.bytes)),
        ])
    }

    private func number(_ value: Double) -> JSON { .number(Decimals.text(value, places: 1)) }

    private func text(_ bench: Benchmark) -> String {
        var rows = bench.inference.map { ("inference, \($0.kernel)", Decimals.text($0.nanoseconds, places: 0) + " ns") }
        rows.append(("front end, one sample", Decimals.text(bench.sample, places: 1) + " ns"))
        rows.append(("front end, plain C", Decimals.text(bench.sampleReference, places: 1) + " ns"))
        rows.append(("whole decision", Decimals.text(bench.decision, places: 0) + " ns"))
        rows.append(("state", "\(bench.bytes) bytes"))
        return rows.map { $0.0.padded(28) + $0.1.aligned(14) }.joined(separator: "\n")
    }
}
