import Support
import Testing

@testable import CrowdLearning

@Suite struct ServerTests {
    private func parameters(_ algorithm: Descent.Algorithm = .constant, rate: Double = 0.5, localUpdates: Int = 0) -> CrowdParameters {
        var made = CrowdParameters()
        (made.features, made.classes, made.loss, made.algorithm, made.rate, made.localUpdates, made.epsilon) = (
            2, 2, .logistic, algorithm, rate, localUpdates, 0
        )
        return made
    }

    @Test func theMeanOfABatchMovesTheWeights() throws {
        var server = try CrowdOptimiser(parameters(), gradientBatch: 2)
        #expect(server.take([1, 0], weightIteration: 1, parameterIteration: 1) == .taken(moved: false))
        #expect(server.take([3, 4], weightIteration: 1, parameterIteration: 1) == .taken(moved: true))
        #expect(server.weights == [-1, -1] && server.iteration == 2 && server.taken == 2)
    }

    @Test func whatIsLateOrWrongChangesNothing() throws {
        var server = try CrowdOptimiser(parameters())
        let before = server
        #expect(server.take([1, 0], weightIteration: 2, parameterIteration: 1) == .stale)
        #expect(server.take([1, 0], weightIteration: 1, parameterIteration: 2) == .stale)
        for bad in [[1], [1, 2, 3], [.nan, 0], [0, .infinity]] {
            if case .refused = server.take(bad, weightIteration: 1, parameterIteration: 1) {} else { Issue.record("\(bad) is taken") }
        }
        #expect(server == before)
    }

    @Test func weightsAreAveragedWhereDevicesTakeSteps() throws {
        var server = try CrowdOptimiser(parameters(localUpdates: 5), weightBatch: 2)
        _ = server.take([1, 0], weightIteration: 1, parameterIteration: 1)
        #expect(server.take([3, 4], weightIteration: 1, parameterIteration: 1) == .taken(moved: true))
        #expect(server.weights == [2, 2] && server.iteration == 6)
    }

    /// One step of each rule with c = 1/2 from zero along (3, 4) at t = 4; adagrad and rmsProp from an empty memory.
    @Test(arguments: [
        (Descent.Algorithm.constant, [-1.5, -2]), (.simple, [-0.375, -0.5]), (.sqrt, [-0.75, -1]), (.adagrad, [-0.5, -0.5]),
        (.rmsProp, [-0.5 / 0.1.squareRoot(), -0.5 / 0.1.squareRoot()]),
    ]) func rules(_ algorithm: Descent.Algorithm, _ wanted: [Double]) {
        var descent = Descent(algorithm, rate: 0.5, epsilon: 0, length: 2), weights = [0.0, 0]
        descent.step(&weights, along: [3, 4], iteration: 4)
        #expect(zip(weights, wanted).allSatisfy { abs($0 - $1) < 1e-12 }, "\(weights)")
    }

    @Test func adagradRemembersTheMeanOfEachBatch() throws {
        var server = try CrowdOptimiser(parameters(.adagrad), gradientBatch: 2)
        _ = server.take([6, 0], weightIteration: 1, parameterIteration: 1)
        _ = server.take([0, 8], weightIteration: 1, parameterIteration: 1) // the mean is (3, 4); 2017 remembered (0, 8)
        #expect(server.descent.memory == [9, 16] && server.weights == [-0.5, -0.5])
    }

    @Test func weightsStayWithinTheRadius() {
        var descent = Descent(.constant, rate: 1, epsilon: 0, radius: 5, length: 2), weights = [0.0, 0]
        descent.step(&weights, along: [-30, -40], iteration: 1)
        #expect(abs(weights[0] - 3) < 1e-12 && abs(weights[1] - 4) < 1e-12)
    }

    @Test func goesOnWhereItWas() throws {
        var server = try CrowdOptimiser(parameters(.adagrad), gradientBatch: 3, weightBatch: 2)
        for vector in [[1.0, 2], [3, 4], [5, 6], [7, 8]] { _ = server.take(vector, weightIteration: 1, parameterIteration: 1) }
        var again = try CrowdOptimiser(parameters(.adagrad), gradientBatch: 3, weightBatch: 2)
        let state = server.state
        try again.restore(state)
        #expect(again == server)
        for vector in [[9.0, 1], [2, 2]] {
            #expect(
                server.take(vector, weightIteration: 1, parameterIteration: 1)
                    == again.take(vector, weightIteration: 1, parameterIteration: 1))
        }
        #expect(again == server && again.iteration == 2)
        for bad in [
            [], Array(state.dropLast()), Array(state.dropLast(8)), state + [0, 0, 0, 0, 0, 0, 0, 0],
            [UInt8](repeating: 255, count: state.count),
        ] {
            var other = again
            #expect(throws: Fault.self) { try other.restore(bad) }
            #expect(other == again)
        }
    }
}
