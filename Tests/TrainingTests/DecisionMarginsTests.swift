import NeuralNetwork
import Testing

@testable import Training

@Suite struct DecisionMarginsTests {
    private func margins(_ values: [Double]) -> DecisionMargins {
        var margins = DecisionMargins()
        for value in values { margins.take([0, Float(value), -1]) }
        return margins
    }

    @Test func withoutErrorsAllAreExpectedToBeAlike() {
        let values = (1...200).map { Double($0) / 64 }
        #expect(margins(values).expectedShare(values) == 1)
    }

    /// Two of five rows are decided otherwise, and all margins are alike.
    @Test func errorsLargerThanTheMarginAreCounted() {
        let margins = margins([Double](repeating: 0.5, count: 100))
        #expect(abs(margins.expectedShare((0..<100).map { $0 % 5 < 2 ? -0.25 : 0.5 }) - 0.6) < 1e-9)
    }

    /// No row's own error is larger than its margin, since the rows with errors are those with room for them.
    @Test func luckIsNotExpectedAgain() {
        let values = (0..<1000).map { Double($0) / 1024 }
        let fixed = values.map { $0 > 0.02 ? $0 - 0.02 : $0 }
        #expect(zip(values, fixed).allSatisfy { $0 < 1e-9 || $1 > 0 })
        let expected = margins(values).expectedShare(fixed)
        #expect(expected < 0.99 && expected > 0.97)
    }

    /// An error that is large only where margins are is none of those with small ones.
    @Test func errorsOfLargeMarginsAreNotThoseOfSmallOnes() {
        let values = (1...1000).map { Double($0) / 1024 }
        #expect(margins(values).expectedShare(values.map { $0 > 0.5 ? $0 - 0.2 : $0 }) == 1)
    }

    @Test func oneOutputIsAlwaysDecidedAlike() {
        var margins = DecisionMargins()
        margins.take([3])
        let fixed = margins.margin(0, of: [-7], Quantisation(scale: 0.5, zeroPoint: 0))
        #expect(fixed == 0 && margins.expectedShare([fixed]) == 1)
    }
}
