import NeuralNetwork
import Testing

@testable import Conversion

/// Numbers of very different sizes in one tensor.
@Suite struct ConcatenationTests {
    private let rows: [[Float]] = (0..<60).map { row in (0..<8).map { Float((row * 7 + $0 * 5) % 13) / 4 - 1.5 } }

    private func weights(_ inputs: Int, _ outputs: Int, times factor: Float = 1) -> FloatWeights {
        FloatWeights(
            inputs: inputs, outputs: outputs, values: (0..<inputs * outputs).map { factor * Float(($0 * 7) % 11 - 5) / 10 },
            bias: (0..<outputs).map { factor * Float($0) / 10 })
    }

    private func balanced(_ graph: FloatGraph) throws -> FloatGraph? {
        let result = graph.balancingConcatenations(try CalibratedGraph(graph, count: rows.count, row: { rows[$0] }).places)
        if let result {
            try result.requireFitting(path: "x")
            for row in rows {
                let own = FloatRunner(result).run(row).tensors.last ?? [], other = FloatRunner(graph).run(row).tensors.last ?? []
                #expect(own.count == other.count)
                for (a, b) in zip(own, other) { #expect((a - b).magnitude <= 1e-4 * max(1, b.magnitude), "\(row)") }
            }
        }
        return result
    }

    // The largest numbers of each part of the last concatenation.
    private func sizes(_ graph: FloatGraph) throws -> [Double] {
        let layer = try #require(graph.layers.last { if case .concatenation = $0.operation { true } else { false } })
        let places = try CalibratedGraph(graph, count: rows.count, row: { rows[$0] }).places
        return layer.sources.map { places[$0].peaks.max() ?? 0 }
    }

    /// A dense layer, a curve and the powers of two numbers, of which the first is a thousand times as large.
    private func parts() -> FloatGraph {
        let vector = FloatShape(channels: 4)
        var graph = FloatGraph(input: FloatShape(channels: 8), output: .logits)
        graph.appendDense(weights(8, 4, times: 1000))
        for number in 0..<2 {
            graph.layers.append(FloatLayer(.dense(weights(8, 4, times: 0.1 + Float(number))), sources: [0], shape: vector))
            graph.appendCurve(.expression(.product(.input, .input)))
        }
        graph.layers.append(FloatLayer(.add, sources: [3, 5], shape: vector))
        graph.layers.append(FloatLayer(.dense(weights(8, 4)), sources: [0], shape: vector))
        graph.appendCurve(.tanh)
        graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [1, 6, 8], shape: FloatShape(channels: 12)))
        return graph
    }

    @Test func partsBecomeOfLikeSize() throws {
        var graph = parts()
        graph.appendDense(weights(12, 3))
        #expect(try sizes(graph).max() ?? 0 > 100 * (try sizes(graph).min() ?? 0))
        let result = try #require(try balanced(graph))
        let largest = try sizes(result)
        #expect(largest.allSatisfy { $0 > (largest.max() ?? 0) / 2.1 }, "\(largest)")
        // Powers are made so large from their roots on; all that a curve gives has to be multiplied.
        #expect(result.layers.contains { $0.operation == .rootMeanSquare(gain: 1, epsilon: 0) })
        // Their numbers are concatenated as well.
        let again = try #require(try balanced(result))
        #expect(try balanced(again) == nil)
    }

    /// Means, pools, ReLUs and convolutions on the way take it; what reads channels together in another way does not.
    @Test func multiplesGoThroughWhatTreatsChannelsApart() throws {
        let rows = FloatShape(rows: 4, channels: 2), both = FloatShape(rows: 4, channels: 4)
        func graph(_ add: (inout FloatGraph) -> Void) -> FloatGraph {
            var graph = FloatGraph(input: rows, output: .logits)
            let small = FloatWeights(inputs: 1, outputs: 2, values: [0.001, 0.002], bias: [0, 0])
            graph.append(.depthwise(small, KernelShape(height: 1, width: 1)), rows)
            graph.appendCurve(.leakyReLU(slope: 0.1))
            graph.layers.append(FloatLayer(.concatenation(axis: 2), sources: [0, 2], shape: both))
            add(&graph)
            return graph
        }
        var window = KernelShape(height: 1, width: 3), pool = KernelShape(height: 1, width: 2)
        (window.left, pool.strideWidth) = (1, 2)
        let half = FloatShape(rows: 2, channels: 4)
        let taken: [(FloatOperation, FloatShape)] = [
            (.convolution(weights(12, 3), window), FloatShape(rows: 4, channels: 3)), (.mean, FloatShape(channels: 4)),
            (.maxPool(pool), half), (.averagePool(pool), half), (.curve(.relu), both), (.slice(first: 1), half),
            (.gather([0, 3, -1, 6, 15]), FloatShape(channels: 5)),
        ]
        for (operation, shape) in taken {
            let whole = graph {
                $0.append(operation, shape)
                $0.appendDense(weights(shape.count, 3))
            }
            let result = try #require(try balanced(whole), "\(operation)"), largest = try sizes(result)
            #expect(largest[1] > largest[0] / 2.1, "\(operation)")
            // The layer that makes the small part makes it larger itself.
            #expect(result.layers.count == whole.layers.count, "\(operation)")
        }
        for operation in [FloatOperation.curve(.tanh), .normalisation(epsilon: 1e-5), .softmax] {
            let whole = graph {
                $0.append(operation, both)
                $0.appendDense(weights(16, 3))
            }
            #expect(try balanced(whole) == nil, "\(operation)")
        }
        // What the network gives keeps its unit; parts of like size stay as they are; a part that is there twice is multiplied twice.
        #expect(try balanced(graph { _ in }) == nil)
        var twice = graph {
            $0.layers.append(FloatLayer(.concatenation(axis: 2), sources: [2, 2, 0], shape: FloatShape(rows: 4, channels: 6)))
            $0.appendDense(weights(24, 3))
        }
        #expect(try balanced(twice) != nil)
        twice.layers[0].operation = .depthwise(
            FloatWeights(inputs: 1, outputs: 2, values: [1, 2], bias: [0, 0]), KernelShape(height: 1, width: 1))
        #expect(try balanced(twice) == nil)
    }

    /// A class whose score is far below all others has none of the integers.
    @Test func scoresOfLosersAreLimited() throws {
        var graph = FloatGraph(input: FloatShape(channels: 8), output: .logits)
        graph.appendDense(weights(8, 3))
        func limited(_ graph: FloatGraph) throws -> FloatGraph? {
            var smallest = Double.infinity
            let calibrated = try CalibratedGraph(
                graph, count: rows.count, row: { rows[$0] },
                each: {
                    smallest = min(smallest, Double($0.max() ?? 0))
                })
            return graph.limitingLosers(calibrated.places, smallest: smallest)
        }
        #expect(try limited(graph) == nil)
        var far = weights(8, 3)
        far.bias[1] = -200
        graph.layers[0].operation = .dense(far)
        let result = try #require(try limited(graph))
        for row in rows {
            let own = FloatRunner(result).run(row).tensors.last ?? [], other = FloatRunner(graph).run(row).tensors[1]
            #expect(own[0] == other[0] && own[2] == other[2] && own[1] > -40 && own[1] < max(own[0], own[2]) - 20, "\(row)")
        }
        #expect(try limited(result) == nil)
        graph.output = .independent // each is a probability of its own
        #expect(try limited(graph) == nil)
    }

    /// Logarithms and roots of two numbers' squares, and other curves that stay as they are.
    @Test func curvesOfPowersAreOfTheirRoots() throws {
        func graph(_ curve: Expression, first: Expression = .product(.input, .input)) -> FloatGraph {
            let vector = FloatShape(channels: 4)
            var graph = FloatGraph(input: FloatShape(channels: 8), output: .logits)
            for _ in 0..<2 {
                graph.layers.append(FloatLayer(.dense(weights(8, 4, times: Float(graph.layers.count + 1))), sources: [0], shape: vector))
                graph.appendCurve(.expression(first))
            }
            graph.layers.append(FloatLayer(.add, sources: [2, 4], shape: vector))
            graph.appendCurve(.expression(curve))
            graph.appendDense(weights(4, 3))
            return graph
        }
        let least = Expression.sum(.input, .constant(0.01))
        for curve in [Expression.function(.log, least), .power(least, exponent: 0.25), .function(.squareRoot, .input)] {
            let plain = graph(curve), roots = plain.takingCurvesOfRoots()
            #expect(roots.layers.contains { $0.operation == .rootMeanSquare(gain: 1, epsilon: 0) })
            try roots.requireFitting(path: "x")
            for row in rows {
                let own = FloatRunner(roots).run(row).tensors.last ?? [], other = FloatRunner(plain).run(row).tensors.last ?? []
                for (a, b) in zip(own, other) { #expect((a - b).magnitude < 1e-3 * max(1, b.magnitude), "\(row)") }
            }
        }
        // Bands of a spectrum, by a dense layer, by a convolution and by a product with a constant matrix.
        for kind in 0..<3 {
            var bands = graph(.function(.log, least))
            let mixing = FloatWeights(inputs: 4, outputs: 3, values: [1, 0.5, 0, 0, 0, 0.5, 1, 0.25, 0, 0, 0.1, 1], bias: [0, 0, 0])
            let three = FloatShape(channels: 3)
            switch kind {
            case 0: bands.layers.insert(FloatLayer(.dense(mixing), sources: [5], shape: three), at: 5)
            case 1:
                let point = KernelShape(height: 1, width: 1)
                bands.layers.insert(FloatLayer(.convolution(mixing, point), sources: [5], shape: three), at: 5)
            default:
                let matrix = FloatShape(height: 1, width: 3, channels: 4)
                bands.layers.insert(FloatLayer(.constant(mixing.values), sources: [0], shape: matrix), at: 5)
                bands.layers.insert(FloatLayer(.matrixProduct, sources: [6, 5], shape: FloatShape(rows: 3, channels: 1)), at: 6)
            }
            let curve = kind < 2 ? 6 : 7, shape = bands.shape(curve)
            bands.layers[curve] = FloatLayer(.curve(.expression(.function(.log, least))), sources: [curve], shape: shape)
            bands.layers[curve + 1] = FloatLayer(.dense(weights(3, 3)), sources: [curve + 1], shape: three)
            try bands.requireFitting(path: "x")
            let roots = bands.takingCurvesOfRoots()
            #expect(roots.layers.contains { $0.operation == .rootMeanSquare(gain: 1, epsilon: 0) }, "\(kind)")
            for row in rows {
                let own = FloatRunner(roots).run(row).tensors.last ?? [], other = FloatRunner(bands).run(row).tensors.last ?? []
                for (a, b) in zip(own, other) { #expect((a - b).magnitude < 1e-3 * max(1, b.magnitude), "\(kind): \(row)") }
            }
        }
        for plain in [
            graph(.product(.input, .constant(2))), graph(.maximum(.input, .constant(1))),
            graph(.function(.log, least), first: .function(.exp, .input)),
        ] {
            #expect(plain.takingCurvesOfRoots() == plain)
        }
    }
}
