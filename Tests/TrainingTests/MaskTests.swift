import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import Training

/// What a soft-max is not to see, whatever the scores beside it are.
struct MaskTests {
    @Test(arguments: [0, -40, -100] as [Float]) func whatIsHiddenIsNeverDecidedFor(_ score: Float) throws {
        var random = RandomNumbers(seed: 8), wanted: [Int] = []
        let lines = (0..<400).map { _ in
            var row = (0..<4).map { _ in score + Float(random.normal()) * 3 }
            row[1] = 0 // hidden, and the largest
            wanted.append([0, 2, 3].max { row[$0] < row[$1] } ?? 0)
            return row.map { String($0) }.joined(separator: ",")
        }
        let path = "\(temporaryDirectory())/rows.csv"
        try Files.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
        let rows = try CalibrationRows(file: path, inputs: 4), shape = FloatShape(channels: 4)
        let graph = FloatGraph(
            input: shape,
            layers: [
                FloatLayer(.constant([0, -64, 0, 0]), sources: [0], shape: shape), FloatLayer(.add, sources: [0, 1], shape: shape),
                FloatLayer(.softmax, sources: [2], shape: shape),
            ], output: .independent)
        #expect((graph.deepeningMasks(try CalibratedGraph(graph, count: rows.count, row: rows.row).places) == nil) == (score > -40))
        let result = try FloatCalibration(graph, rows, bits: 8, activations: .int16, ImportOptions(input: .features), path: "x")
        var compiled = try CompiledNetwork(result.network)
        let decided = (0..<rows.count).map { row in
            compiled.infer(result.network.integers(of: rows.row(row).map { Double($0) })).indexOfLargest
        }
        #expect(zip(decided, wanted).count { $0 == $1 } >= 398 && !decided.contains(1))
    }
}
