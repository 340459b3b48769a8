internal import Settings
internal import Support

/// How long the text of recorded windows takes on this machine, in ns.
package struct FormattingBenchmark: Sendable {
    /// Of a number with many digits, and Swift's own description of it.
    package let number: Double, description: Double
    /// Of a sample in Q3.12.
    package let sample: Double
    /// Of a window of 128 samples as a row, and bytes of it.
    package let row: Double
    package let rowBytes: Int

    package init() {
        var random = RandomNumbers(seed: 1), text = CSVText(capacity: 1 << 16)
        let numbers = (0..<1000).map { _ in random.normal() * 10 }, units = (0..<384).map { _ in Int16(random.below(8192) - 4096) }
        func each(_ count: Int, _ body: () -> Void) -> Double { Stopwatch.median(body) / Double(count) }
        var bytes = 0
        description = each(numbers.count) { for number in numbers { bytes &+= number.description.utf8.count } }
        number = each(numbers.count) {
            text.removeAll()
            for number in numbers { text.append(number) }
        }
        sample = each(units.count) {
            text.removeAll()
            for unit in units { text.append(q12: unit) }
        }
        let format = RowFormat(
            content: .raw, model: RecordedModel(labels: ["A", "B", "C", "D", "E", "F"], version: 1, window: 128, hop: 64))
        let window = RecordedWindow(time: 1_795_280_299_696, samples: units, decision: 1)
        row = each(1) {
            text.removeAll()
            format.write(window, label: 2, &text)
        }
        rowBytes = text.bytes.count
    }
}
