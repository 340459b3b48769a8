import Sensing
import Support
import TestHelpers
import Testing

@testable import Training

/// Where the rows come from that networks in float are quantised on.
@Suite struct CalibrationRowsTests {
    private func rows(_ text: String, inputs: Int = 2) throws -> CalibrationRows {
        let path = "\(temporaryDirectory())/rows.csv"
        try Files.write(Array(text.utf8), to: path)
        return try CalibrationRows(file: path, inputs: inputs)
    }

    @Test func windowsOfARecordingSetHaveItsLabels() throws {
        let set = try simulatedSet(people: 2)
        let rows = try CalibrationRows(recordings: set, inputs: 384, kind: .raw, window: 128, hop: 64)
        let labels = (0..<rows.count).map { rows.label($0) ?? "" }
        // 60 s of walking and 20 s of the others, each a stretch of its own that the filters need a third of a second of.
        #expect(rows.count == 2 * (45 + 3 * 14), "\(rows.count)")
        #expect(Set(labels) == ["WALKING", "SITTING", "STANDING", "LAYING"])
        #expect(labels.count { $0 == "WALKING" } == 90, "\(labels.count { $0 == "WALKING" })")
        let lengths = (0..<rows.count).map { row in
            let window = rows.row(row)
            let sums = (0..<3).map { axis in stride(from: axis, to: 384, by: 3).reduce(Float(0)) { $0 + window[$1] } / 128 }
            return sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
        }
        #expect(lengths.allSatisfy { (0.7...1.3).contains($0) })
    }

    @Test func oneLabelOfOnesOwnRecordingsIsEnough() throws {
        let directory = temporaryDirectory()
        var block = SampleBlock(capacity: 500)
        _ = try SimulatedWearer(try SimulatedWearer.Script("seed=1,sit=10")).read(into: &block)
        let store = try RecordingStore(making: directory)
        _ = try store.add(
            Recording(label: "RESTING", rate: 50_000, samples: Array(block.samples.prefix(block.count * 3))),
            at: CalendarTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5))
        let rows = try CalibrationRows(recordings: directory, inputs: 384, kind: .raw, window: 128, hop: 64)
        #expect(rows.count > 3 && (0..<rows.count).allSatisfy { rows.label($0) == "RESTING" })
    }

    @Test func aByteOrderMarkIsNoNumber() throws {
        #expect(try rows("\u{FEFF}1,2\n3,4\n").count == 2)
    }

    @Test func numbersOfColumnsAreAHeader() throws {
        let numbers = "0,1,2,3,4,5,6,7\n"
        #expect(try rows(numbers + "5,5,5,5,5,5,5,5\n", inputs: 8).count == 1)
        #expect(try rows(numbers, inputs: 8).count == 1)
        #expect(try rows("0,1\n1,2\n").count == 2)
    }

    @Test(arguments: [
        ("1;2\n3;4\n", "has 1 number, not 2", "separated by commas"),
        ("1,5;2,5\n2,5;3,5\n", "has 3 numbers, not 2", "points before decimals"),
        ("1,2\n3,\n", "no finite number: \"\"", "Leave such rows out"),
        ("1,2\n\"3\",4\n", "no finite number: \"\"3\"\"", "quotation marks"),
        ("1,2\n3,1e400\n", "no finite number: \"1e400\"", "Leave such rows out"),
    ])
    func whatIsNoRowIsNamed(_ text: String, _ message: String, _ remedy: String) {
        let fault = #expect(throws: Fault.self) { try rows(text) }
        #expect(fault?.message.contains(message) == true && fault?.remedy?.contains(remedy) == true, "\(String(describing: fault))")
    }
}
