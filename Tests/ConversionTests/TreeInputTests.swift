import NeuralNetwork
import Testing

@testable import Conversion

/// Trees behind what treats each number by itself.
@Suite struct TreeInputTests {
    // A tree that asks for each of three numbers behind the layers that are given.
    private func graph(_ thresholds: [Float], _ layers: (inout FloatGraph) -> Void) throws -> FloatGraph {
        var graph = FloatGraph(input: FloatShape(channels: 4), output: .logits)
        layers(&graph)
        var forest = FloatForest(classes: 2)
        for (feature, threshold) in thresholds.enumerated() {
            let leaf = forest.values.count / 2
            _ = try forest.append(root: 0, most: 3) { index in
                index == 0
                    ? .split(feature: feature, threshold: threshold, isStrict: false, left: 1, right: 2) : .leaf(leaf + index - 1)
            }
            forest.values += [Float(1 << feature), 0, 0, Float(1 << feature)]
        }
        graph.append(.forest(forest), FloatShape(channels: 2))
        return graph
    }

    private let rows: [[Float]] = (0..<300).map { row in (0..<4).map { Float((row * 7 + $0 * 31) % 101) / 20 - 1 } }
    private let vector = FloatShape(channels: 3), point = KernelShape(height: 1, width: 1)

    /// Chosen columns, a scale, a logarithm, a root, constants added and multiplied.
    @Test func theyReadTheInputAtThresholdsThatWereMoved() throws {
        let graph = try graph([0.4, 0.9, -0.2]) { graph in
            graph.append(.gather([2, 0, 3]), vector)
            graph.append(.depthwise(FloatWeights(inputs: 1, outputs: 3, values: [2, 0.5, 3], bias: [0.1, 0, -0.3]), point), vector)
            graph.append(.constant([1.25, 3, 2]), vector)
            graph.layers.append(FloatLayer(.add, sources: [2, 3], shape: vector))
            graph.appendCurve(.expression(.function(.log, .sum(.input, .constant(2)))))
            graph.append(.constant([0.5, 2, 3]), vector)
            graph.layers.append(FloatLayer(.divide, sources: [5, 6], shape: vector))
        }
        let moved = graph.movingTreesToInput()
        #expect(moved.layers.count == 1 && moved.isForTreesAlone)
        for row in rows where row.allSatisfy({ $0 > -0.6 }) {
            #expect(FloatRunner(moved).run(row).tensors.last == FloatRunner(graph).run(row).tensors.last, "\(row)")
        }
        // Ranks among them say the same.
        let thresholds = try #require(moved.columnThresholds()), ranked = try #require(moved.takingRanks(thresholds))
        for row in rows {
            let ranks = row.enumerated().map { Float(thresholds.rank(of: $1, in: $0)) }
            #expect(FloatRunner(ranked).run(ranks).tensors.last == FloatRunner(moved).run(row).tensors.last)
        }
        #expect(thresholds.columns == 4 && thresholds.starts == [0, 1, 1, 2, 3])
    }

    /// What falls, or is of several numbers at once.
    @Test func otherTreesStayWhereTheyAre() throws {
        let falling = FloatWeights(inputs: 1, outputs: 4, values: [1, -1, 1, 1], bias: [0, 0, 0, 0])
        let mixing = FloatWeights(inputs: 4, outputs: 3, values: [Float](repeating: 1, count: 12), bias: [0, 0, 0])
        for graph in [
            try graph([0, 0, 0], { $0.append(.depthwise(falling, point), FloatShape(channels: 4)) }),
            try graph([0, 0, 0], { $0.appendDense(mixing) }),
            try graph([0, 0, 0], { $0.appendCurve(.expression(.function(.magnitude, .input))) }),
            try graph([0, 0, 0], { $0.appendCurve(.expression(.quotient(.constant(1), .input))) }),
        ] {
            #expect(graph.movingTreesToInput() == graph && graph.columnThresholds() == nil)
        }
    }

    /// A layer that makes several channels of each is no scale, and a file can put layers together in any way.
    @Test(.timeLimit(.minutes(1))) func strangeFilesAreNoTrap() throws {
        let twice = FloatWeights(inputs: 1, outputs: 8, values: [Float](repeating: 2, count: 8), bias: [Float](repeating: 0, count: 8))
        let several = try graph([0, 0, 0]) { graph in
            graph.append(.depthwise(twice, point), FloatShape(channels: 8))
            graph.append(.gather([7, 6, 5]), vector)
        }
        #expect(several.movingTreesToInput() == several && several.taking(ColumnSteps(exponents: [1, 0, 0, 0])) == nil)
        var scores = FloatGraph(input: FloatShape(channels: 4))
        scores.append(.depthwise(twice, point), FloatShape(channels: 8))
        scores.append(.gather([7, 6, 5]), vector)
        #expect(scores.comparingSquareSums() == scores)
        // Each of so many parts of four is a quarter of four parts.
        let mixing = FloatWeights(inputs: 4, outputs: 4, values: [Float](repeating: 1, count: 16), bias: [0, 0, 0, 0])
        let deep = try graph([0, 0, 0]) { graph in
            graph.appendDense(mixing)
            for _ in 0..<100 {
                let place = graph.layers.count, all = FloatShape(channels: 16)
                graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [place, place, place, place], shape: all))
                graph.append(.gather([0, 5, 10, 15]), FloatShape(channels: 4))
            }
        }
        #expect(deep.movingTreesToInput() == deep)
        let long = try graph([0, 0, 0]) { graph in for _ in 0..<100 { graph.appendCurve(.relu) } }
        #expect(long.movingTreesToInput() == long)
        // Less than the least number there is.
        var forest = FloatForest(classes: 1)
        _ = try forest.append(root: 0, most: 3) { index in
            index > 0
                ? .leaf(index - 1) : .split(feature: 0, threshold: -.greatestFiniteMagnitude, isStrict: true, left: 1, right: 2)
        }
        #expect(forest.thresholds[0].isFinite && forest.limits?.lowerBound.isFinite == true)
    }
}
