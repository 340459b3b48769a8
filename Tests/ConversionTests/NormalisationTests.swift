import NeuralNetwork
import Support
import Testing

@testable import Conversion

/// Layers that normalise the channels of every position, as LayerNorm, InstanceNorm and GroupNorm become.
@Suite struct NormalisationTests {
    private func graph(_ channels: Int, _ operation: FloatOperation = .normalisation(epsilon: 1e-5)) -> FloatGraph {
        let shape = FloatShape(width: 6, channels: channels)
        return FloatGraph(
            input: shape,
            layers: [
                FloatLayer(operation, sources: [0], shape: shape),
                FloatLayer(.reshape, sources: [1], shape: FloatShape(channels: 6 * channels)),
            ], output: .logits)
    }

    /// Rows whose numbers are 30 times as large in one position as in the next: each is as exact as the others.
    @Test(arguments: [2, 3, 10], [IntegerType.int8, .int16])
    func theIntegersAreWithinAStepOfTheFloats(_ channels: Int, _ type: IntegerType) throws {
        try check(graph(channels), channels, type)
    }

    @Test(arguments: [1, 2, 3, 10], [IntegerType.int8, .int16])
    func rootMeanSquaresAreWithinAStepOfTheFloats(_ channels: Int, _ type: IntegerType) throws {
        try check(graph(channels, .rootMeanSquare(gain: 0.3, epsilon: 1e-5)), channels, type)
    }

    private func check(_ graph: FloatGraph, _ channels: Int, _ type: IntegerType) throws {
        var random = RandomNumbers(seed: 3)
        let rows: [[Float]] = (0..<40).map { _ in
            (0..<6).flatMap { position in
                let size: Float = position % 2 == 0 ? 1 : 30, centre = Float.random(in: -2...2, using: &random)
                return (0..<channels).map { _ in centre + size * .random(in: -1...1, using: &random) }
            }
        }
        let calibrated = try CalibratedGraph(graph, count: rows.count, row: { rows[$0] })
        let (network, _) = try calibrated.quantised(
            QuantiserOptions(bits: 8, activations: type), ImportOptions(input: .features, labels: nil), path: "x")
        var compiled = try CompiledNetwork(network)
        let output = network.last.quantisation, range = network.last.type.range
        let least = output.real(Int16(range.lowerBound)), most = output.real(Int16(range.upperBound))
        for row in rows {
            let integers = row.map { network.input.quantised(Double($0)) }
            // What the integers of the input stand for is what is normalised.
            let read = integers.map { Float(network.input.quantisation.real($0)) }
            let expected = FloatRunner(graph).run(read).tensors.last ?? []
            for (found, wanted) in zip(compiled.infer(integers), expected) {
                #expect((output.real(found) - min(max(Double(wanted), least), most)).magnitude <= 1.01 * output.scale)
            }
        }
    }

    /// Equal numbers, of which the deviation is zero.
    @Test func whatDoesNotVaryBecomesZero() throws {
        let rows: [[Float]] = [[Float](repeating: 0.5, count: 18), (0..<18).map { Float($0) }]
        let calibrated = try CalibratedGraph(graph(3), count: 2, row: { rows[$0] })
        let (network, _) = try calibrated.quantised(
            QuantiserOptions(bits: 8, activations: .int16), ImportOptions(input: .features, labels: nil), path: "x")
        var compiled = try CompiledNetwork(network)
        #expect(compiled.infer([Int16](repeating: 700, count: 18)) == [Int16](repeating: 0, count: 18))
    }
}
