import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import Training

/// Classes that read one column in very different steps: somebody at rest differs by a thousandth, somebody running by a hundred.
@Suite struct ColumnCopyTests {
    private let deviations = [1e-3, 1e-3, 100], means = [[9.8, 0.2], [9.81, 0.19], [0, 40]]

    // Distances to three centres in two columns, as naive Bayes has them, and a part that reads the columns themselves.
    private func graph(besides weight: Float = 0) -> FloatGraph {
        let squares = FloatShape(height: 3, channels: 2)
        var graph = FloatGraph(input: FloatShape(channels: 2))
        graph.append(.gather([0, 1, 0, 1, 0, 1]), squares)
        graph.append(.constant(means.joined().map { Float($0) }), squares)
        graph.layers.append(FloatLayer(.subtract, sources: [1, 2], shape: squares))
        graph.append(.constant(deviations.flatMap { [Float(1 / $0), Float(1 / $0)] }), squares)
        graph.layers.append(FloatLayer(.multiply, sources: [3, 4], shape: squares))
        graph.appendCurve(.expression(.product(.constant(-1), .power(.input, exponent: 2))))
        graph.append(.gather([0, 2, 4, 1, 3, 5]), FloatShape(height: 2, channels: 3))
        graph.append(.mean, FloatShape(channels: 3))
        guard weight != 0 else { return graph }
        graph.append(.softmax, FloatShape(channels: 3))
        let beside = FloatWeights(inputs: 2, outputs: 3, values: [weight, 0, 0, weight, -weight, 0], bias: [0, 0, 0])
        graph.layers.append(FloatLayer(.dense(beside), sources: [0], shape: FloatShape(channels: 3)))
        graph.layers.append(FloatLayer(.add, sources: [graph.layers.count - 1, graph.layers.count], shape: FloatShape(channels: 3)))
        graph.output = .logits
        return graph.comparingSquareSums()
    }

    private var numbers: [[Double]] {
        (0..<600).map { row in
            let kind = row % 3, own = deviations[kind]
            return (0..<2).map { column in
                let unit = Double((row * 37 + column * 101) % 211) / 105 - 1
                return means[kind][column] + 3 * own * unit
            }
        }
    }

    private func calibrated(_ graph: FloatGraph) throws -> FloatCalibration {
        let path = "\(temporaryDirectory())/rows.csv", lines = numbers.map { $0.map { "\($0)" }.joined(separator: ",") + "\n" }
        try Files.write(Array(lines.joined().utf8), to: path)
        let rows = try CalibrationRows(file: path, inputs: 2)
        let options = ImportOptions(input: .features, labels: ["A", "B", "C"])
        return try FloatCalibration(graph, rows, bits: 16, activations: nil, options, path: "x")
    }

    @Test func eachClassHasItsOwnStepsAndOffsets() throws {
        let result = try calibrated(graph().comparingSquareSums()), network = result.network
        #expect(result.equal >= 599 && result.room == nil, "\(result.equal)")
        let steps = try #require(network.inputScaling.steps), copies = try #require(steps.copies)
        #expect(copies == ColumnCopies(columns: 2, from: [0, 1, -1, 0, 1, -1, 0, 1, -1]) && network.columns == 2)
        for (place, mean) in [(0, 9.8), (3, 9.81), (7, 40)] { #expect((Double(steps.offsets[place]) - mean).magnitude < 1e-5) }
        #expect(steps.exponents[0] - steps.exponents[6] > 15)
        // Nothing is cut off that counts.
        let predictor = try Predictor(network)
        #expect(predictor.inputs == 2 && predictor.range(of: 1).contains(1e30))
    }

    @Test func theyAreInTheFileAndItsExports() throws {
        let network = try calibrated(graph().comparingSquareSums()).network
        let bytes = try NetworkFile.encode(network), read = try NetworkFile.decode(bytes, path: "x")
        #expect(read.inputScaling == network.inputScaling)
        for row in numbers.prefix(30) { #expect(read.integers(of: row) == network.integers(of: row)) }
        let header = String(decoding: try ExportFormat.cHeader.bytes(network, name: "x"), as: UTF8.self)
        #expect(header.contains("x_columns[] = {\n    0, 1, -1, 0, 1, -1, 0, 1, -1,\n}") && header.contains("number x_columns[i] of a row"))
        #expect(throws: Fault.self) { try ExportFormat.tflite.bytes(network, name: "x") }
        #expect(throws: Fault.self) { try ExportFormat.safetensorsFloat.bytes(network, name: "x") }
    }

    /// A vote of naive Bayes and another: the columns themselves come before the copies.
    @Test func whatElseReadsTheColumnsHasThem() throws {
        let result = try calibrated(graph(besides: 1e-6)), steps = try #require(result.network.inputScaling.steps)
        #expect(result.equal >= 595, "\(result.equal)")
        #expect(steps.copies?.from.starts(with: [0, 1, 0, 1, -1]) == true && result.network.columns == 2)
    }

    @Test func classesOfLikeStepsNeedNone() throws {
        let compared = graph().comparingSquareSums(), rows = numbers.filter { $0[0] < 9.82 && $0[0] > 9.79 }
        let calibrated = try CalibratedGraph(compared, count: rows.count, row: { rows[$0].map { Float($0) } })
        let far = try #require(compared.limitingSquares(calibrated.places, room: 1e3))
        #expect(far.takingCopies(calibrated.places) { _ in ColumnSteps(exponents: [0, 0]) } == nil)
    }

    /// Files that do not fit themselves are refused.
    @Test func wrongColumnsAreNamed() throws {
        let network = try calibrated(graph().comparingSquareSums()).network
        func with(_ copies: ColumnCopies) -> Network {
            var changed = network
            let steps = network.inputScaling.steps ?? ColumnSteps(exponents: [])
            changed.inputScaling.steps = ColumnSteps(exponents: steps.exponents, offsets: steps.offsets, copies: copies)
            return changed
        }
        for copies in [
            ColumnCopies(columns: 2, from: [0, 1, -1, 0, 1, -1, 0, 2, -1]), ColumnCopies(columns: 2, from: [0, 1]),
            ColumnCopies(columns: 0, from: [0, 1, -1, 0, 1, -1, 0, 1, -1]), ColumnCopies(columns: 2, from: [0, 1, -2, 0, 1, -1, 0, 1, -1]),
        ] {
            #expect(throws: Fault.self) { try NetworkFile.encode(with(copies)) } // which reads what it wrote
        }
        var both = network
        both.inputScaling.thresholds = ColumnThresholds(columns: [[Float]](repeating: [], count: 9))
        #expect(throws: Fault.self) { try NetworkFile.encode(both) }
    }
}
