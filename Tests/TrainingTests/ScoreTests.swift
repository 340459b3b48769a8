import Testing

@testable import Evaluation

@Suite struct ScoreTests {
    @Test func theAreaIsTheShareOfPairsInOrder() {
        let known: [Int32] = [3, -7, 3, 12, 5, 0, 9], foreign: [Int32] = [4, 12, 3, 20]
        var detection = Detection()
        #expect(detection.area == 0 && detection.falseAt95 == 1)
        for value in known { detection.take(value, isKnown: true) }
        for value in foreign { detection.take(value, isKnown: false) }
        let pairs = foreign.flatMap { value in known.map { $0 < value ? 1.0 : $0 == value ? 0.5 : 0 } }
        #expect((detection.area - pairs.reduce(0, +) / Double(pairs.count)).magnitude < 1e-12)
        // 95 % of seven are all of them: what lies beyond the farthest is found.
        #expect(detection.falseAt95 == 0.75)
        let curve = detection.curve
        #expect(curve.first?.foreignFound == 0.25 && curve.last?.foreignFound == 1)
        #expect(zip(curve, curve.dropFirst()).allSatisfy { $0.foreignFound <= $1.foreignFound && $0.knownLost < $1.knownLost })
    }

    @Test func confidenceIsHeldAgainstWhatIsRight() {
        var reliability = Reliability()
        #expect(reliability.expectedError == 0)
        // 0.75 said three times, right twice; 0.25 said once, wrong.
        for isRight in [true, true, false] { reliability.take(24576, isRight: isRight) }
        reliability.take(8192, isRight: false)
        #expect(reliability.windows == 4 && reliability.bins[7].windows == 3 && reliability.bins[2].windows == 1)
        #expect(reliability.bins[7].confidence == 0.75 && reliability.bins[2].accuracy == 0)
        #expect((reliability.expectedError - (3 * (0.75 - 2.0 / 3) + 0.25) / 4).magnitude < 1e-12)
        for confidence in [Int16.max, 0, -1] { reliability.take(confidence, isRight: true) }
        #expect(reliability.bins[9].windows == 1 && reliability.bins[0].windows == 2)
    }
}
