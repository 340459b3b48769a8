import NeuralNetwork
import Testing

@testable import Conversion

/// Scores that are constants less sums of squares.
@Suite struct ProductSumTests {
    private let rows: [[Float]] = (0..<40).map { row in (0..<3).map { Float((row * 7 + $0 * 5) % 11) / 4 - 1 } }

    // Three classes' distances to their centres, as naive Bayes has them.
    private func distances(output: NetworkOutput = .softmax, sign: Double = -1) -> FloatGraph {
        let squares = FloatShape(height: 3, channels: 3)
        var graph = FloatGraph(input: FloatShape(channels: 3), output: output)
        graph.append(.gather([0, 1, 2, 0, 1, 2, 0, 1, 2]), squares)
        graph.append(.constant([0.5, -1, 0, 0.25, 1, -0.5, 0, 0, 1.5]), squares)
        graph.layers.append(FloatLayer(.subtract, sources: [1, 2], shape: squares))
        graph.appendCurve(.expression(.product(.constant(sign * 3), .power(.input, exponent: 2))))
        graph.append(.constant([1, 0.5, 0.1, 0.02, 2, 1, 0.3, 0.3, 0.3]), squares)
        graph.layers.append(FloatLayer(.divide, sources: [4, 5], shape: squares))
        graph.append(.gather([0, 3, 6, 1, 4, 7, 2, 5, 8]), squares)
        graph.append(.mean, FloatShape(channels: 3))
        let moved = FloatWeights(inputs: 1, outputs: 3, values: [1.5, 1.5, 1.5], bias: [0.5, -2, 1])
        graph.append(.depthwise(moved, KernelShape(height: 1, width: 1)), FloatShape(channels: 3))
        return graph
    }

    private func probabilities(_ graph: FloatGraph, _ row: [Float]) -> [Double] {
        FloatRunner.softmax(FloatRunner(graph).run(row).tensors[graph.layers.count][...])
    }

    @Test func rootsAreComparedInTheirPlace() throws {
        let graph = distances(), compared = graph.comparingSquareSums()
        #expect(compared.layers.contains { $0.operation == .rootMeanSquare(gain: 1, epsilon: 0) })
        try compared.requireFitting(path: "x")
        for row in rows {
            for (own, other) in zip(probabilities(compared, row), probabilities(graph, row)) { #expect((own - other).magnitude < 1e-5) }
        }
    }

    /// A class with a number beyond the limits has a larger sum than the smallest one.
    @Test func limitsAreAsNearAsTheSmallestSumsAllow() throws {
        let graph = distances().comparingSquareSums()
        func limit(_ graph: FloatGraph) -> Double? {
            graph.layers.compactMap { layer in if case .curve(let curve) = layer.operation { curve.limits?.upperBound } else { nil } }.first
        }
        let calibrated = try CalibratedGraph(graph, count: rows.count, row: { rows[$0] })
        let nearer = try #require(graph.limitingSquares(calibrated.places, room: 2)), far = try #require(limit(nearer))
        #expect(limit(graph) == 1024 && far < 16 && far > 4, "\(far)")
        var isCut = false
        for row in rows {
            let own = FloatRunner(nearer).run(row).tensors, other = FloatRunner(graph).run(row).tensors
            isCut = isCut || own != other
            #expect(own[graph.layers.count].indexOfLargest == other[graph.layers.count].indexOfLargest)
        }
        // As near as they are now; and a network without such sums has none.
        #expect(nearer.limitingSquares(calibrated.places, room: 2) == nil)
        #expect(distances().limitingSquares(calibrated.places, room: 2) == nil)
    }

    /// Sums of several tensors' squares, less the largest of them, as quadratic discriminants end.
    @Test func whatAllScoresAreLessByIsLeftOut() throws {
        var graph = FloatGraph(input: FloatShape(channels: 3))
        for number in 0..<5 {
            let values = (0..<6).map { Float(($0 * 5 + number * 3) % 7) - 3 }
            let weights = FloatWeights(inputs: 3, outputs: 2, values: values, bias: [0.5, Float(number)])
            graph.layers.append(FloatLayer(.dense(weights), sources: [0], shape: FloatShape(channels: 2)))
            graph.layers.append(FloatLayer(.multiply, sources: [graph.layers.count, graph.layers.count], shape: FloatShape(channels: 2)))
            graph.append(.reshape, FloatShape(height: 2, channels: 1))
            graph.append(.mean, FloatShape(channels: 1))
        }
        graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [4, 8, 12, 16], shape: FloatShape(channels: 4)))
        graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [21, 20], shape: FloatShape(channels: 5)))
        graph.appendCurve(.linear(scale: -0.5, offset: 3))
        let scores = graph.layers.count
        graph.append(.reshape, FloatShape(height: 5, channels: 1))
        graph.append(.maxPool(KernelShape(height: 5, width: 1)), FloatShape(channels: 1))
        graph.append(.gather([0, 0, 0, 0, 0]), FloatShape(channels: 5))
        graph.layers.append(FloatLayer(.subtract, sources: [scores, graph.layers.count], shape: FloatShape(channels: 5)))
        let compared = graph.comparingSquareSums()
        #expect(compared.layers.contains { $0.operation == .rootMeanSquare(gain: 1, epsilon: 0) })
        try compared.requireFitting(path: "x")
        for row in rows {
            for (own, other) in zip(probabilities(compared, row), probabilities(graph, row)) { #expect((own - other).magnitude < 1e-5) }
        }
    }

    @Test func whatIsNoSuchScoreStaysAsItIs() {
        // Its numbers themselves are the result; sums that are to be large; one square to a class.
        for graph in [distances(output: .logits), distances(sign: 1)] { #expect(graph.comparingSquareSums() == graph) }
        var single = FloatGraph(input: FloatShape(channels: 3))
        single.appendCurve(.expression(.product(.constant(-1), .power(.input, exponent: 2))))
        #expect(single.comparingSquareSums() == single)
        var dense = distances()
        dense.appendDense(FloatWeights(inputs: 3, outputs: 3, values: [1, -0.5, 0, 0, 1, 0, 0, 0, 1], bias: [0, 0, 0]))
        #expect(dense.comparingSquareSums() == dense)
    }

    // The centre of a spectrum of two axes, as (p f).sum / (p.sum + least) writes it.
    private func centres(least: Double) -> FloatGraph {
        var graph = FloatGraph(input: FloatShape(channels: 3))
        for number in 0..<2 {
            let values = (0..<12).map { Float(($0 * 5 + number * 3) % 7) - 3 }
            let weights = FloatWeights(inputs: 3, outputs: 4, values: values, bias: [0, 0, 0, 0])
            graph.layers.append(FloatLayer(.dense(weights), sources: [0], shape: FloatShape(channels: 4)))
            graph.appendCurve(.expression(.power(.input, exponent: 2)))
        }
        graph.layers.append(FloatLayer(.add, sources: [2, 4], shape: FloatShape(channels: 4)))
        graph.append(.gather([0, 2, 1, 3]), FloatShape(height: 2, channels: 2))
        let frequencies = FloatWeights(inputs: 1, outputs: 4, values: [1, 1, 2, 2], bias: [0, 0, 0, 0])
        graph.layers.append(FloatLayer(.reshape, sources: [6], shape: FloatShape(channels: 4)))
        graph.append(.depthwise(frequencies, KernelShape(height: 1, width: 1)), FloatShape(channels: 4))
        graph.append(.reshape, FloatShape(height: 2, channels: 2))
        graph.append(.mean, FloatShape(channels: 2))
        graph.layers.append(FloatLayer(.mean, sources: [6], shape: FloatShape(channels: 2)))
        graph.appendCurve(.linear(scale: 1, offset: least))
        graph.layers.append(FloatLayer(.divide, sources: [10, 12], shape: FloatShape(channels: 2)))
        return graph
    }

    /// Of numbers a thousandth as large the quotient has as many steps; what the divisor is added keeps its part.
    @Test(arguments: [0, 1e-4]) func quotientsAreOfSharesOfTheLargest(_ least: Double) throws {
        let graph = centres(least: least), divided = graph.dividingByLargest()
        #expect(divided.layers.count(where: { $0.operation == .matrixProduct }) == 2)
        try divided.requireFitting(path: "x")
        let rest = rows.map { $0.map { $0 / 1000 } }
        for row in rows + rest {
            let wanted = FloatRunner(graph).run(row).tensors[graph.layers.count]
            let found = FloatRunner(divided).run(row).tensors[divided.layers.count]
            for (own, other) in zip(found, wanted) { #expect((own - other).magnitude < 1e-4, "\(own), not \(other)") }
        }
    }

    /// A divisor without squares, with a square twice, that can be negative, or of other numbers than the dividend's.
    @Test func otherQuotientsStayAsTheyAre() {
        var other = centres(least: 1e-4)
        other.layers[11].operation = .curve(.linear(scale: 1, offset: -1))
        #expect(other.dividingByLargest() == other)
        other = centres(least: 1e-4)
        other.layers[3].operation = .curve(.relu)
        #expect(other.dividingByLargest() == other)
        other = centres(least: 1e-4)
        other.layers[4].sources = [2, 2]
        #expect(other.dividingByLargest() == other)
        other = distances(output: .logits)
        #expect(other.dividingByLargest() == other)
    }
}
