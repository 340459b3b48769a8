import Sensing
import Support
import Testing

@testable import Training

@Suite struct LibraStreamTests {
    private let labels = ["A", "B"]

    /// Rows of windows of 4 samples, every 2, as a board writes them: `said` for each window, nil for nothing.
    private func text(_ said: [Int?], from first: Int = 0) -> String {
        said.enumerated().map { index, label in
            let samples = (0..<12).map { "\(Double((first + index) * 6 + $0) / 4096)" }
            let hot = (0..<2).map { $0 == label ? "1.0" : "0.0" }
            return (["17.5"] + samples + ["1.0", "0.0"] + hot).joined(separator: ",") + "\n"
        }.joined()
    }

    private func read(_ text: String) throws(Fault) -> LabelledStream {
        try LibraStreams.read(Array(text.utf8), name: "u_1_data.csv", labels: labels, window: 4, hop: 2)
    }

    @Test func windowsBecomeOneRecordingAgain() throws {
        let stream = try read(text([nil, 0, 0, 0, 1, 1, nil]))
        #expect(stream.isFiltered && stream.rate == 50_000 && stream.pieces.count == 1)
        #expect(stream.pieces[0].samples == (0..<48).map { Int16($0) })
        // Between two windows of one label, never what lies before the first.
        #expect(
            stream.pieces[0].stretches == [
                .init(range: 6..<10, activity: "A", labels: ["A"]), .init(range: 12..<14, activity: "B", labels: ["B"]),
            ])
    }

    @Test func aGapBeginsAnotherPiece() throws {
        let stream = try read(text([0, 0]) + text([0, 0], from: 90))
        #expect(stream.pieces.map(\.samples.count) == [18, 18] && stream.pieces.map { $0.stretches.map(\.range) } == [[4..<6], [4..<6]])
    }

    @Test func whatIsNoWindowIsNamed() {
        let good = text([0, 1])
        for bad in [
            String(good.dropLast(5)), good.replacing(",1.0,0.0\n", with: ",1.0,1.0\n"), good.replacing(",1.0,0.0\n", with: ",0.5,0.0\n"),
            "1,2,3\n", good + good.replacing("17.5", with: "17.5,9"), good.replacing("0.0,", with: "nan,"),
            good.replacing("0.0,", with: "9000.0,"),
        ] {
            #expect(throws: Fault.self) { try read(bad) }
        }
        #expect((try? read(""))?.pieces.isEmpty == true)
    }
}
