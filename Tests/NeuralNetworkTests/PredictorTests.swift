import Testing

@testable import NeuralNetwork

@Suite struct PredictorTests {
    /// What boosting gives is often nearly the same for all classes, and Q0.15 has steps of 0.00003.
    @Test func theGreatestProbabilityIsOfTheClassThatDecides() throws {
        let tensor = Tensor(.int16, channels: 3, quantisation: Quantisation(scale: 0x1p-20, zeroPoint: 0))
        let network = Network(
            labels: ["a", "b", "c"], window: 3, hop: 1, bits: 8, inputKind: .features, input: tensor,
            layers: [Layer(.rescale(Multiplier(1)), sources: [0], output: tensor)], output: .softmax)
        var predictor = try Predictor(network)
        let found = try predictor.predict([0, 3 * 0x1p-20, 2 * 0x1p-20]), same = try predictor.predict([0, 0, 0])
        #expect(found[1] > found[0] && found[1] > found[2] && found[1] - found[2] < 0x1p-15)
        #expect(same[0] == same[1] && same[1] == same[2])
    }
}
