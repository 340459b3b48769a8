import NeuralNetwork
import Testing

@testable import Conversion

/// Scores that are constants less sums of squares.
@Suite struct SquareSumTests {
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
        dense.appendDense(FloatWeights(inputs: 3, outputs: 3, values: [1, 0, 0, 0, 1, 0, 0, 0, 1], bias: [0, 0, 0]))
        #expect(dense.comparingSquareSums() == dense)
    }
}
